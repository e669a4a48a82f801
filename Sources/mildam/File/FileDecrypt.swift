import MildamFiles
import MildamTerminal

let fileDecrypt = ActionCommand(
    ["file", "decrypt"],
    summary: "Decrypt a file: age, RNCryptor, or an older layout that is named.",
    discussion: """
        What kind of file it is, age and RNCryptor files say themselves. With -o, the content of one of them \
        appears when every part of it was found right.

        To standard output, an age file goes chunk by chunk, each found right before it goes: when a later one is \
        damaged, those before it are out. The exit status tells. Other files are read to their end first, and \
        kept, encrypted, in a temporary file in $TMPDIR for that long.
        """,
    operands: [inputOperand],
    options: [identityOption, passphraseKnownOption] + SecretOption.filePassphrase.options + layoutOptions + [
        outputOption, forceOption,
    ],
    examples: [
        .init("mildam file decrypt -i key.txt -o letter.txt letter.age", "With a key."),
        .init("mildam file decrypt -o old.txt old.rncryptor", "With a password, which is asked for."),
        .init(
            "mildam file decrypt --format aes256-category -o old.txt old.bin",
            "A layout without authentication: that it opened does not say that it is what was written."
        ),
    ],
    exitNotes: [
        .init(.wrongSecret, "no key or passphrase opens it, or what the format cannot tell from that"),
        .init(.damaged, "it is damaged: it was opened and is not what was written, or is no file of its format"),
    ]
) { action in
    let target = try FileTarget(action.invocation)
    let input = try action.input()
    let format = try action.format(of: input)
    let opening = try action.opening(of: input, as: format)
    let opened = try action.following("decrypting \(input.label)", to: target) { monitor in
        try InputError.naming(input.label) { try opening(target, monitor) }
    }
    if let warning = opened.warning { action.console.complain("mildam: \(warning)") }
    guard let path = action.outputPath else { return .done }
    return try action.report.answer(opened.answer(path)) {
        "decrypted to \(shown(path)), \(ByteCount.text(Int64(opened.size)))"
    }
}
