import MildamCrypto

/// Remembers what is good once, for as long as it could be shown again: proofs of possession (RFC 9449, section 11.1), unless
/// told otherwise.
///
/// A proof is good for 60 s before and after its time, so that it is remembered for at least 120 s. Kept are 16 bytes of a
/// digest for each, in two halves: the older one goes as a whole.
public struct ProofMemory: Sendable {
    /// How many proofs each half holds, unless somebody says otherwise: 9,000 a second.
    public static let defaultCapacity = 1 << 20
    /// How many seconds a half takes up what comes: what is in the other one is at least as old then.
    public static let term = 2 * DPoPProof.window

    private let capacity: Int
    private let term: Int64
    private var recent: Set<SIMD2<UInt64>> = []
    private var earlier: Set<SIMD2<UInt64>> = []
    private var begun: Int64?

    /// An empty memory.
    ///
    /// - Parameter term: for how many seconds a thing is good at most.
    public init(capacity: Int = Self.defaultCapacity, term: Int64 = Self.term) {
        self.capacity = capacity
        self.term = term
    }

    /// Takes a proof.
    ///
    /// - Parameter now: seconds of a clock that never goes back.
    /// - Throws: `repeated`; `tooMany`, which ends within two minutes.
    public mutating func take(_ proof: DPoPProof, at now: Int64) throws(DPoPError) {
        try take(Array((proof.thumbprint + proof.identifier).utf8), at: now)
    }

    /// Takes what these bytes tell apart from everything else.
    ///
    /// - Throws: as ``take(_:at:)-(DPoPProof,_)``.
    public mutating func take(_ shown: [UInt8], at now: Int64) throws(DPoPError) {
        turn(at: now)
        let name = Self.name(shown)
        guard !earlier.contains(name), !recent.contains(name) else { throw .repeated }
        guard recent.count < capacity else { throw .tooMany }
        recent.insert(name)
    }

    /// Forgets what was taken: it came to nothing, and may be shown again.
    public mutating func forget(_ shown: [UInt8]) {
        let name = Self.name(shown)
        recent.remove(name)
        earlier.remove(name)
    }

    private mutating func turn(at now: Int64) {
        guard let begun else {
            self.begun = now
            return
        }
        guard now - begun >= term else { return }
        earlier = now - begun < 2 * term ? recent : []
        recent = []
        self.begun = now
    }

    private static func name(_ shown: [UInt8]) -> SIMD2<UInt64> {
        let digest = SHA256.hash(data: shown)
        var name = SIMD2<UInt64>()
        for (index, byte) in digest.prefix(16).enumerated() { name[index / 8] = name[index / 8] << 8 | UInt64(byte) }
        return name
    }
}
