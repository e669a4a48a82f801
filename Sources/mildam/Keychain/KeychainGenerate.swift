import MildamKeychain
import MildamTerminal

let keychainGenerate = ActionCommand(
    ["keychain", "generate"],
    summary: "Make a password, and keep it.",
    discussion: """
        Of random characters or, with --words, of random syllables that can be read out and typed. It is printed only \
        where that is asked for. What is there under the same name is replaced as by `mildam keychain set`.

        \(clipboardNote)
        """,
    operands: [serviceOperand, accountOperand],
    options: [
        OptionSpec("length", value: .init("N"), help: "So many characters, from 8 to 256; 20 unless given."),
        OptionSpec(
            "words",
            value: .init("N"),
            help: "So many words of five letters in place of characters, from 3 to 32."
        ),
        OptionSpec("no-symbols", help: "Letters and digits alone."),
        OptionSpec("show", help: "Print it."),
    ] + clipboardOptions + itemOptions + KeychainOpening.all,
    examples: [
        .init("mildam keychain generate example.org alice --copy", "To be pasted where it is asked for."),
        .init("mildam keychain generate wifi --words 5 --show", "Can be read out."),
    ],
    exitNotes: [.init(.refused, "several have the name, or there is no clipboard")]
) { action in
    guard !(action.invocation.flag("copy") && action.invocation.flag("show")) else {
        throw action.wrong("--show", "left out with --copy")
    }
    let generated = try action.generatedSecret()
    let clipboard = try action.clipboard()
    let replaced = try await action.keep(generated.secret)
    if let clipboard {
        try action.lend(generated.secret, "the new password", to: clipboard)
        return .done
    }
    let text = action.invocation.flag("show") ? generated.secret.text : nil
    return try action.report.answer(GeneratedAnswer(bits: generated.entropy, secret: text, replaced: replaced)) {
        let place = replaced.map { ", in place of what was in \($0.name)" } ?? ""
        return text ?? "kept a password of \(generated.entropy) bits\(place)"
    }
}

extension Action {
    fileprivate func generatedSecret() throws(UsageError) -> GeneratedSecret {
        let length = try invocation.integer("length", in: 8...256)
        if let words = try invocation.integer("words", in: 3...32) {
            guard length == nil, !invocation.flag("no-symbols") else {
                throw wrong("--words", "left out with --length and --no-symbols")
            }
            return .words(words)
        }
        return .characters(length ?? 20, hasSymbols: !invocation.flag("no-symbols"))
    }
}

private struct GeneratedAnswer: Encodable {
    var kept = true
    var bits: Int
    var secret: String?
    var replaced: ItemLine?
}
