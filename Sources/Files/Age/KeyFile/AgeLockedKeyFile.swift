import MildamCrypto

/// A file of age keys that is itself an age file under a passphrase, as `age -p` makes it of one of `age-keygen`.
///
/// For whom its keys are, nobody knows before it is open: its passphrase is asked for whenever a file for keys is to be
/// opened with it, as age does.
struct AgeLockedKeyFile: AgeLockedKey {
    /// The age file, without armor.
    private let file: [UInt8]
    private let interaction: AgePluginInteraction

    /// Looks at the file's header.
    ///
    /// - Throws: `damagedFile`; `encryptedFile` for one that keys open.
    init(_ text: Span<UInt8>, interaction: AgePluginInteraction) throws(AgeKeyDefect) {
        file = try AgeLockedKeyFile.unarmored(text)
        self.interaction = interaction
        let header = try AgeLockedKeyFile.header(of: file)
        guard AgeLockedKeyFile.isUnderPassphrase(header) else { throw .encryptedFile }
    }

    /// Yes, unless the file is under a passphrase itself.
    func mayOpen(_ header: AgeHeader) -> Bool { !AgeLockedKeyFile.isUnderPassphrase(header) }

    func identities(passphrase: borrowing SecretBytes) throws(AgeKeyLock) -> [any AgeIdentity] {
        let text = try content(passphrase)
        do throws(AgeKeyError) {
            return try AgeKeyFile.identities(in: text, interaction: interaction)
        } catch {
            throw .unusable(error)
        }
    }

    private func content(_ passphrase: borrowing SecretBytes) throws(AgeKeyLock) -> SecretBytes {
        do throws(AgeError) {
            let identity = try AgeScryptIdentity(passphrase: SecretBytes(copying: passphrase.span))
            return try AgeFile.content(of: file.span, identities: [identity])
        } catch {
            throw AgeKeyLock(error)
        }
    }

    /// A scrypt stanza stands alone: no other header is read.
    private static func isUnderPassphrase(_ header: AgeHeader) -> Bool {
        header.stanzas.first?.arguments.first == AgeScrypt.type
    }

    private static func unarmored(_ text: Span<UInt8>) throws(AgeKeyDefect) -> [UInt8] {
        guard text.starts(with: AgeArmor.begin) else { return unsafe text.withUnsafeBufferPointer { unsafe Array($0) } }
        var decoder = AgeArmor.Decoder()
        var bytes: [UInt8] = []
        do throws(AgeError) {
            try decoder.decode(text, into: &bytes)
            try decoder.finish()
        } catch {
            throw .damagedFile
        }
        return bytes
    }

    private static func header(of file: [UInt8]) throws(AgeKeyDefect) -> AgeHeader {
        do throws(AgeError) {
            var parser = AgeHeaderParser()
            _ = try parser.consume(file.span)
            return try parser.finish()
        } catch {
            throw .damagedFile
        }
    }
}
