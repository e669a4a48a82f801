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
    /// Missing where there are none.
    var fields: [FieldLine]?

    /// A field of a login or a card.
    struct FieldLine: Encodable {
        var name: String
        var number: Int64
    }

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

    /// A record goes by its login or, where it has none, by what its fields have in common.
    init(_ record: ItemRecord) {
        self.init(record.items[record.items.count - 1])
        guard !record.fields.isEmpty else { return }
        fields = record.fields.map { FieldLine(name: $0.name, number: $0.item.reference.number) }
        guard record.main == nil else { return }
        number = record.fields[0].item.reference.number
        kind = .record
        (service, account) = (account, "")
        if label == service { label = nil }
    }

    /// "example.org:8443/path".
    var place: String { service + (port.map { ":\($0)" } ?? "") + (path ?? "") }

    private var rest: [String] { [place, account, label ?? ""].filter { !$0.isEmpty } }

    private var fieldNames: String { (fields ?? []).map(\.name).joined(separator: ", ") }

    /// "login  example.org  alice  (note, PIN)".
    var text: String {
        let names = fieldNames
        return shown(([kind.rawValue] + rest + (names.isEmpty ? [] : ["(\(names))"])).joined(separator: "  "))
    }

    /// "login example.org alice (#12) with note, PIN", for a sentence.
    var name: String {
        let (words, names) = ([place, account].filter { !$0.isEmpty }.joined(separator: " "), fieldNames)
        return shown("\(kind.rawValue) \(words) (#\(number))" + (names.isEmpty ? "" : " with \(names)"))
    }

    /// What one item is told from another by, where a name fits several.
    var candidate: String {
        shown(["#\(number)", kind.rawValue].joined(separator: "  ") + "  " + (rest + [group]).joined(separator: "  "))
    }
}
