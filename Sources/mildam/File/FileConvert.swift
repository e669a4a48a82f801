import MildamFiles
import MildamSystem
import MildamTerminal

private let newFileOption = OptionSpec(
    "output",
    short: "o",
    value: .init("FILE", completion: .file),
    help: "The new file. Nothing is replaced without --force."
)

let fileConvert = ActionCommand(
    ["file", "convert"],
    summary: "Decrypt a file, and encrypt its content as an age file.",
    discussion:
        "The content is in memory piece by piece, and never in a file of its own. The new file appears when all "
        + "of the old one was found right.",
    operands: [inputOperand],
    options: recipientOptions + [
        identityOption,
        OptionSpec("armor", short: "a", help: "As text."),
        passphraseKnownOption,
    ] + SecretOption.filePassphrase.options + layoutOptions + [newFileOption, forceOption],
    examples: [
        .init("mildam file convert -r age1… -o new.age old.rncryptor", "The password of the old one is asked for.")
    ]
) { action in
    // What is out could not be taken back when the old file turns out to be damaged.
    guard action.outputPath != nil else {
        throw action.misuse(.missingOption("--output", placeholder: "FILE"))
    }
    guard let path = try FileTarget(action.invocation).path else {
        throw action.wrong("--output", "a file: what a device or a pipe got could not be taken back")
    }
    let input = try action.input()
    let format = try action.format(of: input)
    let recipients = try action.keyRecipients()
    let opening = try action.opening(of: input, as: format)
    var file = try NewFile(for: path)
    let (opened, size) = try action.following("converting \(input.label)") { monitor in
        let content = try FilePipe { target in try InputError.naming(input.label) { try opening(target, monitor) } }
        let made = try AgeFile.encrypt(
            content.source,
            to: FileTarget(file.descriptor),
            recipients: recipients,
            armored: action.invocation.flag("armor")
        )
        return (try content.outcome(), made.size)
    }
    try file.publish(replacing: action.invocation.flag("force"))
    if let warning = opened.warning { action.console.complain("mildam: \(warning)") }
    let answer = ConversionAnswer(
        output: path,
        from: format.rawValue,
        authenticated: opened.isAuthenticated,
        size: size
    )
    return try action.report.answer(answer) { "converted to \(shown(path)), \(ByteCount.text(Int64(size)))" }
}

private struct ConversionAnswer: Encodable {
    var output: String
    var from: String
    var authenticated: Bool
    var size: Int
}
