import MildamCrypto
import MildamIdentity
import MildamWire

/// The secret of an account's second factor, as the database has it: sealed under a key that lies outside.
///
/// ```
/// struct { opaque label<0..255>; opaque account[16]; } AuthenticatedHeader;
/// opaque sealed[48];      // AES-256-GCM: nonce[12], ciphertext[20], tag[16]
/// ```
struct SealedCodeSecret: Equatable, Sendable {
    /// A secret's size in bytes: as long as SHA-1's output (RFC 4226, section 4, R6).
    static let secretSize = 20

    /// Which of the code-secret keys.
    let key: UInt32
    /// 48 bytes.
    let sealed: [UInt8]

    /// A secret that was stored.
    init(key: UInt32, sealed: [UInt8]) {
        self.key = key
        self.sealed = sealed
    }

    /// Seals a secret under the newest key, for this account alone.
    ///
    /// - Parameter nonce: used for nothing else.
    init(
        _ secret: borrowing SecretBytes,
        of account: AccountID,
        under keys: CodeKeys,
        nonce: AES.GCM.Nonce = AES.GCM.Nonce()
    ) throws(CryptoKitError) {
        key = keys.newest.id
        sealed = try AES.GCM.seal(
            secret: secret,
            using: keys.newest.key,
            nonce: nonce,
            authenticating: Self.header(account).span
        )
    }

    /// The secret; `nil` when the key is gone, or the row is not what was stored for this account.
    func open(of account: AccountID, under keys: CodeKeys) -> SymmetricKey? {
        guard let key = keys[key],
            let secret = try? AES.GCM.open(
                secret: sealed.span,
                using: key,
                authenticating: Self.header(account).span
            )
        else { return nil }
        return SymmetricKey(secret)
    }

    private static let label = Label("second factor secret")

    private static func header(_ account: AccountID) -> [UInt8] { label.over(account) }
}
