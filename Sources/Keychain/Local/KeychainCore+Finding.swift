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
        guard let itemClass = query.itemClass else { return [] }
        if let numbers = try candidates(query, itemClass, scope, store) {
            for number in numbers {
                guard let row = try store.row(number) else {
                    throw .changedFromOutside(reason: "the index names a row that is not there")
                }
                guard try consider(row) else { break }
            }
        } else {
            try store.forEachRow { row throws(KeychainError) in
                guard row.itemClass == Int64(itemClass.rawValue) else { return true }
                return try consider(row)
            }
        }
        return found
    }

    /// The numbers of all items that may match, ascending; `nil` when no index helps.
    private func candidates(
        _ query: KeychainQuery,
        _ itemClass: ItemClass,
        _ scope: AccessScope,
        _ store: ItemStore
    ) throws(KeychainError) -> [Int64]? {
        let groups = query.accessGroup.map { [$0] } ?? scope.all
        if let groups, query.synchronizable != .any, itemClass.primaryKey.allSatisfy({ query.attributes[$0] != nil }) {
            var numbers: [Int64] = []
            for group in groups {
                let entry = store.entry(
                    primary: query.attributes,
                    of: itemClass,
                    group,
                    query.synchronizable == .yes
                )
                numbers += try store.numbers(entry)
            }
            return numbers.sorted()
        }
        var best: (entry: [UInt8], count: Int)?
        for (attribute, value) in query.attributes.sorted where attribute.isIndexed {
            let entry = store.entry(itemClass, attribute, value)
            let count = try store.estimate(entry)
            if best.map({ count < $0.count }) ?? true { best = (entry, count) }
        }
        guard let best else { return nil }
        return try store.numbers(best.entry)
    }
}
