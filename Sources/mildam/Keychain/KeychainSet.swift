import Glibc
import MildamCrypto
import MildamKeychain
import MildamTerminal

let keychainSet = ActionCommand(
    ["keychain", "set"],
    summary: "Keep a password or another secret.",
    discussion: """
        The secret comes from standard input, without the line break at its end, or is asked for. What is there under \
        the same name is replaced, whatever access group it is in, and never deleted first. Where several groups have \
        one, nothing is changed until --group says which is meant.
        """,
    operands: [serviceOperand, accountOperand],
    options: [
        OptionSpec("label", value: .init("TEXT"), help: "What people see."),
        OptionSpec("comment", value: .init("TEXT"), help: "A note, sealed like every attribute."),
        OptionSpec(
            "accessible",
            value: .init("WHEN", completion: .choices(KeychainWhen.names)),
            help: "When it can be read: \(KeychainWhen.names.joined(separator: ", ")); unlocked unless given."
        ),
        OptionSpec("exact", help: "Keep the line break at the end, too."), serverOption, itemGroupOption,
    ] + KeychainOpening.all,
    examples: [.init("mildam keychain set example.org alice < password.txt", "From a file.")]
) { action in
    var item = NewItem(action.itemClass, action.attributes(), secret: try action.newSecret())
    item.accessGroup = action.invocation.value("group")
    if let label = action.invocation.value("label") { item.attributes[.label] = .text(label) }
    if let comment = action.invocation.value("comment") { item.attributes[.comment] = .text(comment) }
    if let name = action.invocation.value("accessible") {
        guard let accessibility = KeychainWhen.accessibility(name) else {
            throw action.wrong("--accessible", KeychainWhen.names.joined(separator: ", "))
        }
        item.accessibility = accessibility
    }
    try await action.openKeychain().set(item)
    return try action.report.answer(["kept": true]) { "kept" }
}

extension Action {
    /// From standard input or, where that is a terminal, from whoever sits there.
    fileprivate func newSecret() throws -> SecretValue {
        guard isatty(STDIN_FILENO) == 0 else {
            return SecretValue(
                try Prompt().password("Secret: ", option: "standard input") { SecretBytes(copying: $0) }
            )
        }
        guard var bytes = try StandardInput.bytes(limit: SecretValue.maximumSize) else {
            throw KeychainError.invalidRequest(reason: "a secret of more than 4 MiB")
        }
        defer { bytes.wipe() }
        if !invocation.flag("exact"), bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return SecretValue(copying: bytes.span)
    }
}
