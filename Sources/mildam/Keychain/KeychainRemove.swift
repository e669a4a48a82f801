import MildamKeychain
import MildamTerminal

let keychainRemove = ActionCommand(
    ["keychain", "remove"],
    summary: "Remove a secret.",
    discussion: "One item, of exactly this name. Where several have it, none is removed, and they are listed.",
    operands: [serviceOperand, accountOperand],
    options: [numberOption, serverOption, itemGroupOption] + KeychainOpening.all,
    examples: [.init("mildam keychain remove example.org alice", "Everything else stays.")],
    exitNotes: [.init(.notFound, "there is none"), .init(.refused, "several have the name; they are listed")]
) { action in
    let keychain = try await action.openKeychain()
    let item = try ItemChooser(keychain).itemToChange(named: try action.itemName())
    let count = try keychain.delete(KeychainQuery(item.reference))
    let line = ItemLine(item)
    return try action.report.answer(RemovedItem(removed: count, item: line)) { "removed \(line.name)" }
}

private struct RemovedItem: Encodable {
    var removed: Int
    var item: ItemLine
}
