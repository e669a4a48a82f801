import MildamKeychain
import MildamProfile
import MildamTerminal

/// What somebody calls an item.
struct ItemName {
    /// Its service, its server, its label, or a key's tag.
    var text: String
    var account: String?
    /// Which of those of this name.
    var number: Int64?
    var group: String?
    /// Whether only a password for the network is meant.
    var isServer = false

    /// "github.com of account me".
    var said: String { text + (account.map { " of account \($0)" } ?? "") + (number.map { ", #\($0)" } ?? "") }
}

/// Finds the one item that a name means.
struct ItemChooser {
    private let keychain: any Keychain

    init(_ keychain: any Keychain) { self.keychain = keychain }

    /// Every item of the kinds that have names, without its secret, in the order in which they were added.
    func all(group: String? = nil) throws(KeychainError) -> [KeychainItem] {
        var items: [KeychainItem] = []
        for itemClass in ItemClass.allCases where itemClass != .identity {
            items += try keychain.all(query(itemClass, group), returningSecrets: false)
        }
        return items.sorted { $0.reference.number < $1.reference.number }
    }

    /// The item that is to be read: the one of exactly this name or, where there is none, the only one that has it in part.
    ///
    /// - Throws: `NoItem`, `AmbiguousItem`.
    func item(named name: ItemName) throws -> KeychainItem {
        if let exact = try exactItem(named: name) { return exact }
        let items = try all(group: name.group)
        let part = name.text.lowercased()
        let found = items.filter { !ItemKind($0).isOwn && isMeant($0, name) { $0.lowercased().contains(part) } }
        guard let item = try only(found, name) else { throw NoItem(name: name, near: near(name, items)) }
        return item
    }

    /// The item that is to be changed or removed: of exactly this name, and never by a part of it.
    ///
    /// - Throws: `NoItem`, `AmbiguousItem`, `ProfileKeyStays`.
    func itemToChange(named name: ItemName) throws -> KeychainItem {
        guard let item = try exactItem(named: name) else {
            throw NoItem(name: name, near: near(name, try all(group: name.group)))
        }
        return try unlessProfileKey(item, name)
    }

    /// The item whose secret is to be another from now on, if there is one: the password of exactly this service or server,
    /// whatever else an import says of it.
    ///
    /// - Throws: `AmbiguousItem`, `ProfileKeyStays`.
    func itemToReplace(named name: ItemName) throws -> KeychainItem? {
        try only(indexed(name), name).map { try unlessProfileKey($0, name) }
    }

    private func unlessProfileKey(_ item: KeychainItem, _ name: ItemName) throws(ProfileKeyStays) -> KeychainItem {
        let isNamed = name.group == ProfileRootKey.accessGroup
        guard item.accessGroup != ProfileRootKey.accessGroup || isNamed else { throw ProfileKeyStays() }
        return item
    }

    /// The item of exactly this name, if there is one.
    ///
    /// - Throws: `AmbiguousItem`.
    private func exactItem(named name: ItemName) throws -> KeychainItem? {
        var found = try indexed(name)
        if found.isEmpty {
            let items = try all(group: name.group)
            let lowercased = name.text.lowercased()
            found = items.filter { isMeant($0, name) { $0 == name.text } }
            if found.isEmpty { found = items.filter { isMeant($0, name) { $0.lowercased() == lowercased } } }
            // The parts of an imported login share its label.
            let logins = found.filter { ItemKind($0).isLogin }
            if logins.count == 1 { found = logins }
        }
        return try only(found, name)
    }

    // MARK: Records

    /// The record that is to be read: the one of exactly this name or, where there is none, the only one that has it in part.
    ///
    /// - Throws: `NoItem`, `AmbiguousItem`.
    func record(named name: ItemName) throws -> ItemRecord {
        let items = try all(group: name.group)
        let records = ItemRecord.all(of: items)
        if let exact = try exactRecord(named: name, records) { return exact }
        let part = name.text.lowercased()
        let found = records.filter { record in
            let line = ItemLine(record)
            return !line.kind.isOwn && isMeant(line, name) { $0.lowercased().contains(part) }
        }
        guard let record = try only(found, name) else { throw NoItem(name: name, near: near(name, items)) }
        return record
    }

    /// The record that is to be changed or removed: of exactly this name; one of its fields alone where the number says so.
    ///
    /// - Throws: `NoItem`, `AmbiguousItem`, `ProfileKeyStays`.
    func recordToChange(named name: ItemName) throws -> ItemRecord {
        if let record = try recordToReplace(named: name) { return record }
        return ItemRecord(main: try itemToChange(named: name), fields: [])
    }

    /// The record that is to have another field, if there is one of exactly this name.
    ///
    /// - Throws: `AmbiguousItem`, `ProfileKeyStays`.
    func recordToReplace(named name: ItemName) throws -> ItemRecord? {
        let record = try exactRecord(named: name, ItemRecord.all(of: try all(group: name.group)))
        if let main = record?.main { _ = try unlessProfileKey(main, name) }
        return record
    }

    /// The record that an item is the login of; the item alone where it is none.
    func record(of item: KeychainItem) throws(KeychainError) -> ItemRecord {
        let records = ItemRecord.all(of: try all(group: item.accessGroup))
        return records.first { $0.main?.reference == item.reference } ?? ItemRecord(main: item, fields: [])
    }

    private func exactRecord(named name: ItemName, _ records: [ItemRecord]) throws(AmbiguousItem) -> ItemRecord? {
        let lowercased = name.text.lowercased()
        let tests: [(ItemLine) -> Bool] = [
            { line in line.service == name.text && isMeant(line, name) { _ in true } },
            { line in isMeant(line, name) { $0 == name.text } },
            { line in isMeant(line, name) { $0.lowercased() == lowercased } },
        ]
        for test in tests {
            if let record = try only(records.filter { test(ItemLine($0)) }, name) { return record }
        }
        return nil
    }

    private func only(_ found: [ItemRecord], _ name: ItemName) throws(AmbiguousItem) -> ItemRecord? {
        guard found.count < 2 else { throw AmbiguousItem(name: name, candidates: found.map { ItemLine($0) }) }
        return found.first
    }

    // MARK: Parts

    /// The one item that was found or, of a login and its fields, the login.
    private func only(_ found: [KeychainItem], _ name: ItemName) throws -> KeychainItem? {
        guard found.count > 1 else { return found.first }
        let records = ItemRecord.all(of: found)
        guard records.count == 1 else { throw AmbiguousItem(name: name, candidates: found.map { ItemLine($0) }) }
        guard let main = records[0].main else {
            throw FieldNeeded(name: name, fields: records[0].fields.map(\.name))
        }
        return main
    }

    /// What the index finds without opening any other item: the passwords of this service or server.
    private func indexed(_ name: ItemName) throws(KeychainError) -> [KeychainItem] {
        var found: [KeychainItem] = []
        for (itemClass, attribute) in [
            (ItemClass.genericPassword, ItemAttribute.service), (.internetPassword, .server),
        ]
        where itemClass == .internetPassword || !name.isServer {
            var query = query(itemClass, name.group)
            query.attributes[attribute] = .text(name.text)
            if let account = name.account { query.attributes[.account] = .text(account) }
            found += try keychain.all(query, returningSecrets: false)
        }
        return found.filter { name.number == nil || name.number == $0.reference.number }
    }

    private func query(_ itemClass: ItemClass, _ group: String?) -> KeychainQuery {
        var query = KeychainQuery(itemClass)
        query.accessGroup = group
        query.synchronizable = .any
        return query
    }

    /// Whether an item has what a name says besides its text, and a text that is meant.
    private func isMeant(_ item: KeychainItem, _ name: ItemName, _ isText: (String) -> Bool) -> Bool {
        isMeant(ItemLine(item), name, isText)
    }

    private func isMeant(_ line: ItemLine, _ name: ItemName, _ isText: (String) -> Bool) -> Bool {
        guard name.account == nil || name.account == line.account, name.number == nil || name.number == line.number,
            !name.isServer || line.kind == .login
        else { return false }
        return [line.service, line.label ?? ""].contains { !$0.isEmpty && isText($0) }
    }

    /// What was perhaps meant: the name with the account that it has, or the nearest name.
    private func near(_ name: ItemName, _ items: [KeychainItem]) -> String? {
        let lines = items.filter { !ItemKind($0).isOwn }.map { ItemLine($0) }
        if let same = lines.first(where: { $0.service == name.text }) {
            return same.account.isEmpty ? name.text : "\(name.text) \(same.account)"
        }
        let names = lines.flatMap { [$0.service, $0.label ?? ""] }.filter { !$0.isEmpty }
        return EditDistance.suggestion(for: name.text, among: names)
    }
}

/// What is to be changed is the profile's own key.
struct ProfileKeyStays: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    var description: String {
        "this is the key of the profile itself: without it, its messages and its vaults open to nobody; to change it all "
            + "the same, name its group: --group \(ProfileRootKey.accessGroup)"
    }
}

/// No item has this name.
struct NoItem: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.notFound
    let name: ItemName
    let near: String?

    var description: String {
        let question = near.map { "; did you mean \(shown($0))?" } ?? ""
        return
            "there is no item \(shown(name.said))\(question.isEmpty ? ";" : question) `mildam keychain list` shows what there is"
    }
}

/// Several items have this name.
struct AmbiguousItem: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    let name: ItemName
    let candidates: [ItemLine]

    var description: String {
        let most = 20
        let lines = candidates.prefix(most).map { "  " + $0.candidate } + (candidates.count > most ? ["  …"] : [])
        return "\(shown(name.said)) may be any of these; say which with ACCOUNT, or with --number:\n"
            + lines.joined(separator: "\n")
    }
}
