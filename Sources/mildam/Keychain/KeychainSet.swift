import MildamCrypto
import MildamKeychain
import MildamTerminal

let keychainSet = ActionCommand(
    ["keychain", "set"],
    summary: "Keep a password or another secret.",
    discussion: """
        The secret comes from standard input, without the line break at its end, or is asked for, twice. An empty one is \
        refused. What is there under exactly this name is replaced, be it another program's or imported, and never \
        deleted first; on a terminal that is asked. The last five values are kept: `mildam keychain history`.
        """,
    operands: [serviceOperand, accountOperand],
    options: itemOptions + [
        OptionSpec("exact", help: "Keep the line break at the end, too."),
        OptionSpec(
            "field",
            value: .init("FIELD"),
            help: "Keep it beside the secret, as a field of this name; of a card, there are fields alone."
        ),
    ] + SecretOption.item.options + KeychainOpening.all,
    examples: [
        .init("mildam keychain set example.org alice < password.txt", "From a file."),
        .init("mildam keychain set example.org alice --field PIN", "Beside the password."),
    ],
    exitNotes: [.init(.refused, "several have the name; they are listed")]
) { action in
    let secret = try action.newSecret()
    let before =
        if let field = action.invocation.value("field") {
            try await action.keep(secret, as: field)
        } else {
            try await action.keep(secret)
        }
    guard let replaced = before else { return try action.report.answer(["kept": true]) { "kept" } }
    return try action.report.answer(ReplacedItem(replaced: replaced)) {
        "kept, in place of what was in \(replaced.name)"
    }
}

private struct ReplacedItem: Encodable {
    var kept = true
    var replaced: ItemLine
}

extension Action {
    /// From where the command line says, from standard input or, where that is a terminal, from whoever sits there.
    fileprivate func newSecret() throws -> SecretValue {
        let secret =
            if let source = try sourceOrInput(of: .item) {
                SecretValue(try content(of: source))
            } else {
                SecretValue(try self.secret(.item, "Secret", confirming: true))
            }
        guard secret.count > 0 else { throw SecretRefusal.empty }
        return secret
    }

    /// All that a place holds; without the line break at its end, unless that is asked for.
    private func content(of source: SecretSource) throws -> SecretBytes {
        guard let read = try content(of: source, limit: SecretValue.maximumSize) else {
            throw KeychainError.invalidRequest(reason: "a secret of more than 4 MiB")
        }
        let text = read.span
        let rest = text.endsLine && !invocation.flag("exact") ? 1 : 0
        return SecretBytes(copying: text.extracting(..<(text.count - rest)))
    }
}
