import MildamCrypto

/// One sender's keys of one kind, forward only (RFC 9420, section 9.1).
struct HashRatchet: Sendable {
    /// The secret of `generation`.
    private(set) var secret: SymmetricKey
    /// The first generation whose key was not made yet.
    private(set) var generation: UInt32
    /// Keys that were passed over, by generation.
    private(set) var skipped: [UInt32: MessageKey]

    /// A ratchet at its beginning.
    init(secret: SymmetricKey) { self.init(secret: secret, generation: 0, skipped: [:]) }

    init(secret: SymmetricKey, generation: UInt32, skipped: [UInt32: MessageKey]) {
        self.secret = secret
        self.generation = generation
        self.skipped = skipped
    }

    /// The next key, for sending.
    ///
    /// - Throws: `tooFarAhead` when a sender has used up all generations.
    mutating func next(_ suite: Suite) throws(MLSError) -> (generation: UInt32, key: MessageKey) {
        let current = generation
        guard current < .max else { throw .tooFarAhead }
        return (current, step(suite))
    }

    /// Takes the key of a generation out.
    ///
    /// - Throws: `keyConsumed`; `tooFarAhead`.
    mutating func take(_ wanted: UInt32, _ suite: Suite, _ limits: RatchetLimits) throws(MLSError) -> MessageKey {
        if wanted < generation {
            guard let key = skipped.removeValue(forKey: wanted) else { throw .keyConsumed }
            return key
        }
        guard wanted - generation <= limits.forward, wanted < .max else { throw .tooFarAhead }
        while generation < wanted {
            let passed = generation
            let key = step(suite)
            // Those that would be forgotten at once are not kept.
            if wanted - passed <= UInt32(limits.outOfOrder) { skipped[passed] = key }
        }
        let key = step(suite)
        forget(beyond: limits)
        return key
    }

    private mutating func step(_ suite: Suite) -> MessageKey {
        let key = MessageKey(
            key: suite.deriveTree(secret, "key", generation: generation, size: suite.aead.keyByteCount),
            nonce: suite.deriveTree(secret, "nonce", generation: generation, size: suite.aead.nonceByteCount)
        )
        secret = suite.deriveTree(secret, "secret", generation: generation, size: suite.secretSize)
        generation += 1
        return key
    }

    /// Lets the oldest go.
    private mutating func forget(beyond limits: RatchetLimits) {
        guard skipped.count > limits.outOfOrder else { return }
        for old in skipped.keys.sorted().prefix(skipped.count - limits.outOfOrder) { skipped[old] = nil }
    }
}
