import MildamKeychain

/// An item as it is listed.
struct ItemLine: Encodable {
    var number: Int64
    var kind: ItemKind
    /// The service, the server, or a key's tag.
    var service: String
    var account: String
    var server: String?
    var port: Int64?
    var path: String?
    var label: String?
    var comment: String?
    var group: String
    var accessible: String

    init(_ item: KeychainItem) {
        let attributes = item.attributes
        number = item.reference.number
        kind = ItemKind(item)
        server = attributes.text(.server)
        port = attributes.number(.port)
        path = attributes.text(.path)
        let tag = attributes.data(.applicationTag).map { String(decoding: $0, as: UTF8.self) }
        service = attributes.text(.service) ?? server ?? tag ?? ""
        account = attributes.text(.account) ?? ""
        label = attributes.text(.label)
        comment = attributes.text(.comment)
        group = item.accessGroup
        accessible = KeychainWhen.name(item.accessibility)
    }

    /// "example.org:8443/path".
    private var place: String { service + (port.map { ":\($0)" } ?? "") + (path ?? "") }

    private var rest: [String] { [place, account, label ?? ""].filter { !$0.isEmpty } }

    /// "login  example.org  alice".
    var text: String { shown(([kind.rawValue] + rest).joined(separator: "  ")) }

    /// "login example.org alice (#12)", for a sentence.
    var name: String {
        shown("\(kind.rawValue) \([place, account].filter { !$0.isEmpty }.joined(separator: " ")) (#\(number))")
    }

    /// What one item is told from another by, where a name fits several.
    var candidate: String {
        shown(["#\(number)", kind.rawValue].joined(separator: "  ") + "  " + (rest + [group]).joined(separator: "  "))
    }
}
