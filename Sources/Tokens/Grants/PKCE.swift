import MildamCrypto
import MildamKeychain
import MildamWire

/// Proof that who redeems a code is who began the sign-in (RFC 7636), by S256 and no other method.
public struct PKCE: Sendable {
    /// What is shown with the code: 43 characters of base64url, from 32 random bytes.
    public let verifier: SecretValue
    /// What is shown at the beginning: the verifier's SHA-256 in base64url, 43 characters.
    public let challenge: String

    /// A fresh pair.
    public init() {
        self.init(SecretBytes.random(count: 32))
    }

    /// A pair from 32 bytes.
    init(_ random: consuming SecretBytes) {
        var text: [UInt8] = []
        text.reserveCapacity(48)
        defer { text.wipe() }
        Base64.url.encode(random.span, into: &text)
        verifier = SecretValue(copying: text.span)
        challenge = Base64.url.encode(Array(SHA256.hash(data: text)))
    }
}
