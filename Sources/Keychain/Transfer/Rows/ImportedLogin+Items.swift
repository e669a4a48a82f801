/// What a login becomes.
///
/// | of the login | item |
/// |---|---|
/// | password, with an address that names a server | internet password: `server`, `protocol`, `port`, `path`, `account`; the realm is `securityDomain` |
/// | password, without one | generic password: `service` is the title (or the address), `account` the user name |
/// | note | generic password: `service` "note" |
/// | secret of one-time codes | generic password: `service` "one-time code", unless the caller makes something else of it |
/// | each other field, further addresses | generic password: `service` "field: NAME" |
///
/// Notes and fields are items of their own, and not attributes, since people keep recovery codes and answers to secret
/// questions there: an attribute can be read while the keychain is locked. Those items share one `account`: the user
/// name and the address or title, with a space between them. The title is the `label` of each, the folder its `comment`.
extension ImportedLogin {
    /// The service of notes.
    public static let noteService = "note"
    /// The service of one-time codes' secrets.
    public static let oneTimeCodeService = "one-time code"
    /// The service of a field.
    public static func service(ofField name: String) -> String { "field: " + name }

    /// A part of a login, as it is named in a report.
    struct Part {
        let name: String
        let item: NewItem
    }

    /// The secret of one-time codes as an item of its own, as the file has it.
    public func oneTimeCodeItem(_ secret: SecretValue) -> NewItem? {
        Self.part(Self.oneTimeCodeService, shared, secret)
    }

    /// The items, the password first.
    func parts(oneTimeCode make: (ImportedLogin, SecretValue) -> NewItem?) -> [Part] {
        // Made once: of many fields, each with a copy of a long name, a small file would make much.
        let shared = shared
        func part(_ service: String, _ secret: SecretValue) -> NewItem { Self.part(service, shared, secret) }
        var parts: [Part] = []
        if let item = passwordItem { parts.append(Part(name: "password", item: item)) }
        if let note, note.count > 0 { parts.append(Part(name: "note", item: part(Self.noteService, note))) }
        if let oneTimeCode, oneTimeCode.count > 0, let item = make(self, oneTimeCode) {
            parts.append(Part(name: "one-time code", item: item))
        }
        var names: [String: Int] = [:]
        for field in allFields where field.value.count > 0 {
            let number = names[field.name, default: 0] + 1
            names[field.name] = number
            let name = number == 1 ? field.name : "\(field.name) \(number)"
            parts.append(Part(name: "field", item: part(Self.service(ofField: name), field.value)))
        }
        return parts
    }

    /// The password's item; one without a password keeps the user name and the address.
    private var passwordItem: NewItem? {
        guard password != nil || !username.isEmpty || !addresses.isEmpty else { return nil }
        let secret = password ?? SecretValue(copying: [UInt8]())
        var attributes = common
        attributes[.account] = .text(username)
        guard let address = addresses.first, let parts = WebAddress(address) else {
            attributes[.service] = .text(title.isEmpty ? addresses.first ?? "" : title)
            return NewItem(.genericPassword, attributes, secret: secret)
        }
        attributes[.server] = .text(parts.server)
        if let code = parts.protocolCode { attributes[.protocol] = .text(code) }
        if let port = parts.port { attributes[.port] = .number(port) }
        if !parts.path.isEmpty { attributes[.path] = .text(parts.path) }
        if let realm, !realm.isEmpty { attributes[.securityDomain] = .text(realm) }
        return NewItem(.internetPassword, attributes, secret: secret)
    }

    /// The fields, and the addresses that the password's item does not say: further ones, one that holds a password,
    /// one beside a title that names the service.
    private var allFields: [Field] {
        var fields = fields
        for (place, address) in addresses.enumerated() {
            let parts = WebAddress(address)
            let isSaid = place == 0 && (parts.map { !$0.hasUserInformation } ?? title.isEmpty)
            if !isSaid { fields.append(Field("URL", SecretValue(text: address))) }
        }
        return fields
    }

    private static func part(_ service: String, _ shared: ItemAttributes, _ secret: SecretValue) -> NewItem {
        var attributes = shared
        attributes[.service] = .text(service)
        return NewItem(.genericPassword, attributes, secret: secret)
    }

    /// What all parts but the password have.
    private var shared: ItemAttributes {
        var attributes = common
        attributes[.account] = .text(reference)
        return attributes
    }

    private var common: ItemAttributes {
        var attributes: ItemAttributes = [.label: .text(name)]
        if let folder, !folder.isEmpty { attributes[.comment] = .text(folder) }
        return attributes
    }

    /// What tells this login's parts from those of others: the same that its password's item is found by.
    private var reference: String {
        let address = addresses.first
        let place = address.flatMap { WebAddress($0) }?.text ?? (title.isEmpty ? address ?? "" : title)
        return Self.reference(username, place)
    }

    static func reference(_ username: String, _ place: String) -> String {
        username.isEmpty ? place : "\(username) \(place)"
    }
}
