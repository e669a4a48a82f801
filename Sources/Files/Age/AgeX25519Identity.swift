import MildamCrypto
import MildamWire

/// An X25519 private key, `AGE-SECRET-KEY-1…` (C2SP age, "The X25519 recipient type").
public struct AgeX25519Identity: AgeIdentity, CustomStringConvertible, CustomReflectable {
    static let prefix = "AGE-SECRET-KEY-"

    private let privateKey: Curve25519.KeyAgreement.PrivateKey

    /// A new random identity.
    public init() {
        privateKey = Curve25519.KeyAgreement.PrivateKey()
    }

    /// The identity of a private key.
    ///
    /// - Parameter key: 32 bytes.
    /// - Throws: `AgeError.invalidIdentity` for another size.
    package init(rawRepresentation key: SymmetricKey) throws(AgeError) {
        do {
            privateKey = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: key)
        } catch {
            throw .invalidIdentity
        }
    }

    /// Reads `AGE-SECRET-KEY-1…`, upper case.
    ///
    /// - Throws: `AgeError.invalidIdentity` for anything else, without a character of it.
    public init(_ text: some StringProtocol) throws(AgeError) {
        try self.init(ascii: Substring(text).utf8)
    }

    /// Reads `AGE-SECRET-KEY-1…`, upper case, and leaves no copy of it elsewhere.
    ///
    /// - Throws: `AgeError.invalidIdentity` for anything else, without a character of it.
    public init(_ text: borrowing SecretBytes) throws(AgeError) {
        self = try unsafe text.withUnsafeBytes { (text) throws(AgeError) in try unsafe AgeX25519Identity(ascii: text) }
    }

    private init(ascii text: some BidirectionalCollection<UInt8>) throws(AgeError) {
        do {
            let bytes = try unsafe SecretBytes(count: 32) { (memory) throws(WireError) in
                var span = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
                try Bech32.decode(ascii: text, prefix: AgeX25519Identity.prefix, into: &span)
            }
            privateKey = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: SymmetricKey(bytes))
        } catch {
            throw .invalidIdentity
        }
    }

    /// Whom to encrypt to, so that this identity can open it.
    public var recipient: AgeX25519Recipient { AgeX25519Recipient(publicKey: privateKey.publicKey) }

    /// The 32 bytes of the private key: the secret itself.
    package var secretKey: SymmetricKey { unsafe privateKey.withUnsafeBytes { unsafe SymmetricKey(data: $0) } }

    /// `AGE-SECRET-KEY-1…`: the secret itself, in memory that nothing wipes.
    public var secretText: String {
        unsafe privateKey.withUnsafeBytes { unsafe Bech32.encode($0, prefix: AgeX25519Identity.prefix) }
    }

    /// The same text, in secret memory.
    public var secretTextBytes: SecretBytes {
        // The prefix, its separator, 52 characters for 32 bytes, and 6 for the checksum.
        unsafe SecretBytes(count: AgeX25519Identity.prefix.utf8.count + 1 + 52 + 6) { memory in
            var position = 0
            unsafe privateKey.withUnsafeBytes { key in
                unsafe Bech32.encode(key, prefix: AgeX25519Identity.prefix) { character in
                    unsafe memory[position] = character
                    position += 1
                }
            }
        }
    }

    /// Its recipient, and nothing of the secret.
    public var description: String { "AgeX25519Identity for \(recipient)" }

    /// Empty: a dump shows nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Unwraps the file key, if a stanza is for this identity.
    ///
    /// - Throws: `malformedHeader` with `invalidX25519` for a stanza that no X25519 recipient writes.
    public func unwrap(_ header: AgeHeader) throws(AgeError) -> AgeFileKey? {
        try header.firstKey(unwrap)
    }

    private func unwrap(_ stanza: AgeStanza) throws(AgeHeaderDefect) -> AgeFileKey? {
        guard stanza.arguments.first == AgeX25519.type else { return nil }
        guard stanza.arguments.count == 2, stanza.body.count == AgeFileKey.wrappedSize,
            let share = try? Base64.unpadded.decode(stanza.arguments[1]),
            let ephemeral = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: share),
            let secret = try? privateKey.sharedSecretFromKeyAgreement(with: ephemeral)
        else { throw .invalidX25519 }
        let key = AgeX25519.wrappingKey(secret, share: share, recipient: recipient.bytes)
        return try? AgeFileKey(unwrapping: stanza.body, with: key)
    }
}
