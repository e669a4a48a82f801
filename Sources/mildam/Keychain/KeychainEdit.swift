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
        nobody else may read; it is erased at the end, also where the editor fails. Other programs of this user can read \
        it meanwhile. Where the keychain was locked while the editor ran, it is opened again; what cannot be kept is left \
        in the file, which is named.
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
    if let change = try action.changes(of: chosen) {
        let record = try chooser.record(of: chosen)
        try keychain.replace(chosen.reference, change, unlessChangedSince: chosen.lastChange)
        try action.rename(record.fields, of: chosen, in: keychain)
    } else if try await !action.editSecret(of: chosen, in: keychain) {
        return try action.report.answer(["changed": false]) { "nothing was changed" }
    }
    return try action.report.answer(["changed": true]) { "changed \(ItemLine(chosen).name)" }
}

extension Action {
    /// What the options say of the item; `nil` where they say nothing.
    fileprivate func changes(of item: KeychainItem) throws(UsageError) -> ItemChange? {
        guard changeOptions.contains(where: { invocation.value($0.long) != nil }) else { return nil }
        var change = ItemChange()
        try describe(&change)
        if let account = invocation.value("new-account") { change.attributes[.account] = .text(account) }
        if let service = invocation.value("new-service") {
            change.attributes[item.itemClass == .internetPassword ? .server : .service] = .text(service)
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

    /// Has the secret be changed in an editor, and keeps what that leaves.
    ///
    /// - Returns: whether it was changed.
    /// - Throws: `LeftSecret` where what was written cannot be kept.
    fileprivate func editSecret(of item: KeychainItem, in opened: any KeychainWithPast) async throws -> Bool {
        guard let command = Console.variable("VISUAL") ?? Console.variable("EDITOR") else {
            throw wrong("EDITOR", "set to an editor, or give what is to be changed by an option")
        }
        guard let secret = try opened.item(KeychainQuery(item.reference)).secret else {
            throw KeychainError.itemNotFound
        }
        var editor = try SecretEditor()
        guard let edited = try editor.edited(secret, with: command) else { return false }
        guard edited.count > 0 else { throw SecretRefusal.empty }
        do {
            var keychain = opened
            // An agent that is locked or ended again and again is not opened for ever.
            for _ in 0..<3 {
                guard let obstacle = try keep(edited, in: item, of: keychain) else { return true }
                let path = editor.leave()
                let place = "until it is kept, what was written is in \(path)"
                console.complain(shown("mildam: \(obstacle.sinceOpened); \(place)"))
                editor.letSignals()
                keychain = try await openKeychain()
                try editor.takeBack()
            }
            if let obstacle = try keep(edited, in: item, of: keychain) { throw obstacle }
            return true
        } catch {
            let left = LeftSecret(path: editor.leave(), error: error)
            // A signal that came meanwhile ends this program before the error is told.
            if editor.isInterrupted { console.complain(shown("mildam: \(left)")) }
            editor.letSignals()
            throw left
        }
    }

    /// Keeps a secret that was edited.
    ///
    /// - Returns: why it is not kept, where the keychain has to be opened again first.
    private func keep(
        _ secret: SecretValue,
        in item: KeychainItem,
        of keychain: any KeychainWithPast
    ) throws(KeychainError) -> KeychainError? {
        do throws(KeychainError) {
            try keychain.replace(item.reference, ItemChange(secret: secret), unlessChangedSince: item.lastChange)
            return nil
        } catch {
            switch error {
            case .locked, .agent: return error
            case .changedMeanwhile:
                // An agent that went away may have kept it before.
                guard let now = try keychain.item(KeychainQuery(item.reference)).secret, now.constantTimeEquals(secret)
                else { throw error }
                return nil
            default: throw error
            }
        }
    }
}

extension KeychainItem {
    /// Every item has the date: it is the keychain that writes it.
    fileprivate var lastChange: Int64 { attributes.date(.modificationDate) ?? 0 }
}

extension KeychainError {
    /// What became of the keychain since it was opened.
    fileprivate var sinceOpened: String {
        self == .locked ? "the keychain was locked meanwhile" : "the keychain's agent answers no more"
    }
}
