import Glibc
import MildamCrypto
import MildamSystem

extension AgeKeyFile {
    /// Reads an identity file: `AGE-SECRET-KEY-1…`, `AGE-PLUGIN-…`, or one private key of SSH.
    ///
    /// - Parameter interaction: how plugins speak with the person in front of them.
    /// - Throws: `unusableLine`, `unusableFile`, `noKeys`, `tooLarge`, `io`.
    public static func identities(
        at path: String,
        interaction: AgePluginInteraction = AgePluginInteraction()
    ) throws(AgeKeyError) -> [any AgeIdentity] {
        let file: Descriptor = try AgeKeyError.reporting { () throws(SystemError) in try Descriptor.open(path, O_RDONLY)
        }
        return try identities(in: contents(of: file, path: path), interaction: interaction)
    }

    /// Reads an identity file that a descriptor, such as a pipe, gives.
    ///
    /// - Throws: as for a path.
    public static func identities(
        from source: borrowing Descriptor,
        interaction: AgePluginInteraction = AgePluginInteraction()
    ) throws(AgeKeyError) -> [any AgeIdentity] {
        try identities(in: contents(of: source), interaction: interaction)
    }

    /// Reads the text of an identity file.
    ///
    /// - Throws: `unusableLine`, `unusableFile`, `noKeys`.
    public static func identities(
        in text: borrowing SecretBytes,
        interaction: AgePluginInteraction = AgePluginInteraction()
    ) throws(AgeKeyError) -> [any AgeIdentity] {
        if text.span.starts(with: AgeArmor.begin) || text.span.starts(with: AgeHeader.versionStart) {
            throw .unusableFile(.encryptedFile)
        }
        if text.span.starts(with: "-----BEGIN ") {
            do {
                return [try AgeSSHIdentity(privateKeyFile: text)]
            } catch {
                throw .unusableFile(error)
            }
        }
        var identities: [any AgeIdentity] = []
        for line in try keyLines(of: text.span) {
            do {
                identities.append(try identity(SecretBytes(copying: text.span.extracting(line.range)), interaction))
            } catch {
                throw .unusableLine(line.number, error)
            }
        }
        return identities
    }

    private static func identity(
        _ text: borrowing SecretBytes,
        _ interaction: AgePluginInteraction
    ) throws(AgeKeyDefect) -> any AgeIdentity {
        if text.span.starts(with: AgeX25519Identity.prefix + "PQ-") { throw .unsupportedAgeKey }
        if text.span.starts(with: AgeX25519Identity.prefix) {
            guard let identity = try? AgeX25519Identity(text) else { throw .malformedAgeKey }
            return identity
        }
        if text.span.starts(with: AgePluginIdentity.prefix) {
            return try AgePluginIdentity(text, interaction: interaction)
        }
        let isPublic = text.span.starts(with: "age1") || text.span.starts(with: "ssh-")
        throw isPublic ? .publicKey : .unknownKind
    }
}
