import FoundationEssentials
import MildamKeychain
import MildamTerminal

let keychainGet = ActionCommand(
    ["keychain", "get"],
    summary: "Print a secret.",
    discussion: """
        As it was kept, byte by byte; on a terminal a line break follows. A part of a name is enough where only one item \
        has it.
        """,
    operands: [serviceOperand, accountOperand],
    options: [numberOption, serverOption, itemGroupOption] + KeychainOpening.all,
    examples: [
        .init("mildam keychain get example.org alice", "Standard output is a program's best."),
        .init("mildam keychain get git", "The only item that has this in its name."),
    ],
    exitNotes: [
        .init(.notFound, "there is none; the nearest name is said"),
        .init(.refused, "several have the name; they are listed"),
        .init(.damaged, "it does not open, and was kept as it is"),
    ]
) { action in
    let keychain = try await action.openKeychain()
    let chosen = try ItemChooser(keychain).item(named: try action.itemName())
    let item = try keychain.item(KeychainQuery(chosen.reference))
    guard let secret = item.secret else { throw KeychainError.itemNotFound }
    if action.report.isJSON {
        var bytes = secret.bytes
        defer { bytes.wipe() }
        return try action.report.answer(SecretLine(item, Data(bytes))) { "" }
    }
    try action.writeOut(secret)
    return .done
}

/// A secret for a program: text where it is text, base64 otherwise.
private struct SecretLine: Encodable {
    var kind: ItemKind
    var service: String
    var account: String
    var secret: String?
    var base64: String?

    init(_ item: KeychainItem, _ bytes: Data) {
        let line = ItemLine(item)
        kind = line.kind
        service = line.service
        account = line.account
        secret = item.secret?.text
        base64 = secret == nil ? bytes.base64EncodedString() : nil
    }
}
