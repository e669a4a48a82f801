import MildamFiles
import MildamSystem
import MildamTerminal

let fileKeygen = ActionCommand(
    ["file", "keygen"],
    summary: "Make a key that files can be encrypted to.",
    discussion: "The file is one of age's: `age` reads it, too. Its recipient, which others may see, is printed.",
    options: [outputOption, forceOption],
    examples: [.init("mildam file keygen -o key.txt", "The key is in key.txt; the recipient is shown.")]
) { action in
    let target = try FileTarget(action.invocation)
    let identity = AgeX25519Identity()
    let text = AgeKeyFile.text(of: identity, created: WallClock.system.seconds)
    try target.write(text.span)
    guard let path = action.outputPath else {
        if !action.console.isTerminal() { action.console.complain("recipient: \(identity.recipient)") }
        action.warn("this key", identity.recipient)
        return .done
    }
    action.warn(path, identity.recipient)
    return try action.report.answer(["identity": path, "recipient": "\(identity.recipient)"]) {
        "\(identity.recipient)"
    }
}

extension Action {
    /// Says what to keep safe; on standard error, since a script takes the recipient from standard output.
    fileprivate func warn(_ key: String, _ recipient: AgeX25519Recipient) {
        report.note(
            "keep \(key) safe: without it, nothing opens that is encrypted to \(recipient); "
                + "whoever has it opens all of it"
        )
    }
}
