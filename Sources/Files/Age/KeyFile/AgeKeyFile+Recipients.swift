import Glibc
import MildamCrypto
import MildamSystem
import MildamWire

extension AgeKeyFile {
    /// What a recipients file holds.
    public enum Recipient: Sendable {
        /// A key that files can be encrypted to.
        case native(any AgeRecipient)
        /// A key, `age1NAME1…`, that a plugin encrypts to.
        case plugin(String)
    }

    /// Reads a recipients file: `age1…` and `ssh-ed25519 …`.
    ///
    /// - Throws: `unusableLine`, `noKeys`, `tooLarge`, `io`.
    public static func recipients(at path: String) throws(AgeKeyError) -> [Recipient] {
        let file: Descriptor = try AgeKeyError.reporting { () throws(SystemError) in try Descriptor.open(path, O_RDONLY)
        }
        let text = try contents(of: file, path: path)
        return try recipients(in: text.span)
    }

    /// Reads a recipients file that a descriptor, such as a pipe, gives.
    ///
    /// - Throws: as for a path.
    public static func recipients(from source: borrowing Descriptor) throws(AgeKeyError) -> [Recipient] {
        let text = try contents(of: source)
        return try recipients(in: text.span)
    }

    /// Reads the text of a recipients file.
    ///
    /// - Throws: `unusableLine`, `noKeys`.
    public static func recipients(in text: Span<UInt8>) throws(AgeKeyError) -> [Recipient] {
        var recipients: [Recipient] = []
        for line in try keyLines(of: text) {
            do {
                recipients.append(try recipient(text.extracting(line.range)))
            } catch {
                throw .unusableLine(line.number, error)
            }
        }
        return recipients
    }

    private static func recipient(_ bytes: Span<UInt8>) throws(AgeKeyDefect) -> Recipient {
        // Looked at where it lies: what stands there by mistake may be a secret.
        let secretStarts = [AgeX25519Identity.prefix, AgePluginIdentity.prefix, "-----BEGIN "]
        guard !secretStarts.contains(where: { bytes.starts(with: $0) }) else { throw .secretKey }
        let text = unsafe String(decoding: bytes.withUnsafeBytes { unsafe [UInt8]($0) }, as: UTF8.self)
        guard text.hasPrefix("age1") else { return .native(try AgeSSHRecipient(text)) }
        if let recipient = try? AgeX25519Recipient(text) { return .native(recipient) }
        guard let (prefix, _) = try? Bech32.decode(text), prefix.hasPrefix("age1") else { throw .malformedAgeKey }
        // The post-quantum type is age's own, whatever it looks like.
        guard prefix != "age1pq" else { throw .unsupportedAgeKey }
        return .plugin(text)
    }
}
