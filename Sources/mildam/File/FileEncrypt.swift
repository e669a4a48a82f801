import MildamFiles
import MildamTerminal

let fileEncrypt = ActionCommand(
    ["file", "encrypt"],
    summary: "Encrypt a file, for recipients or under a passphrase.",
    discussion: """
        Writes an age file, which `age` opens as well. It appears under its name when it is whole.

        A passphrase stands alone: with it there can be no recipients.
        """,
    operands: [inputOperand],
    options: recipientOptions + [
        OptionSpec(
            "passphrase",
            short: "p",
            help: "Under a passphrase, which is asked for. As in age, -p is not --profile here."
        ),
        OptionSpec("generate", short: "g", help: "Under a new passphrase of random syllables, which is shown."),
        OptionSpec("armor", short: "a", help: "As text, which mail and forms let through."),
        OptionSpec(
            "format",
            value: .init("FORMAT", completion: .choices([FileFormat.age, .rnCryptor].map(\.rawValue))),
            help: "age, or rncryptor (version 3) for a program that reads nothing else."
        ),
        rnCryptorKeysOption,
        outputOption,
        forceOption,
    ] + SecretOption.filePassphrase.options,
    examples: [
        .init(
            "mildam file encrypt -r age1… -o letter.age letter.txt",
            "Whoever has the recipient's key can open it."
        ),
        .init("mildam file encrypt -p -o letter.age letter.txt", "Whoever knows the passphrase can."),
        .init("tar c photos | mildam file encrypt -R friends.txt >photos.age", "From a pipe, for those in a file."),
    ]
) { action in
    let target = try FileTarget(action.invocation)
    let isText = action.invocation.flag("armor")
    if action.outputPath == nil, !isText, action.console.isTerminal() {
        throw action.wrong("--output", "a file: this is a terminal. --armor writes text")
    }
    try action.refuseUnusedSecrets()
    if action.invocation.value("format") == FileFormat.rnCryptor.rawValue {
        return try action.encryptRNCryptor(to: target)
    }
    let input = try action.input()
    let (recipients, generated) = try action.fileRecipients()
    let made = try action.following("encrypting \(input.label)", to: target) { monitor in
        try InputError.naming(input.label) {
            try AgeFile.encrypt(input.source, to: target, recipients: recipients, armored: isText, monitor: monitor)
        }
    }
    return try action.reportEncrypted(action.outputPath, .age, made.size, generated)
}

extension Action {
    /// Writes a file that RNCryptor's own programs open.
    fileprivate func encryptRNCryptor(to target: FileTarget) throws -> ExitStatus {
        if let option = ["recipient", "recipients-file", "armor", "generate"].first(where: {
            invocation.options[$0] != nil
        }) {
            throw wrong("--\(option)", "left out: a file of format rncryptor has none")
        }
        let input = try input()
        let secret = try rnCryptorSecret(isNew: true)
        let size = try following("encrypting \(input.label)", to: target) {
            try RNCryptorFile.encrypt(input.source, to: target, secret: secret, monitor: $0)
        }
        return try reportEncrypted(outputPath, .rnCryptor, size, nil)
    }

    /// What was given and would not be used: somebody may believe that it was.
    fileprivate func refuseUnusedSecrets() throws {
        let isRNCryptor = invocation.value("format") == FileFormat.rnCryptor.rawValue
        let (asks, generates) = (invocation.flag("passphrase"), invocation.flag("generate"))
        let keys = invocation.value("rncryptor-keys") != nil
        let isWritten = invocation.isWritten(.filePassphrase)
        let written = invocation.written(.filePassphrase)
        let unused = [
            ("--generate", asks && generates), ("--rncryptor-keys", keys && (asks || !isRNCryptor)),
            (written, isWritten && !asks && (!isRNCryptor || keys)),
        ]
        if let (option, _) = unused.first(where: { $0.1 }) {
            let isMissingPassphrase = option == written && !isRNCryptor
            throw wrong(
                option,
                isMissingPassphrase
                    ? "together with --passphrase" : "left out: with the other options it would not be used"
            )
        }
    }

    private var namesRecipients: Bool {
        !invocation.values("recipient").isEmpty || !invocation.values("recipients-file").isEmpty
    }

    /// For whom an age file is to be, and the passphrase that was made for it.
    fileprivate func fileRecipients() throws -> (recipients: [any AgeRecipient], generated: String?) {
        let isGenerating = invocation.flag("generate")
        guard isGenerating || invocation.flag("passphrase") else { return (try keyRecipients(), nil) }
        if namesRecipients { throw AgeError.recipientStandsAlone }
        guard isGenerating else {
            return ([try AgeScryptRecipient(passphrase: try newSecret(.filePassphrase, "Passphrase"))], nil)
        }
        let passphrase = Proquint.passphrase()
        let text = unsafe passphrase.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        return ([try AgeScryptRecipient(passphrase: passphrase)], text)
    }

    fileprivate func reportEncrypted(
        _ path: String?,
        _ format: FileFormat,
        _ size: Int,
        _ passphrase: String?
    ) throws -> ExitStatus {
        // First, and where it is seen: without it the file is lost.
        if let passphrase { console.complain("passphrase: \(passphrase)  (\(Proquint.entropy) bits)") }
        guard let path else { return .done }
        return try report.answer(
            EncryptedAnswer(output: path, format: format.rawValue, size: size, passphrase: passphrase)
        ) {
            "encrypted to \(shown(path)), \(ByteCount.text(Int64(size)))"
        }
    }
}

private struct EncryptedAnswer: Encodable {
    var output: String
    var format: String
    var size: Int
    var passphrase: String?
}
