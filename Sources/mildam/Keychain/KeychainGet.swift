import FoundationEssentials
import MildamKeychain
import MildamTerminal

let keychainGet = ActionCommand(
    ["keychain", "get"],
    summary: "Print a secret.",
    discussion: """
        As it was kept, byte by byte; on a terminal a line break follows. A part of a name is enough where only one item \
        has it.

        \(clipboardNote)
        """,
    operands: [serviceOperand, accountOperand],
    options: clipboardOptions + [fieldOption, numberOption, serverOption, itemGroupOption] + KeychainOpening.all,
    examples: [
        .init("mildam keychain get example.org alice", "Standard output is a program's best."),
        .init("mildam keychain get git --copy", "The only item that has this in its name, to be pasted."),
        .init("mildam keychain get example.org --field note", "What was written beside it."),
    ],
    exitNotes: [
        .init(.notFound, "there is none; the nearest name is said. Or it has no such field"),
        .init(.refused, "several have the name; they are listed. Or there is no clipboard"),
        .init(.damaged, "it does not open, and was kept as it is"),
    ]
) { action in
    let clipboard = try action.clipboard()
    let keychain = try await action.openKeychain()
    let chosen = try action.item(from: ItemChooser(keychain))
    let item = try keychain.item(KeychainQuery(chosen.reference))
    guard let secret = item.secret else { throw KeychainError.itemNotFound }
    if let clipboard {
        try action.lend(try secret.copyable(item), "the secret of \(ItemLine(item).name)", to: clipboard)
        return .done
    }
    if action.report.isJSON {
        var bytes = secret.bytes
        defer { bytes.wipe() }
        return try action.report.answer(SecretLine(item, Data(bytes))) { "" }
    }
    try action.writeOut(secret)
    return .done
}

extension SecretValue {
    /// The same, if a clipboard can hold it.
    ///
    /// - Throws: `NotCopyable`.
    fileprivate func copyable(_ item: KeychainItem) throws(NotCopyable) -> SecretValue {
        let isText = withSpan { text in text.isUTF8 && text.indices.allSatisfy { text[$0] != 0 } }
        guard isText, count <= Clipboard.longestText else {
            throw NotCopyable(name: ItemLine(item).name)
        }
        return self
    }
}

/// A secret that no clipboard holds.
struct NotCopyable: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    let name: String

    var description: String {
        "the secret of \(name) is no text of at most 64 KiB: have it printed, and not copied"
    }
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
