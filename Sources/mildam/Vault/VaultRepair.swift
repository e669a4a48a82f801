import MildamFiles
import MildamTerminal
import MildamVault

let vaultRepair = ActionCommand(
    ["vault", "repair"],
    summary: "Make a new index where the old one is lost, from the files and the copy of their names.",
    discussion: """
        Names, times, tags and former versions come back from the copy that lies beside the files. A file that it says \
        nothing of is called recovered/…. A damaged index is set aside, never deleted.

        With --identity, a recipient's key is enough: the vault's own keys may be lost, or the profile that they lie \
        under. The vault gets new ones in this profile then, and every file is encrypted anew for them and for the \
        recipient. Interrupted, it is finished by the same command.
        """,
    options: [
        identityOption,
        OptionSpec(
            "recipient",
            short: "r",
            value: .init("RECIPIENT"),
            help: "With --identity: who else can open every file of a vault that gets new keys.",
            isRepeatable: true
        ),
        vaultOption,
    ] + SecretOption.identityPassphrase.options,
    examples: [
        .init("mildam vault repair", "Entries that are sound stay as they are."),
        .init("mildam vault repair --vault ./vault -i spare.txt", "In a new profile, with the key that lay in a safe."),
    ],
    exitNotes: [.init(.damaged, "there are files that do not open, or are missing; each is named")]
) { action in
    let others = try action.spareIdentities()
    let recipients = try action.recipients(besides: others)
    let (folder, root) = (try await action.vaultFolder(), try await action.profile().rootKey)
    let repair = try action.following("repairing") { monitor in
        try Vault.repair(in: folder, rootKey: root, opening: others, recipients: recipients, monitor: monitor)
    }
    action.tell(repair.leavings)
    let answer = RepairAnswer(repair)
    for file in answer.unreadable { action.report.note("\(file.path): \(file.error)") }
    for name in answer.missing { action.report.note("\(name): its file is missing; restore it from a backup") }
    if repair.damagedNames > 0 {
        action.report.note("\(EntrySum.text(repair.damagedNames)) of the copy of the names cannot be read")
    }
    if !repair.areNamesProven {
        action.report.note("without the vault's own keys, nobody can tell who wrote the copy of the names")
    }
    try action.report.answer(answer) { answer.text }
    return answer.unreadable.isEmpty && answer.missing.isEmpty ? .done : .damaged
}

extension Action {
    /// The keys of recipients that `--identity` names.
    fileprivate func spareIdentities() throws -> [any AgeIdentity] {
        let interaction = pluginInteraction
        let questions = AgeKeyQuestions { file in try secret(.identityPassphrase, "Passphrase of \(file)") }
        return try invocation.values("identity").flatMap { path in
            let path = try keyFile(path, of: "identity")
            return try KeyFileError.naming(path) { () throws(AgeKeyError) in
                try AgeKeyFile.identities(at: path, interaction: interaction, questions: questions)
            }
        }
    }

    /// Who can open the files of a vault that gets new keys: those that are named, and whose key this is, where it says so.
    fileprivate func recipients(besides identities: [any AgeIdentity]) throws -> [String] {
        let named = invocation.values("recipient")
        guard named.isEmpty || !identities.isEmpty else {
            throw wrong("--recipient", "left out: it is for --identity, and `mildam vault rekey` names recipients")
        }
        let own = identities.compactMap { ($0 as? AgeX25519Identity).map { "\($0.recipient)" } }
        return named + own.filter { !named.contains($0) }
    }
}

private struct RepairAnswer: Encodable {
    struct Unreadable: Encodable {
        var path: String
        var error: String
    }
    /// Where the old index is now.
    var setAside: String?
    /// Where the old keys are now.
    var keysSetAside: String?
    var recovered: [String]
    /// How many of them have their own names.
    var named: Int
    /// How many former versions came back.
    var former: Int
    var missing: [String]
    var unreadable: [Unreadable]

    init(_ repair: VaultRepair) {
        setAside = repair.setAside
        keysSetAside = repair.keysSetAside
        recovered = repair.recovered.map(\.name.description)
        named = repair.namedCount
        former = repair.formerCount
        missing = repair.missing.map(\.description)
        unreadable = repair.unreadable.map { Unreadable(path: $0.path, error: "\($0.error)") }
    }

    /// "recovered 4, 3 under their names, 0 do not open; the old index is …".
    var text: String {
        var parts = ["recovered \(recovered.count)"]
        if !recovered.isEmpty { parts.append("\(named) under their names") }
        if former > 0 { parts.append(former == 1 ? "1 former version" : "\(former) former versions") }
        parts.append("\(unreadable.count) do not open")
        if !missing.isEmpty { parts.append("\(missing.count) missing") }
        var text = parts.joined(separator: ", ")
        if let setAside { text += "; the old index is \(shown(setAside))" }
        if let keysSetAside { text += "; the old keys are \(shown(keysSetAside))" }
        return text
    }
}
