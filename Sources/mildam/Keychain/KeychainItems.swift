import MildamKeychain
import MildamTerminal

let itemGroupOption = OptionSpec(
    "group",
    value: .init("GROUP"),
    help: "The access group; any unless given, and \(AccessGroup.owners) for what is new."
)

let serverOption = OptionSpec("server", help: "SERVICE is a server: the password is for the network.")

let serviceOperand = Operand("SERVICE", help: "What it is for.")

let accountOperand = Operand("ACCOUNT", help: "Whose it is there.")

/// The items that a command is about.
extension Action {
    var itemClass: ItemClass { invocation.flag("server") ? .internetPassword : .genericPassword }

    var serviceAttribute: ItemAttribute { invocation.flag("server") ? .server : .service }

    func attributes() -> ItemAttributes {
        var attributes: ItemAttributes = [:]
        attributes[serviceAttribute] = .text(invocation.operand("SERVICE"))
        attributes[.account] = .text(invocation.operand("ACCOUNT"))
        return attributes
    }

    func query() -> KeychainQuery {
        var query = KeychainQuery(itemClass, attributes())
        query.accessGroup = invocation.value("group")
        query.synchronizable = .any
        return query
    }
}

/// An item as it is listed.
struct ItemLine: Encodable {
    var number: Int64
    var service: String
    var account: String
    var label: String?
    var comment: String?
    var group: String
    var accessible: String

    init(_ item: KeychainItem) {
        number = item.reference.number
        service = item.attributes.text(.service) ?? item.attributes.text(.server) ?? ""
        account = item.attributes.text(.account) ?? ""
        label = item.attributes.text(.label)
        comment = item.attributes.text(.comment)
        group = item.accessGroup
        accessible = KeychainWhen.name(item.accessibility)
    }

    var text: String { shown([service, account, label ?? ""].filter { !$0.isEmpty }.joined(separator: "  ")) }
}
