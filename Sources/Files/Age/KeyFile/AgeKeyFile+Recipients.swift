import Glibc
import MildamCrypto
import MildamSystem
import MildamWire

extension AgeKeyFile {
    /// Reads a recipients file: `age1…`, `age1NAME1…` for a plugin, `ssh-ed25519 …` and `ssh-rsa …`.
    ///
    /// - Parameter interaction: how plugins speak with the person in front of them.
    /// - Throws: `unusableLine`, `noKeys`, `tooLarge`, `io`.
    public static func recipients(
        at path: String,
        interaction: AgePluginInteraction = AgePluginInteraction()
    ) throws(AgeKeyError) -> [any AgeRecipient] {
        let file: Descriptor = try AgeKeyError.reporting { () throws(SystemError) in try Descriptor.open(path, O_RDONLY)
        }
        let text = try contents(of: file, path: path)
        return try recipients(in: text.span, interaction: interaction)
    }

    /// Reads a recipients file that a descriptor, such as a pipe, gives.
    ///
    /// - Throws: as for a path.
    public static func recipients(
        from source: borrowing Descriptor,
        interaction: AgePluginInteraction = AgePluginInteraction()
    ) throws(AgeKeyError) -> [any AgeRecipient] {
        let text = try contents(of: source)
        return try recipients(in: text.span, interaction: interaction)
    }

    /// Reads the text of a recipients file.
    ///
    /// - Throws: `unusableLine`, `noKeys`.
    public static func recipients(
        in text: Span<UInt8>,
        interaction: AgePluginInteraction = AgePluginInteraction()
    ) throws(AgeKeyError) -> [any AgeRecipient] {
        var recipients: [any AgeRecipient] = []
        for line in try keyLines(of: text) {
            do {
                recipients.append(try recipient(text.extracting(line.range), interaction))
            } catch {
                throw .unusableLine(line.number, error)
            }
        }
        return recipients
    }

    private static func recipient(
        _ bytes: Span<UInt8>,
        _ interaction: AgePluginInteraction
    ) throws(AgeKeyDefect) -> any AgeRecipient {
        // Looked at where it lies: what stands there by mistake may be a secret.
        let secretStarts = [AgeX25519Identity.prefix, AgePluginIdentity.prefix, "-----BEGIN "]
        guard !secretStarts.contains(where: { bytes.starts(with: $0) }) else { throw .secretKey }
        let text = unsafe String(decoding: bytes.withUnsafeBytes { unsafe [UInt8]($0) }, as: UTF8.self)
        if SSHRSAPublicKey.begins(text) { return try AgeSSHRSARecipient(text) }
        guard text.hasPrefix("age1") else { return try AgeSSHRecipient(text) }
        if let recipient = try? AgeX25519Recipient(text) { return recipient }
        // The post-quantum type is age's own, whatever it looks like.
        guard !text.hasPrefix("age1pq1") else { throw .unsupportedAgeKey }
        guard let recipient = try? AgePluginRecipient(text, interaction: interaction) else { throw .malformedAgeKey }
        return recipient
    }
}
