import MildamCrypto

/// Remembers the proofs that were seen, for as long as one could be shown again (RFC 9449, section 11.1).
///
/// A proof is good for 60 s before and after its time, so that it is remembered for at least 120 s. Kept are 16 bytes of a
/// digest for each, in two halves: the older one goes as a whole.
public struct ProofMemory: Sendable {
    /// How many proofs each half holds, unless somebody says otherwise: 9,000 a second.
    public static let defaultCapacity = 1 << 20
    /// How many seconds a half takes up what comes: what is in the other one is at least as old then.
    public static let term = 2 * DPoPProof.window

    private let capacity: Int
    private var recent: Set<SIMD2<UInt64>> = []
    private var earlier: Set<SIMD2<UInt64>> = []
    private var begun: Int64?

    /// An empty memory.
    public init(capacity: Int = Self.defaultCapacity) {
        self.capacity = capacity
    }

    /// Takes a proof.
    ///
    /// - Parameter now: seconds of a clock that never goes back.
    /// - Throws: `repeated`; `tooMany`, which ends within two minutes.
    public mutating func take(_ proof: DPoPProof, at now: Int64) throws(DPoPError) {
        turn(at: now)
        let name = Self.name(proof)
        guard !earlier.contains(name), !recent.contains(name) else { throw .repeated }
        guard recent.count < capacity else { throw .tooMany }
        recent.insert(name)
    }

    private mutating func turn(at now: Int64) {
        guard let begun else {
            self.begun = now
            return
        }
        guard now - begun >= Self.term else { return }
        earlier = now - begun < 2 * Self.term ? recent : []
        recent = []
        self.begun = now
    }

    private static func name(_ proof: DPoPProof) -> SIMD2<UInt64> {
        let digest = SHA256.hash(data: Array((proof.thumbprint + proof.identifier).utf8))
        var name = SIMD2<UInt64>()
        for (index, byte) in digest.prefix(16).enumerated() { name[index / 8] = name[index / 8] << 8 | UInt64(byte) }
        return name
    }
}
