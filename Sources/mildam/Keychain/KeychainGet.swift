import FoundationEssentials
import MildamKeychain
import MildamTerminal

let keychainGet = ActionCommand(
    ["keychain", "get"],
    summary: "Print a secret.",
    discussion: "As it was kept, byte by byte; on a terminal a line break follows.",
    operands: [serviceOperand, accountOperand],
    options: [serverOption, itemGroupOption] + KeychainOpening.all,
    examples: [.init("mildam keychain get example.org alice", "Standard output is a program's best.")],
    exitNotes: [.init(.notFound, "there is none"), .init(.damaged, "it does not open, and was kept as it is")]
) { action in
    let item = try await action.openKeychain().item(action.query())
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
    var service: String
    var account: String
    var secret: String?
    var base64: String?

    init(_ item: KeychainItem, _ bytes: Data) {
        let line = ItemLine(item)
        service = line.service
        account = line.account
        secret = item.secret?.text
        base64 = secret == nil ? bytes.base64EncodedString() : nil
    }
}
