import MildamKeychain
import MildamTerminal

/// The options of a command that keeps a secret.
let itemOptions = [
    OptionSpec("label", value: .init("TEXT"), help: "What people see."),
    OptionSpec("comment", value: .init("TEXT"), help: "A note, sealed like every attribute."),
    OptionSpec(
        "accessible",
        value: .init("WHEN", completion: .choices(KeychainWhen.names)),
        help: "When it can be read: \(KeychainWhen.names.joined(separator: ", ")); unlocked unless given."
    ),
    OptionSpec("replace", help: "Do not ask whether what is there is to be replaced."),
    numberOption, serverOption, itemGroupOption,
]

extension Action {
    /// Keeps a secret under the name that the operands say: in the item of that name or, where there is none, in a new one.
    ///
    /// - Returns: what it was put in the place of.
    /// - Throws: `AmbiguousItem`, `ProfileKeyStays`, `Declined`.
    func keep(_ secret: SecretValue) async throws -> ItemLine? {
        let change = try change(secret)
        let name = try itemName()
        let keychain = try await openKeychain()
        guard let item = try ItemChooser(keychain).itemToReplace(named: name) else {
            try keychain.add(newItem(name, change, secret))
            return nil
        }
        let line = ItemLine(item)
        try askWhetherToReplace(line)
        try keychain.replace(item.reference, change)
        return line
    }

    /// Keeps a secret as a field of what the operands name or, where that is not there, as the first field of a card.
    ///
    /// - Returns: what it was put in the place of.
    /// - Throws: `NoItem`, `AmbiguousItem`, `ProfileKeyStays`, `Declined`.
    func keep(_ secret: SecretValue, as field: String) async throws -> ItemLine? {
        guard !field.isEmpty else { throw wrong("--field", "a name") }
        let change = try change(secret)
        let name = try itemName()
        let keychain = try await openKeychain()
        let record = try ItemChooser(keychain).recordToReplace(named: name)
        guard let known = try? record?.item(ofField: field) else {
            try keychain.add(newField(field, name, record, change, secret))
            return nil
        }
        let line = ItemLine(known)
        try askWhetherToReplace(line)
        try keychain.replace(known.reference, change)
        return line
    }

    private func newField(
        _ field: String,
        _ name: ItemName,
        _ record: ItemRecord?,
        _ change: ItemChange,
        _ secret: SecretValue
    ) throws -> NewItem {
        let beside = record?.items.last
        // What is a field alone has no account, and is no server's.
        guard beside != nil || (name.account ?? "").isEmpty && !name.isServer && name.number == nil else {
            throw NoItem(name: name, near: nil)
        }
        guard let reference = beside == nil ? name.text : record?.reference else {
            throw wrong("--field", "left out for what is no password")
        }
        var attributes: ItemAttributes = [.label: .text(beside?.attributes.text(.label) ?? name.text)]
        for (attribute, value) in change.attributes { attributes[attribute] = value }
        attributes[.service] = .text(ImportedLogin.service(named: field))
        attributes[.account] = .text(reference)
        var item = NewItem(.genericPassword, attributes, secret: secret)
        item.accessGroup = beside?.accessGroup ?? name.group
        item.accessibility = change.accessibility ?? beside?.accessibility ?? item.accessibility
        return item
    }

    /// What is to be kept, whether an item is there or not.
    private func change(_ secret: SecretValue) throws(UsageError) -> ItemChange {
        var change = ItemChange(secret: secret)
        try describe(&change)
        return change
    }

    /// Takes what the options say of an item: its label, its note, and when it can be read.
    func describe(_ change: inout ItemChange) throws(UsageError) {
        if let label = invocation.value("label") { change.attributes[.label] = .text(label) }
        if let comment = invocation.value("comment") { change.attributes[.comment] = .text(comment) }
        if let name = invocation.value("accessible") {
            guard let accessibility = KeychainWhen.accessibility(name) else {
                throw wrong("--accessible", KeychainWhen.names.joined(separator: ", "))
            }
            change.accessibility = accessibility
        }
    }

    private func newItem(_ name: ItemName, _ change: ItemChange, _ secret: SecretValue) throws(NoItem) -> NewItem {
        guard name.number == nil else { throw NoItem(name: name, near: nil) }
        var attributes: ItemAttributes = [:]
        for (attribute, value) in change.attributes { attributes[attribute] = value }
        attributes[name.isServer ? .server : .service] = .text(name.text)
        attributes[.account] = .text(name.account ?? "")
        var item = NewItem(name.isServer ? .internetPassword : .genericPassword, attributes, secret: secret)
        item.accessGroup = name.group
        if let accessibility = change.accessibility { item.accessibility = accessibility }
        return item
    }

    /// Asks, where somebody is there to be asked.
    private func askWhetherToReplace(_ line: ItemLine) throws {
        guard !invocation.flag("replace") else { return }
        guard try isAgreed("Replace what is in \(line.name)?") else { throw Declined() }
    }

    private func isAgreed(_ question: String) throws(PromptError) -> Bool {
        do throws(PromptError) {
            return try Prompt().confirm(question, option: "--replace")
        } catch .noTerminal {
            return true
        }
    }
}
