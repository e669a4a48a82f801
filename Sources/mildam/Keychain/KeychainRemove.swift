import MildamKeychain
import MildamTerminal

let keychainRemove = ActionCommand(
    ["keychain", "remove"],
    summary: "Remove a secret.",
    discussion: """
        One item, of exactly this name, with the fields that were kept with it. Where several have the name, none is \
        removed, and they are listed. What is removed is kept for 30 days, sealed as it was: `mildam keychain trash` \
        lists it, and puts it back.
        """,
    operands: [serviceOperand, accountOperand],
    options: [
        OptionSpec("for-good", help: "Keep nothing of it, nor of the values that it had before."),
        fieldOption, numberOption, serverOption, itemGroupOption,
    ] + KeychainOpening.all,
    examples: [
        .init("mildam keychain remove example.org alice", "Everything else stays."),
        .init("mildam keychain remove example.org alice --for-good", "Nothing of it can be put back."),
    ],
    exitNotes: [.init(.notFound, "there is none"), .init(.refused, "several have the name; they are listed")]
) { action in
    let keychain = try await action.openKeychain()
    let record = try action.recordToRemove(from: ItemChooser(keychain))
    let line = ItemLine(record)
    if action.invocation.flag("for-good") {
        for item in record.items { try keychain.erase(item.reference) }
        return try action.report.answer(RemovedRecord(removed: record.items.count, item: line)) {
            "removed \(line.name) for good"
        }
    }
    // The login comes last: its number restores all of it.
    var past: PastItem?
    for item in record.items { past = try keychain.trash(item.reference) }
    let answer = RemovedRecord(
        removed: record.items.count,
        item: line,
        past: past?.number,
        keptUntil: past?.keptUntil.map(action.time)
    )
    let promise = past?.promise ?? ""
    return try action.report.answer(answer) { "removed \(line.name)\(promise)" }
}

extension Action {
    fileprivate func recordToRemove(from chooser: ItemChooser) throws -> ItemRecord {
        guard invocation.value("field") == nil else {
            return ItemRecord(main: try itemToChange(from: chooser), fields: [])
        }
        return try chooser.recordToChange(named: try itemName())
    }
}

private struct RemovedRecord: Encodable {
    /// How many items.
    var removed: Int
    var item: ItemLine
    /// What restores it; missing where nothing does.
    var past: Int64?
    var keptUntil: String?
}
