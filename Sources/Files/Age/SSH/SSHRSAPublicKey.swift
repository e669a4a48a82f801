import MildamCrypto
import MildamWire

/// An RSA public key as SSH has it (RFC 4253, section 6.6).
///
/// ```
/// string "ssh-rsa"
/// mpint  e
/// mpint  n
/// ```
struct SSHRSAPublicKey: Hashable, Sendable {
    static let type = "ssh-rsa"

    let key: RSA.PublicKey

    init(_ key: RSA.PublicKey) {
        self.key = key
    }

    /// Reads the bytes.
    ///
    /// - Throws: `rsaKeySize`, `malformedSSHKey`.
    init(_ bytes: Span<UInt8>) throws(AgeKeyDefect) {
        var reader = SSHReader(bytes)
        try reader.string(SSHRSAPublicKey.type)
        let exponent = try reader.string()
        let modulus = try reader.string()
        try reader.finish()
        do throws(CryptoKitError) {
            key = try RSA.PublicKey(
                modulus: bytes.extracting(modulus),
                publicExponent: bytes.extracting(exponent)
            )
        } catch {
            throw AgeKeyDefect(rsa: error)
        }
    }

    /// Reads `ssh-rsa AAAA…`, with or without a comment after it, as it stands in a `.pub` file.
    ///
    /// - Throws: as above; `unknownKind` for what is no such key at all.
    init(_ text: some StringProtocol) throws(AgeKeyDefect) {
        guard SSHRSAPublicKey.begins(text) else { throw .unknownKind }
        let words = SSHRSAPublicKey.words(of: text)
        guard words.count > 1 else { throw .malformedSSHKey }
        let coded = Array(words[1].utf8)
        guard let bytes = try? Base64.standard.decode(ascii: coded.span) else { throw .malformedSSHKey }
        try self.init(bytes.span)
    }

    /// Whether a line says that it is such a key.
    static func begins(_ text: some StringProtocol) -> Bool {
        words(of: text).first.map { $0.utf8.elementsEqual(type.utf8) } ?? false
    }

    private static func words(of text: some StringProtocol) -> [String] {
        let words = text.utf8.split(maxSplits: 2) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return words.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The key as it is hashed, and written in base64.
    var bytes: [UInt8] {
        var writer = WireWriter()
        writer.text(UInt32.self, SSHRSAPublicKey.type)
        writer.vector(UInt32.self, key.publicExponent)
        writer.vector(UInt32.self, key.modulus)
        return writer.bytes
    }

    /// `ssh-rsa AAAA…`
    var text: String { "\(SSHRSAPublicKey.type) \(Base64.standard.encode(bytes))" }
}

extension AgeKeyDefect {
    /// Why the numbers of an RSA key are not taken.
    init(rsa error: CryptoKitError) {
        self = error == .incorrectKeySize ? .rsaKeySize : .malformedSSHKey
    }
}
