import MildamTerminal

let vaultVerify = ActionCommand(
    ["vault", "verify"],
    summary: "Read every file, and hold it against what was added.",
    discussion: """
        One that is interrupted goes on where it was. What is found damaged is stored anew when the same content is added \
        again.
        """,
    options: [OptionSpec("anew", help: "Begin again, whatever an interrupted one has read."), vaultOption],
    examples: [.init("mildam vault verify", "Every chunk, and the digest of every content.")],
    exitNotes: [.init(.damaged, "something is damaged, missing or unknown; each is named")]
) { action in
    let vault = try await action.openVault(changing: true)
    let found = try action.following("verifying") { monitor in
        try vault.verify(resuming: !action.invocation.flag("anew"), monitor: monitor) { _, error in
            if let error { action.report.note("\(error)") }
        }
    }
    for path in found.unknown { action.report.note("the index does not know \(path)") }
    let answer = VerificationAnswer(
        sound: found.sound,
        foundBefore: found.foundBefore,
        damaged: found.damaged.map { .init(name: $0.name.description, error: "\($0.error)") },
        unknown: found.unknown
    )
    try action.report.answer(answer) {
        let before = found.foundBefore > 0 ? ", \(found.foundBefore) of them before" : ""
        return "\(found.sound + found.foundBefore) sound\(before), \(found.damaged.count) damaged, "
            + "\(found.unknown.count) unknown"
    }
    return found.isClean ? .done : .damaged
}

private struct VerificationAnswer: Encodable {
    struct Damage: Encodable {
        var name: String
        var error: String
    }
    var sound: Int
    var foundBefore: Int
    var damaged: [Damage]
    var unknown: [String]
}
