import FoundationEssentials

/// What stands in for a lost second factor, once: 80 random bits, of which only a ``SaltedVerifier`` is stored.
struct RecoveryCode: TypedCode {
    /// How many an account gets.
    static let count = 10
    static let size = 10

    let bytes: [UInt8]

    /// What is stored, under a new salt.
    var verifier: SaltedVerifier { SaltedVerifier(of: Data(bytes)) }

    /// Whether it is the one that was stored.
    func matches(_ verifier: SaltedVerifier) -> Bool { verifier.accepts(Data(bytes)) }
}
