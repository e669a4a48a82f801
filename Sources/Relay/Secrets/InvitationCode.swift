import MildamCrypto

/// What lets its bearer make an account, once: 120 random bits, of which only the digest is stored.
struct InvitationCode: TypedCode {
    static let size = 15

    let bytes: [UInt8]

    /// What is stored: SHA-256.
    var digest: [UInt8] { Array(SHA256.hash(data: bytes)) }
}

extension InvitationCode: CustomStringConvertible {
    /// Nothing of the code.
    var description: String { "an invitation" }
}
