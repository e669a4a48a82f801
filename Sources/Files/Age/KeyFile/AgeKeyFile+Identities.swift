import Glibc
import MildamCrypto
import MildamSystem

extension AgeKeyFile {
    /// Reads an identity file: `AGE-SECRET-KEY-1…`, `AGE-PLUGIN-…`, or one private key of SSH, of Ed25519 or RSA. It may
    /// be under a passphrase, which is asked for where a file may be for its keys.
    ///
    /// - Parameters:
    ///   - interaction: how plugins speak with the person in front of them.
    ///   - questions: who is asked for the passphrase.
    /// - Throws: `unusableLine`, `unusableFile`, `noKeys`, `tooLarge`, `io`.
    public static func identities(
        at path: String,
        interaction: AgePluginInteraction = AgePluginInteraction(),
        questions: AgeKeyQuestions = .nobody
    ) throws(AgeKeyError) -> [any AgeIdentity] {
        let file: Descriptor = try AgeKeyError.reporting { () throws(SystemError) in try Descriptor.open(path, O_RDONLY)
        }
        let text = try contents(of: file, path: path)
        return try identities(in: text, named: path, interaction: interaction, questions: questions)
    }

    /// Reads an identity file that a descriptor, such as a pipe, gives.
    ///
    /// - Throws: as for a path.
    public static func identities(
        from source: borrowing Descriptor,
        interaction: AgePluginInteraction = AgePluginInteraction(),
        questions: AgeKeyQuestions = .nobody
    ) throws(AgeKeyError) -> [any AgeIdentity] {
        let text = try contents(of: source)
        return try identities(in: text, interaction: interaction, questions: questions)
    }

    /// Reads the text of an identity file.
    ///
    /// - Parameter name: what the file is called where its passphrase is asked for, and in errors.
    /// - Throws: `unusableLine`, `unusableFile`, `noKeys`.
    public static func identities(
        in text: borrowing SecretBytes,
        named name: String = "the key file",
        interaction: AgePluginInteraction = AgePluginInteraction(),
        questions: AgeKeyQuestions = .nobody
    ) throws(AgeKeyError) -> [any AgeIdentity] {
        if text.span.starts(with: AgeArmor.begin) || text.span.starts(with: AgeHeader.versionStart) {
            do throws(AgeKeyDefect) {
                let key = try AgeLockedKeyFile(text.span, interaction: interaction)
                return [AgeLockedIdentity(key, file: name, questions: questions)]
            } catch {
                throw .unusableFile(error)
            }
        }
        if text.span.starts(with: "-----BEGIN ") {
            do throws(AgeKeyDefect) {
                return [try sshIdentity(text, name, questions)]
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

    /// The one key of a private key file of SSH.
    private static func sshIdentity(
        _ text: borrowing SecretBytes,
        _ name: String,
        _ questions: AgeKeyQuestions
    ) throws(AgeKeyDefect) -> any AgeIdentity {
        if let form = PEMPrivateKey(text.span) { return try form.identity(text.span) }
        let bytes = try OpenSSHText.decode(text.span)
        let envelope = try OpenSSHEnvelope(bytes.span)
        let part = bytes.span.extracting(envelope.privatePart)
        guard let lock = envelope.lock else {
            return try envelope.publicKey.identity(part, blockSize: OpenSSHPrivateKey.plainBlockSize)
        }
        let key = try OpenSSHLockedKey(envelope.publicKey, lock, part: part)
        return AgeLockedIdentity(key, file: name, questions: questions)
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
