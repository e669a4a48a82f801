/// An import under way: adds items one by one, each in a transaction of its own, and says what became of them.
///
/// One that was interrupted is completed by doing it again: what it had added is there already then.
struct ImportSession {
    private let keychain: any Keychain
    private let mode: ImportMode
    private let duplicates: DuplicateRule
    private let prepare: (inout NewItem) -> Void
    private let joining: JoiningRule
    /// What came before in this file: two rows of one file never take each other's place.
    private var earlier: [PrimaryKey: SecretValue] = [:]
    private(set) var report = ImportReport()

    private struct PrimaryKey: Hashable {
        let itemClass: ItemClass
        let group: String?
        let isSynchronizable: Bool
        let attributes: ItemAttributes

        init(_ item: NewItem) {
            itemClass = item.itemClass
            group = item.accessGroup
            isSynchronizable = item.isSynchronizable
            attributes = item.attributes.primaryKey(of: itemClass)
        }
    }

    init(
        _ keychain: any Keychain,
        _ mode: ImportMode,
        _ duplicates: DuplicateRule,
        _ prepare: @escaping (inout NewItem) -> Void,
        _ joining: @escaping JoiningRule
    ) {
        self.keychain = keychain
        self.mode = mode
        self.duplicates = duplicates
        self.prepare = prepare
        self.joining = joining
    }

    /// Whether it goes on.
    var goesOn: Bool { report.stopped == nil }

    mutating func leaveOut(_ counts: [String: Int]) { report.leftOut.merge(counts) { $0 + $1 } }

    mutating func refuse(_ position: Int, _ name: String, _ part: String, _ reason: RowDefect) {
        report.rows.append(.init(position: position, name: name, part: part, outcome: .refused(reason)))
    }

    /// Adds an item.
    mutating func take(_ item: NewItem, position: Int, name: String, part: String) {
        guard goesOn else { return }
        var item = item
        prepare(&item)
        // A file that somebody else wrote would bring a profile's root key, or put another in its place.
        if let group = item.accessGroup, AccessGroup.isOfAPart(group) {
            return refuse(position, name, part, .ownGroup)
        }
        do throws(KeychainError) {
            let outcome = try put(item)
            report.rows.append(.init(position: position, name: name, part: part, outcome: outcome))
        } catch {
            if Self.concernsOneItem(error) {
                refuse(position, name, part, .keychain(error))
            } else {
                report.stopped = error
            }
        }
    }

    private mutating func put(_ item: NewItem) throws(KeychainError) -> ImportReport.Outcome {
        let key = PrimaryKey(item)
        if let secret = earlier[key] {
            return secret.constantTimeEquals(item.secret) ? .duplicate : .refused(.repeated)
        }
        let outcome = mode == .trial ? try tried(item) : try added(item)
        earlier[key] = item.secret
        return outcome
    }

    private func added(_ item: NewItem) throws(KeychainError) -> ImportReport.Outcome {
        do throws(KeychainError) {
            try keychain.add(item)
            return .added
        } catch .duplicateItem {
            guard duplicates == .replace else { return .duplicate }
        }
        try replace(item)
        return .replaced
    }

    /// Gives the item that is there the secret and the attributes of the file. What it held is kept where the keychain does that.
    private func replace(_ item: NewItem) throws(KeychainError) {
        let holders = try keychain.holders(ofKeyOf: item)
        guard let keeping = keychain as? any KeychainWithPast, holders.count == 1 else {
            // What must not go back has to be looked at.
            guard joining(item) == nil else { throw .changedMeanwhile }
            try keychain.set(item)
            return
        }
        var change = ItemChange(secret: item.secret)
        for (attribute, value) in item.attributes.sorted where !attribute.isKept {
            change.attributes[attribute] = value
        }
        change.accessibility = item.accessibility
        guard let join = joining(item) else {
            try keeping.replace(holders[0].reference, change)
            return
        }
        let now = try look(at: holders[0])
        if let kept = now.secret { change.secret = join(kept) }
        // What it was joined with must be what it takes the place of.
        let seen = now.attributes.date(.modificationDate) ?? 0
        try keeping.replace(now.reference, change, unlessChangedSince: seen)
    }

    /// An item with its secret, or without one that does not open.
    private func look(at item: KeychainItem) throws(KeychainError) -> KeychainItem {
        do throws(KeychainError) {
            return try keychain.item(KeychainQuery(item.reference))
        } catch .damagedItem {
            return item
        }
    }

    private func tried(_ item: NewItem) throws(KeychainError) -> ImportReport.Outcome {
        try item.check()
        guard try !keychain.holders(ofKeyOf: item).isEmpty else { return .added }
        return duplicates == .replace ? .replaced : .duplicate
    }

    /// Whether the next item may fare better.
    private static func concernsOneItem(_ error: KeychainError) -> Bool {
        switch error {
        case .invalidRequest, .duplicateItem, .ambiguousItem, .damagedItem, .accessGroupDenied, .needsPassphrase,
            .changedMeanwhile:
            true
        default: false
        }
    }
}

extension Keychain {
    /// The items of this primary key.
    fileprivate func holders(ofKeyOf item: NewItem) throws(KeychainError) -> [KeychainItem] {
        let key = item.attributes.primaryKey(of: item.itemClass)
        var query = KeychainQuery(item.itemClass, key)
        query.accessGroup = item.accessGroup
        query.synchronizable = item.isSynchronizable ? .yes : .no
        do throws(KeychainError) {
            // What is missing in the key is empty, and a query that says nothing of it finds what is not.
            return try copyMatching(query, limit: .all, returningSecrets: false).filter {
                $0.attributes.primaryKey(of: item.itemClass) == key
                    && (item.accessGroup != nil || !AccessGroup.isOfAPart($0.accessGroup))
            }
        } catch .itemNotFound {
            return []
        }
    }
}
