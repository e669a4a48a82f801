import MildamKeychain
import MildamTerminal

/// What belongs together: a login with the fields that were kept beside it or, as of a card, fields alone.
struct ItemRecord {
    /// A field, which is an item of its own.
    struct Field {
        let name: String
        let item: KeychainItem
    }

    /// The login, or any item without fields; `nil` where there are fields alone.
    let main: KeychainItem?
    let fields: [Field]

    /// Every item, the login last: what is cut short in between is completed by doing it again.
    var items: [KeychainItem] { fields.map(\.item) + (main.map { [$0] } ?? []) }

    /// What its fields have as their account; `nil` where it can have none.
    var reference: String? {
        guard let main, ImportedLogin.field(of: main) == nil else {
            return (main ?? fields.first?.item)?.attributes.text(.account)
        }
        return ImportedLogin.reference(of: main)
    }

    /// The fields; one that has no other beside it is its own.
    private var named: [Field] {
        guard fields.isEmpty, let main, let name = ImportedLogin.field(of: main) else { return fields }
        return [Field(name: name, item: main)]
    }

    /// The item of a field.
    ///
    /// - Throws: `NoField`.
    func item(ofField name: String) throws(NoField) -> KeychainItem {
        let lowercased = name.lowercased()
        guard
            let field = named.first(where: { $0.name == name })
                ?? named.first(where: { $0.name.lowercased() == lowercased })
        else { throw NoField(name: name, fields: named.map(\.name)) }
        return field.item
    }
}

extension ItemRecord {
    /// What the items of a record share.
    private struct Key: Hashable {
        let reference: String
        let group: String
    }

    /// The records that items make, in the order of the items. A field that several logins might have stands alone, and so
    /// does one that has no other beside it.
    static func all(of items: [KeychainItem]) -> [ItemRecord] {
        var logins: [Key: Int] = [:]
        var fields: [Key: [Field]] = [:]
        for item in items {
            if let key = loginKey(of: item) { logins[key, default: 0] += 1 }
            if let part = part(of: item) { fields[part.key, default: []].append(part.field) }
        }
        var records: [ItemRecord] = []
        for item in items {
            guard let key = part(of: item)?.key else {
                let key = loginKey(of: item)
                let own = key.flatMap { logins[$0] == 1 ? fields[$0] : nil } ?? []
                records.append(ItemRecord(main: item, fields: own))
                continue
            }
            let together = fields[key] ?? []
            let count = logins[key] ?? 0
            if count > 1 || count == 0 && together.count == 1 {
                records.append(ItemRecord(main: item, fields: []))
            } else if count == 0, together.first?.item.reference == item.reference {
                records.append(ItemRecord(main: nil, fields: together))
            }
        }
        return records
    }

    private static func loginKey(of item: KeychainItem) -> Key? {
        guard ItemKind(item).isLogin, let reference = ImportedLogin.reference(of: item) else { return nil }
        return Key(reference: reference, group: item.accessGroup)
    }

    private static func part(of item: KeychainItem) -> (key: Key, field: Field)? {
        let kind = ItemKind(item)
        guard kind == .field || kind == .note, let name = ImportedLogin.field(of: item) else { return nil }
        let key = Key(reference: item.attributes.text(.account) ?? "", group: item.accessGroup)
        return (key, Field(name: name, item: item))
    }
}

/// A record has no field of this name.
struct NoField: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.notFound
    let name: String
    let fields: [String]

    var description: String {
        "there is no field \(name)"
            + (fields.isEmpty ? ", nor any other" : "; there is \(fields.joined(separator: ", "))")
    }
}

/// A record has fields alone, and none was named.
struct FieldNeeded: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    let name: ItemName
    let fields: [String]

    var description: String {
        "\(name.said) has several fields; say which with --field: \(fields.joined(separator: ", "))"
    }
}
