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
        guard let itemClass = query.itemClass, limit.count > 0 else { return [] }
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

extension KeychainQuery {
    /// Throws for what can match nothing by its form.
    func check() throws(KeychainError) {
        guard itemClass != nil || reference != nil else {
            throw .invalidRequest(reason: "a query needs a class, or the reference of an item")
        }
        guard itemClass != .identity else {
            throw .invalidRequest(reason: "an identity is found through its certificate and its key")
        }
        try attributes.check(itemClass)
        if let accessGroup { try ItemContent.check(group: accessGroup) }
    }
}

extension ItemAttributes {
    /// Throws for attributes that the class has not, or values of a kind that the attribute has not.
    func check(_ itemClass: ItemClass?) throws(KeychainError) {
        guard size <= Self.maximumSize else { throw .invalidRequest(reason: "attributes of more than 2 MiB") }
        for (attribute, value) in sorted {
            try attribute.check(value)
            guard itemClass?.attributes.contains(attribute) ?? true else {
                throw .invalidRequest(reason: "the class has no attribute \(attribute.rawValue)")
            }
        }
    }
}

extension ItemAttribute {
    func check(_ value: AttributeValue) throws(KeychainError) {
        guard value.kind == kind else {
            throw .invalidRequest(reason: "\(rawValue) takes a \(kind), and not a \(value.kind)")
        }
        guard value.size <= AttributeValue.maximumSize else {
            throw .invalidRequest(reason: "\(rawValue) of more than 1 MiB")
        }
    }
}
