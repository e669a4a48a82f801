import MildamTerminal
import MildamVault

let vaultRepair = ActionCommand(
    ["vault", "repair"],
    summary: "Make a new index where the old one is lost, from the files.",
    discussion: """
        Names, times and tags are in the index alone: what is found again is called recovered/…. A damaged index is \
        set aside, never deleted.
        """,
    options: [vaultOption],
    examples: [.init("mildam vault repair", "Entries that are sound stay as they are.")],
    exitNotes: [.init(.damaged, "there are files that do not open; each is named")]
) { action in
    let (folder, root) = (try await action.vaultFolder(), try await action.profile().rootKey)
    let repair = try action.following("repairing") { try Vault.repair(in: folder, rootKey: root, monitor: $0) }
    action.tell(repair.leavings)
    let answer = RepairAnswer(
        setAside: repair.setAside,
        recovered: repair.recovered.map(\.name.description),
        unreadable: repair.unreadable.map { .init(path: $0.path, error: "\($0.error)") }
    )
    for file in answer.unreadable { action.report.note("\(file.path): \(file.error)") }
    try action.report.answer(answer) {
        let index = repair.setAside.map { "; the old index is \(shown($0))" } ?? ""
        return "recovered \(repair.recovered.count), \(repair.unreadable.count) do not open\(index)"
    }
    return repair.unreadable.isEmpty ? .done : .damaged
}

private struct RepairAnswer: Encodable {
    struct Unreadable: Encodable {
        var path: String
        var error: String
    }
    var setAside: String?
    var recovered: [String]
    var unreadable: [Unreadable]
}
