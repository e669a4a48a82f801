/// An import under way: adds items one by one, each in a transaction of its own, and says what became of them.
struct ImportSession {
    private let keychain: any Keychain
    private let duplicates: DuplicateRule
    private let prepare: (inout NewItem) -> Void
    /// What this import has written: two rows of one file never take each other's place.
    private var written: Set<PrimaryKey> = []
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
            var attributes = ItemAttributes()
            for attribute in item.itemClass.primaryKey { attributes[attribute] = item.attributes[attribute] }
            self.attributes = attributes
        }
    }

    init(_ keychain: any Keychain, _ duplicates: DuplicateRule, _ prepare: @escaping (inout NewItem) -> Void) {
        self.keychain = keychain
        self.duplicates = duplicates
        self.prepare = prepare
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
        do throws(KeychainError) {
            try keychain.add(item)
            written.insert(key)
            return .added
        } catch .duplicateItem {
            guard duplicates == .replace, !written.contains(key) else { return .duplicate }
        }
        try keychain.set(item)
        written.insert(key)
        return .replaced
    }

    /// Whether the next item may fare better.
    private static func concernsOneItem(_ error: KeychainError) -> Bool {
        switch error {
        case .invalidRequest, .duplicateItem, .damagedItem, .accessGroupDenied, .needsPassphrase: true
        default: false
        }
    }
}
