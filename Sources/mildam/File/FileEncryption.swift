import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem
import MildamTerminal

extension Action {
    func encryptFile() throws {
        let target = try FileTarget(invocation)
        let isText = invocation.flag("armor")
        if outputPath == nil, !isText, console.isTerminal() {
            throw UsageError(
                .invalidValue(name: "--output", expected: "a file: this is a terminal. --armor writes text"),
                command: invocation.fullName
            )
        }
        try refuseUnusedSecrets()
        if invocation.value("format") == FileFormat.rnCryptor.rawValue { return try encryptRNCryptor(to: target) }
        let input = try FileInput(invocation.optionalOperand("INPUT"))
        let (recipients, generated) = try fileRecipients()
        let made = try following("encrypting \(input.label)", to: target) { monitor in
            try InputError.naming(input.label) {
                try AgeFile.encrypt(input.source, to: target, recipients: recipients, armored: isText, monitor: monitor)
            }
        }
        try reportEncrypted(outputPath, .age, made.size, generated)
    }

    /// Writes a file that RNCryptor's own programs open.
    private func encryptRNCryptor(to target: FileTarget) throws {
        if let option = ["recipient", "recipients-file", "armor", "generate"].first(where: {
            invocation.options[$0] != nil
        }) {
            throw UsageError(
                .invalidValue(name: "--\(option)", expected: "left out: a file of format rncryptor has none"),
                command: invocation.fullName
            )
        }
        let input = try FileInput(invocation.optionalOperand("INPUT"))
        let secret = try rnCryptorSecret(confirming: true)
        let size = try following("encrypting \(input.label)", to: target) {
            try RNCryptorFile.encrypt(input.source, to: target, secret: secret, monitor: $0)
        }
        try reportEncrypted(outputPath, .rnCryptor, size, nil)
    }

    /// What was given and would not be used: somebody may believe that it was.
    private func refuseUnusedSecrets() throws {
        let isRNCryptor = invocation.value("format") == FileFormat.rnCryptor.rawValue
        let (asks, generates) = (invocation.flag("passphrase"), invocation.flag("generate"))
        let keys = invocation.value("rncryptor-keys") != nil
        let hasDescriptor = invocation.value("passphrase-fd") != nil
        let unused = [
            ("--generate", asks && generates), ("--rncryptor-keys", keys && (asks || !isRNCryptor)),
            ("--passphrase-fd", hasDescriptor && !asks && (!isRNCryptor || keys)),
        ]
        if let (option, _) = unused.first(where: { $0.1 }) {
            let isMissingPassphrase = option == "--passphrase-fd" && !isRNCryptor
            throw UsageError(
                .invalidValue(
                    name: option,
                    expected: isMissingPassphrase
                        ? "together with --passphrase" : "left out: with the other options it would not be used"
                ),
                command: invocation.fullName
            )
        }
    }

    private var namesRecipients: Bool {
        !invocation.values("recipient").isEmpty || !invocation.values("recipients-file").isEmpty
    }

    /// For whom an age file is to be, and the passphrase that was made for it.
    private func fileRecipients() throws -> (recipients: [any AgeRecipient], generated: String?) {
        let isGenerating = invocation.flag("generate")
        guard isGenerating || invocation.flag("passphrase") else { return (try keyRecipients(), nil) }
        if namesRecipients { throw AgeError.recipientStandsAlone }
        guard isGenerating else {
            return ([try AgeScryptRecipient(passphrase: try passphrase("Passphrase", confirming: true))], nil)
        }
        let passphrase = Proquint.passphrase()
        let text = unsafe passphrase.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        return ([try AgeScryptRecipient(passphrase: passphrase)], text)
    }

    /// Those whom `--recipient` and `--recipients-file` name.
    func keyRecipients() throws -> [any AgeRecipient] {
        let interaction = pluginInteraction
        var recipients: [any AgeRecipient] = []
        for text in invocation.values("recipient") {
            do throws(AgeKeyError) {
                recipients += try AgeKeyFile.recipients(in: Array(text.utf8).span, interaction: interaction)
            } catch .unusableLine(_, let defect) {
                throw UsageError(
                    .invalidValue(name: "--recipient", expected: "age1…, or ssh-ed25519 …: \(defect.rawValue)"),
                    command: invocation.fullName
                )
            }
        }
        for path in invocation.values("recipients-file") {
            let path = try keyFile(path, of: "recipients-file")
            recipients += try KeyFileError.naming(path) { () throws(AgeKeyError) in
                try AgeKeyFile.recipients(at: path, interaction: interaction)
            }
        }
        guard !recipients.isEmpty else {
            throw UsageError(
                .missingOption("--recipient", placeholder: "RECIPIENT"),
                command: invocation.fullName
            )
        }
        return recipients
    }

    private func reportEncrypted(_ path: String?, _ format: FileFormat, _ size: Int, _ passphrase: String?) throws {
        // First, and where it is seen: without it the file is lost.
        if let passphrase { console.complain("passphrase: \(passphrase)  (\(Proquint.entropy) bits)") }
        guard let path else { return }
        try report.answer(EncryptedAnswer(output: path, format: format.rawValue, size: size, passphrase: passphrase)) {
            "encrypted to \(shown(path)), \(ByteCount.text(Int64(size)))"
        }
    }

    private struct EncryptedAnswer: Encodable {
        var output: String
        var format: String
        var size: Int
        var passphrase: String?
    }
}
