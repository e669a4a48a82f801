import MildamKeychain
import MildamTerminal

let itemGroupOption = OptionSpec(
    "group",
    value: .init("GROUP"),
    help: "The access group; any unless given, and \(AccessGroup.owners) for what is new."
)

let serverOption = OptionSpec("server", help: "SERVICE is a server: the password is for the network.")

let numberOption = OptionSpec(
    "number",
    value: .init("N"),
    help: "The item of this number, as `mildam keychain list --json` says, where a name fits several."
)

let serviceOperand = Operand("SERVICE", help: "What it is for: a service, a server, or what it is labelled.")

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
