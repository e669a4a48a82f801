import MildamKeychain
import MildamTerminal

private let changeOptions = [
    OptionSpec("label", value: .init("TEXT"), help: "What people are to see."),
    OptionSpec("comment", value: .init("TEXT"), help: "Another note."),
    OptionSpec(
        "accessible",
        value: .init("WHEN", completion: .choices(KeychainWhen.names)),
        help: "When it can be read from now on: \(KeychainWhen.names.joined(separator: ", "))."
    ),
    OptionSpec("new-service", value: .init("SERVICE"), help: "What it is for from now on, or on which server."),
    OptionSpec("new-account", value: .init("ACCOUNT"), help: "Whose it is from now on."),
]

let keychainEdit = ActionCommand(
    ["keychain", "edit"],
    summary: "Change an item: its secret in an editor, or what is said of it.",
    discussion: """
        Without an option of what is to be changed, VISUAL or EDITOR is started on the secret, in a file in memory that \
        nobody else may read; it is erased when the editor ends. Other programs of this user can read it meanwhile.
        """,
    operands: [serviceOperand, accountOperand],
    options: changeOptions + [fieldOption, numberOption, serverOption, itemGroupOption] + KeychainOpening.all,
    examples: [
        .init("EDITOR=nano mildam keychain edit mail", "The secret."),
        .init("mildam keychain edit mail me --new-account you", "What is said of it; the secret stays."),
    ],
    exitNotes: [
        .init(.notFound, "there is none"),
        .init(.refused, "several have the name, or another program has changed it meanwhile"),
    ]
) { action in
    let keychain = try await action.openKeychain()
    let chooser = ItemChooser(keychain)
    let chosen = try action.itemToChange(from: chooser)
    let query = KeychainQuery(chosen.reference)
    guard let change = try action.changes(of: chosen) ?? action.editedSecret(of: keychain.item(query)) else {
        return try action.report.answer(["changed": false]) { "nothing was changed" }
    }
    let record = try chooser.record(of: chosen)
    // Every item has the date: it is the keychain that writes it.
    let seen = chosen.attributes.date(.modificationDate) ?? 0
    try keychain.replace(chosen.reference, change, unlessChangedSince: seen)
    try action.rename(record.fields, of: chosen, in: keychain)
    return try action.report.answer(["changed": true]) { "changed \(ItemLine(chosen).name)" }
}

extension Action {
    /// What the options say of the item; `nil` where they say nothing.
    fileprivate func changes(of item: KeychainItem) throws(UsageError) -> ItemChange? {
        guard changeOptions.contains(where: { invocation.value($0.long) != nil }) else { return nil }
        var change = ItemChange()
        if let label = invocation.value("label") { change.attributes[.label] = .text(label) }
        if let comment = invocation.value("comment") { change.attributes[.comment] = .text(comment) }
        if let account = invocation.value("new-account") { change.attributes[.account] = .text(account) }
        if let service = invocation.value("new-service") {
            change.attributes[item.itemClass == .internetPassword ? .server : .service] = .text(service)
        }
        if let name = invocation.value("accessible") {
            guard let accessibility = KeychainWhen.accessibility(name) else {
                throw wrong("--accessible", KeychainWhen.names.joined(separator: ", "))
            }
            change.accessibility = accessibility
        }
        return change
    }

    /// Has the fields of a login go by its new name.
    fileprivate func rename(
        _ fields: [ItemRecord.Field],
        of item: KeychainItem,
        in keychain: any Keychain
    ) throws {
        guard !fields.isEmpty, let now = try keychain.all(KeychainQuery(item.reference), returningSecrets: false).first,
            let reference = ImportedLogin.reference(of: now)
        else { return }
        var shared = ItemChange()
        if reference != ImportedLogin.reference(of: item) { shared.attributes[.account] = .text(reference) }
        if let label = invocation.value("label") { shared.attributes[.label] = .text(label) }
        guard !shared.attributes.isEmpty else { return }
        for field in fields { try keychain.update(KeychainQuery(field.item.reference), shared) }
    }

    /// The secret as an editor leaves it; `nil` where it stayed as it was.
    fileprivate func editedSecret(of item: KeychainItem) throws -> ItemChange? {
        guard let editor = Console.variable("VISUAL") ?? Console.variable("EDITOR") else {
            throw wrong("EDITOR", "set to an editor, or give what is to be changed by an option")
        }
        guard let secret = item.secret else { throw KeychainError.itemNotFound }
        guard let edited = try SecretEditor().edited(secret, with: editor) else { return nil }
        guard edited.count > 0 else { throw SecretRefusal.empty }
        return ItemChange(secret: edited)
    }
}
