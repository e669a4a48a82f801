import MildamKeychain
import MildamTerminal

let keychainList = ActionCommand(
    ["keychain", "list"],
    summary: "List what is kept, without the secrets.",
    operands: [Operand("SERVICE", help: "Only what is for this.", arity: .optional)],
    options: [serverOption, itemGroupOption] + KeychainOpening.all,
    examples: [.init("mildam keychain list --json", "For a program.")]
) { action in
    var query = KeychainQuery(action.itemClass)
    if let service = action.invocation.optionalOperand("SERVICE") {
        query.attributes[action.serviceAttribute] = .text(service)
    }
    query.accessGroup = action.invocation.value("group")
    query.synchronizable = .any
    let keychain = try await action.openKeychain()
    let found = try keychain.all(query, returningSecrets: false).map(ItemLine.init)
    return try action.report.answer(["items": found]) {
        found.isEmpty ? "nothing" : found.map(\.text).joined(separator: "\n")
    }
}
