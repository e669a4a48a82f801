import FoundationEssentials
import MildamCrypto

/// What is stored of an authenticator: HMAC-SHA-256 under a random salt.
///
/// The authenticator is 32 bytes out of Argon2id already, so that guessing it is guessing the password at that price.
struct SaltedVerifier: Sendable, Equatable {
    /// An authenticator's size in bytes.
    static let authenticatorSize = 32

    /// 32 random bytes.
    let salt: [UInt8]
    /// HMAC-SHA-256(salt, authenticator), 32 bytes.
    let verifier: [UInt8]

    /// The verifier of an authenticator under a new salt.
    init(of authenticator: Data) {
        salt = SecureRandom.bytes(count: 32)
        verifier = Self.code(authenticator, salt)
    }

    /// A verifier that was stored.
    init(salt: [UInt8], verifier: [UInt8]) {
        self.salt = salt
        self.verifier = verifier
    }

    /// Whether this is the authenticator, in a time that does not depend on the answer.
    func accepts(_ authenticator: Data) -> Bool {
        constantTimeEquals(Self.code(authenticator, salt), verifier)
    }

    private static func code(_ authenticator: Data, _ salt: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: authenticator, using: SymmetricKey(data: salt)))
    }
}
