import Glibc
import MildamCrypto
import MildamSystem

extension AgeKeyFile {
    /// What an identity file holds.
    public enum Identity: Sendable {
        /// A key that opens files.
        case native(any AgeIdentity)
        /// A key that a plugin opens files with.
        case plugin(AgePluginIdentity)
    }

    /// Reads an identity file: `AGE-SECRET-KEY-1…`, `AGE-PLUGIN-…`, or one private key of SSH.
    ///
    /// - Throws: `unusableLine`, `unusableFile`, `noKeys`, `tooLarge`, `io`.
    public static func identities(at path: String) throws(AgeKeyError) -> [Identity] {
        let file: Descriptor = try AgeKeyError.reporting { () throws(SystemError) in try Descriptor.open(path, O_RDONLY)
        }
        return try identities(in: contents(of: file, path: path))
    }

    /// Reads an identity file that a descriptor, such as a pipe, gives.
    ///
    /// - Throws: as for a path.
    public static func identities(from source: borrowing Descriptor) throws(AgeKeyError) -> [Identity] {
        try identities(in: contents(of: source))
    }

    /// Reads the text of an identity file.
    ///
    /// - Throws: `unusableLine`, `unusableFile`, `noKeys`.
    public static func identities(in text: borrowing SecretBytes) throws(AgeKeyError) -> [Identity] {
        if text.span.starts(with: AgeArmor.begin) || text.span.starts(with: AgeHeader.versionStart) {
            throw .unusableFile(.encryptedFile)
        }
        if text.span.starts(with: "-----BEGIN ") {
            do {
                return [.native(try AgeSSHIdentity(privateKeyFile: text))]
            } catch {
                throw .unusableFile(error)
            }
        }
        var identities: [Identity] = []
        for line in try keyLines(of: text.span) {
            do {
                identities.append(try identity(SecretBytes(copying: text.span.extracting(line.range))))
            } catch {
                throw .unusableLine(line.number, error)
            }
        }
        return identities
    }

    private static func identity(_ text: borrowing SecretBytes) throws(AgeKeyDefect) -> Identity {
        if text.span.starts(with: AgeX25519Identity.prefix + "PQ-") { throw .unsupportedAgeKey }
        if text.span.starts(with: AgeX25519Identity.prefix) {
            guard let identity = try? AgeX25519Identity(text) else { throw .malformedAgeKey }
            return .native(identity)
        }
        if text.span.starts(with: AgePluginIdentity.prefix) { return .plugin(try AgePluginIdentity(text)) }
        let isPublic = text.span.starts(with: "age1") || text.span.starts(with: "ssh-")
        throw isPublic ? .publicKey : .unknownKind
    }
}
