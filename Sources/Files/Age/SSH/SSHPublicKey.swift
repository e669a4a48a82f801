import MildamCrypto
import MildamWire

/// An Ed25519 public key as SSH has it (RFC 8709, section 4).
///
/// ```
/// string "ssh-ed25519"
/// string key
/// ```
struct SSHPublicKey: Hashable, Sendable {
    static let type = "ssh-ed25519"

    let key: Curve25519.Signing.PublicKey

    /// Reads the 51 bytes.
    ///
    /// - Throws: `rsaKey` or `unsupportedSSHKey` for a key of another type, `malformedSSHKey`.
    init(_ bytes: Span<UInt8>) throws(AgeKeyDefect) {
        var reader = SSHReader(bytes)
        let type = try reader.string()
        if let defect = AgeKeyDefect(sshType: bytes.extracting(type)) { throw defect }
        let range = try reader.string(count: 32)
        try reader.finish()
        let point = unsafe bytes.extracting(range).withUnsafeBytes { unsafe [UInt8]($0) }
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: point) else { throw .malformedSSHKey }
        self.key = key
    }

    /// Reads `ssh-ed25519 AAAA…`, with or without a comment after it, as it stands in a `.pub` file.
    ///
    /// - Throws: as above; `unknownKind` for what is no SSH key at all.
    init(_ text: some StringProtocol) throws(AgeKeyDefect) {
        let words = text.utf8.split(maxSplits: 2) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let first = words.first else { throw .unknownKind }
        let type = Array(first)
        if let defect = AgeKeyDefect(sshType: type.span) { throw defect }
        guard words.count > 1 else { throw .malformedSSHKey }
        let coded = Array(words[1])
        guard let bytes = try? Base64.standard.decode(ascii: coded.span) else { throw .malformedSSHKey }
        try self.init(bytes.span)
    }

    /// The 51 bytes.
    var bytes: [UInt8] {
        var writer = WireWriter()
        writer.text(UInt32.self, SSHPublicKey.type)
        writer.vector(UInt32.self, key.rawRepresentation)
        return writer.bytes
    }

    /// `ssh-ed25519 AAAA…`
    var text: String { "\(SSHPublicKey.type) \(Base64.standard.encode(bytes))" }
}

extension AgeKeyDefect {
    /// What is wrong with an SSH key of this type; nothing is with Ed25519.
    fileprivate init?(sshType type: Span<UInt8>) {
        if type.equals(SSHPublicKey.type) { return nil }
        if type.equals("ssh-rsa") {
            self = .rsaKey
        } else if type.starts(with: "ssh-") || type.starts(with: "ecdsa-") || type.starts(with: "sk-") {
            self = .unsupportedSSHKey
        } else {
            self = .unknownKind
        }
    }
}
