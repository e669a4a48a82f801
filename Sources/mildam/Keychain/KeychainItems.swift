import MildamKeychain
import MildamTerminal

let itemGroupOption = OptionSpec(
    "group",
    value: .init("GROUP"),
    help: "The access group: any unless given; what is new goes into \(AccessGroup.owners)."
)

let serverOption = OptionSpec("server", help: "SERVICE is a server: the password is for the network.")

let numberOption = OptionSpec(
    "number",
    value: .init("N"),
    help: "The item of this number, as `mildam keychain list --json` says, where a name fits several."
)

let serviceOperand = Operand(
    "SERVICE",
    help: "What it is for: a service, a server, or what it is labelled.",
    completion: KnownNames.item.completion
)

let accountOperand = Operand(
    "ACCOUNT",
    help: "Whose it is there; not needed where there is only one.",
    arity: .optional
)

/// The items that a command is about.
extension Action {
    /// The name that the operands say.
    func itemName() throws(UsageError) -> ItemName {
        ItemName(
            text: invocation.operand("SERVICE"),
            account: invocation.optionalOperand("ACCOUNT"),
            number: try invocation.integer("number", in: 1...Int64.max),
            group: invocation.value("group"),
            isServer: invocation.flag("server")
        )
    }
}

let fieldOption = OptionSpec(
    "field",
    value: .init("FIELD"),
    help: "A field that was kept with it, such as its note, in place of its secret."
)

/// The item that a command is about, or the field of it that is named.
extension Action {
    /// The item that is to be read.
    ///
    /// - Throws: `NoItem`, `AmbiguousItem`, `NoField`, `FieldNeeded`.
    func item(from chooser: ItemChooser) throws -> KeychainItem {
        let name = try itemName()
        guard let field = invocation.value("field") else { return try chooser.item(named: name) }
        return try chooser.record(named: name).item(ofField: field)
    }

    /// The item that is to be changed.
    ///
    /// - Throws: as for ``item(from:)``; `ProfileKeyStays`.
    func itemToChange(from chooser: ItemChooser) throws -> KeychainItem {
        let name = try itemName()
        guard let field = invocation.value("field") else { return try chooser.itemToChange(named: name) }
        return try chooser.recordToChange(named: name).item(ofField: field)
    }
}
