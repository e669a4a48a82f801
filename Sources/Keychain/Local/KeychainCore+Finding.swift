import MildamStorage

extension KeychainCore {
    /// A row, and what it says.
    typealias Found = (row: ItemRow, content: ItemContent)

    /// What matches, in the order in which it was added.
    func find(
        _ query: KeychainQuery,
        _ limit: KeychainQuery.Limit,
        _ scope: AccessScope,
        _ store: ItemStore
    ) throws(KeychainError) -> [Found] {
        try query.check()
        guard limit.count > 0 else { return [] }
        var found: [Found] = []
        func consider(_ row: ItemRow) throws(KeychainError) -> Bool {
            let content = try store.open(row)
            if content.matches(query, scope) { found.append((row, content)) }
            return found.count < limit.count
        }
        if let reference = query.reference {
            guard reference.keychain == identifier, let row = try store.row(reference.number) else { return [] }
            _ = try consider(row)
            return found
        }
        func consider(_ number: Int64) throws(KeychainError) -> Bool {
            guard let row = try store.row(number) else {
                throw .changedFromOutside(reason: "the index names a row that is not there")
            }
            return try consider(row)
        }
        guard let itemClass = query.itemClass else { return [] }
        if let entries = primaryEntries(query, itemClass, scope, store) {
            var numbers: [Int64] = []
            for entry in entries { numbers += try store.numbers(entry) }
            for number in numbers.sorted() {
                guard try consider(number) else { break }
            }
        } else if let entry = try rarestEntry(query, itemClass, store) {
            // One by one: all items may have it, where one is wanted.
            try store.forEachNumber(entry) { number throws(KeychainError) in try consider(number) }
        } else {
            // Each row is opened: what it says of its class beforehand is anybody's word.
            try store.forEachRow { row throws(KeychainError) in try consider(row) }
        }
        return found
    }

    /// The items of all groups that have one's primary key, but for the groups of the tool's own parts.
    func find(primaryKeyOf content: ItemContent, _ store: ItemStore) throws(KeychainError) -> [Found] {
        let key = content.attributes.primaryKey(of: content.itemClass)
        var query = KeychainQuery(content.itemClass, key)
        query.synchronizable = content.isSynchronizable ? .yes : .no
        return try find(query, .all, .everything(default: AccessGroup.owners), store).filter { found in
            // A query that says nothing of an attribute finds what has it, too.
            found.content.attributes.primaryKey(of: content.itemClass) == key
                && !AccessGroup.isOfAPart(found.content.accessGroup)
        }
    }

    /// The entries of the primary keys that a query names: one for each group; `nil` when it does not name a whole one.
    private func primaryEntries(
        _ query: KeychainQuery,
        _ itemClass: ItemClass,
        _ scope: AccessScope,
        _ store: ItemStore
    ) -> [[UInt8]]? {
        guard let groups = query.accessGroup.map({ [$0] }) ?? scope.all, query.synchronizable != .any,
            itemClass.primaryKey.allSatisfy({ query.attributes[$0] != nil })
        else { return nil }
        return groups.map { group in
            store.entry(primary: query.attributes, of: itemClass, group, query.synchronizable == .yes)
        }
    }

    /// The entry of that one of a query's attributes which the fewest items share; `nil` when no index helps.
    private func rarestEntry(
        _ query: KeychainQuery,
        _ itemClass: ItemClass,
        _ store: ItemStore
    ) throws(KeychainError) -> [UInt8]? {
        var best: (entry: [UInt8], count: Int)?
        for (attribute, value) in query.attributes.sorted where attribute.isIndexed {
            let entry = store.entry(itemClass, attribute, value)
            let count = try store.estimate(entry)
            if best.map({ count < $0.count }) ?? true { best = (entry, count) }
        }
        return best?.entry
    }
}
