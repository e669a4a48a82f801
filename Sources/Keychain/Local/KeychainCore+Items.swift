import MildamCrypto
import MildamStorage

/// Add, copyMatching, update, delete and set, for a caller.
extension KeychainCore {
    func add(_ item: NewItem, _ caller: Caller) throws(KeychainError) -> ItemReference {
        try item.check()
        return try change(for: caller) { (head) throws(KeychainError) in
            let content = try content(of: item, caller)
            if meansAnyGroup(item.accessGroup, caller), let store, try !find(primaryKeyOf: content, store).isEmpty {
                throw .duplicateItem
            }
            return try insert(content, item.secret, try key(content.accessibility), &head)
        }
    }

    func set(_ item: NewItem, _ caller: Caller) throws(KeychainError) -> ItemReference {
        try item.check()
        defer { cutLog() }
        return try change(for: caller) { (head) throws(KeychainError) in
            let content = try content(of: item, caller)
            let key = try key(content.accessibility)
            guard let store, let (row, old) = try holder(of: content, in: item.accessGroup, caller) else {
                return try insert(content, item.secret, key, &head)
            }
            var attributes = old.attributes
            for (attribute, value) in item.attributes.sorted { attributes[attribute] = value }
            attributes[.creationDate] = old.attributes[.creationDate]
            attributes[.modificationDate] = dateOfChange(to: old)
            try attributes.check(old.itemClass)
            let new = ItemContent(
                old.itemClass,
                content.accessibility,
                group: old.accessGroup,
                isSynchronizable: old.isSynchronizable,
                attributes
            )
            try replace((row, old), new, item.secret, key, store, &head)
            return ItemReference(keychain: identifier, number: row.number)
        }
    }

    func copyMatching(
        _ query: KeychainQuery,
        _ limit: KeychainQuery.Limit,
        returningSecrets: Bool,
        _ caller: Caller,
        atMost room: Int
    ) throws(KeychainError) -> [KeychainItem] {
        let items = try read(for: caller) { (store) throws(KeychainError) in
            var items: [KeychainItem] = []
            var rest = room
            for (row, content) in try find(query, limit, try scope(of: query, caller), store) {
                // The row is never smaller than what it says.
                rest -= row.attributes.count + (returningSecrets ? row.secret.count : 0)
                guard rest >= 0 else {
                    throw .invalidRequest(reason: "more than \(room >> 20) MiB would come at once; ask for fewer items")
                }
                var secret: SecretValue?
                if returningSecrets { secret = try store.secret(row, content, under: key(content.accessibility)) }
                items.append(item(row, content, secret))
            }
            return items
        }
        guard !items.isEmpty else { throw .itemNotFound }
        if returningSecrets { try noteReading(caller, Set(items.map(\.accessGroup))) }
        return items
    }

    /// Every item that the caller may use, without what it protects, in the order in which they were added; and the
    /// numbers of those that do not open, of which nobody knows whose they are.
    func everyItem(_ caller: Caller) throws(KeychainError) -> (items: [KeychainItem], damaged: [Int64]) {
        try read { (store) throws(KeychainError) in
            let scope = caller.scope(grants)
            var items: [KeychainItem] = []
            var damaged: [Int64] = []
            try store.forEachRow { row throws(KeychainError) in
                do throws(KeychainError) {
                    let content = try store.open(row)
                    if scope.contains(content.accessGroup) { items.append(item(row, content, nil)) }
                } catch .damagedItem(let number) {
                    damaged.append(number)
                }
                return true
            }
            return (items, damaged)
        }
    }

    /// An item for a caller.
    func item(_ row: ItemRow, _ content: ItemContent, _ secret: SecretValue?) -> KeychainItem {
        KeychainItem(
            reference: ItemReference(keychain: identifier, number: row.number),
            itemClass: content.itemClass,
            accessGroup: content.accessGroup,
            isSynchronizable: content.isSynchronizable,
            accessibility: content.accessibility,
            attributes: content.attributes,
            secret: secret
        )
    }

    func update(_ query: KeychainQuery, _ change: ItemChange, _ caller: Caller) throws(KeychainError) -> Int {
        try change.check()
        defer { cutLog() }
        return try self.change(for: caller) { (head) throws(KeychainError) in
            guard let store else { throw .locked }
            let scope = try scope(of: query, caller)
            if let group = change.accessGroup { try check(group, scope) }
            let found = try find(query, .all, scope, store)
            guard !found.isEmpty else { throw .itemNotFound }
            for item in found { try apply(change, to: item, store, &head) }
            return found.count
        }
    }

    /// Changes one item.
    func apply(
        _ change: ItemChange,
        to item: Found,
        _ store: ItemStore,
        _ head: inout Head
    ) throws(KeychainError) {
        let (row, old) = item
        var attributes = old.attributes
        for (attribute, value) in change.attributes { attributes[attribute] = value }
        attributes[.modificationDate] = dateOfChange(to: old)
        try attributes.check(old.itemClass)
        let new = ItemContent(
            old.itemClass,
            change.accessibility ?? old.accessibility,
            group: change.accessGroup ?? old.accessGroup,
            isSynchronizable: change.isSynchronizable ?? old.isSynchronizable,
            attributes
        )
        guard !(new.isSynchronizable && new.accessibility.staysOnThisDevice) else {
            throw .invalidRequest(reason: "what stays on this device cannot be synchronizable")
        }
        let others = try store.numbers(entry(new, store)).filter { $0 != row.number }
        guard others.isEmpty else { throw .duplicateItem }
        let oldKey = try key(old.accessibility)
        let secret: SecretValue
        if let given = change.secret {
            secret = given
        } else {
            secret = try store.secret(row, old, under: oldKey)
        }
        try replace((row, old), new, secret, try key(new.accessibility), store, &head)
    }

    func delete(_ query: KeychainQuery, _ caller: Caller) throws(KeychainError) -> Int {
        defer { cutLog() }
        return try change(for: caller) { (head) throws(KeychainError) in
            guard let store else { throw .locked }
            let found = try find(query, .all, try scope(of: query, caller), store)
            guard !found.isEmpty else { throw .itemNotFound }
            for (row, content) in found { try store.remove(row, content, &head) }
            try store.past.removeAll(of: Set(found.map { $0.row.number }), &head)
            return found.count
        }
    }

    /// Takes away a row that does not open.
    ///
    /// - Throws: `itemNotFound`; `invalidRequest` for one that does open; `locked` and `needsPassphrase` where that cannot be
    ///   said here.
    func discardDamaged(_ number: Int64) throws(KeychainError) {
        defer { cutLog() }
        try change { (head) throws(KeychainError) in
            guard let store, let row = try store.row(number) else { throw .itemNotFound }
            guard try isDamaged(row, store) else {
                throw .invalidRequest(reason: "item \(number) is not damaged; delete it like any other")
            }
            try store.discard(row, &head)
            // What it was before may still open, and is as good as removed now.
            try store.past.renew(newestOf: number, at: timeToKeep(nil, store), &head)
        }
    }

    // MARK: Parts

    /// The date that an item gets by a change: now, and always later than the one that it had. Two changes within a
    /// millisecond, or by a clock that was put back, have different dates, so that each date stands for one state of it.
    func dateOfChange(to old: ItemContent) -> AttributeValue {
        .date(max(clock.milliseconds, (old.attributes.date(.modificationDate) ?? 0) &+ 1))
    }

    /// Whether a row does not open although there is a key for it.
    private func isDamaged(_ row: ItemRow, _ store: ItemStore) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            try check(row, store)
            return false
        } catch .damagedItem {
            return true
        }
    }

    private func insert(
        _ content: ItemContent,
        _ secret: SecretValue,
        _ key: SymmetricKey,
        _ head: inout Head
    ) throws(KeychainError) -> ItemReference {
        guard let store else { throw .locked }
        guard try store.numbers(entry(content, store)).isEmpty else { throw .duplicateItem }
        let number = head.nextItem
        head.nextItem += 1
        let row = try store.seal(content, number: number, version: 1, secret: secret, under: key)
        try store.insert(row, content, &head)
        return ItemReference(keychain: identifier, number: number)
    }

    private func replace(
        _ old: Found,
        _ new: ItemContent,
        _ secret: SecretValue,
        _ key: SymmetricKey,
        _ store: ItemStore,
        _ head: inout Head
    ) throws(KeychainError) {
        let (number, version) = (old.row.number, old.row.version + 1)
        let row = try store.seal(new, number: number, version: version, secret: secret, under: key)
        try store.remove(old.row, old.content, &head)
        try store.insert(row, new, &head)
    }

    /// Whether somebody who names this group means items of every group: they may use them all, and name none.
    private func meansAnyGroup(_ group: String?, _ caller: Caller) -> Bool {
        guard group == nil, case .everything = caller.scope(grants) else { return false }
        return true
    }

    /// The item that has the primary key of a new one.
    ///
    /// - Throws: `ambiguousItem` when several groups have one, and any is meant.
    private func holder(
        of content: ItemContent,
        in group: String?,
        _ caller: Caller
    ) throws(KeychainError) -> Found? {
        guard let store else { throw .locked }
        if meansAnyGroup(group, caller) {
            let found = try find(primaryKeyOf: content, store)
            guard found.count < 2 else { throw .ambiguousItem(numbers: found.map { $0.row.number }) }
            return found.first
        }
        guard let number = try store.numbers(entry(content, store)).first, let row = try store.row(number) else {
            return nil
        }
        return (row, try store.open(row))
    }

    /// The entry of an item's primary key.
    func entry(_ content: ItemContent, _ store: ItemStore) -> [UInt8] {
        store.entry(
            primary: content.attributes,
            of: content.itemClass,
            content.accessGroup,
            content.isSynchronizable
        )
    }

    /// What a new item comes to, for its adder.
    private func content(of item: NewItem, _ caller: Caller) throws(KeychainError) -> ItemContent {
        let scope = caller.scope(grants)
        let group = item.accessGroup ?? scope.defaultGroup
        try check(group, scope)
        var attributes = item.attributes
        attributes[.creationDate] = .date(clock.milliseconds)
        attributes[.modificationDate] = .date(clock.milliseconds)
        // Once more: what is sealed with its dates must be what can be read.
        try attributes.check(item.itemClass)
        return ItemContent(
            item.itemClass,
            item.accessibility,
            group: group,
            isSynchronizable: item.isSynchronizable,
            attributes
        )
    }

    /// The groups that a query may look into, by the grants of this transaction.
    private func scope(of query: KeychainQuery, _ caller: Caller) throws(KeychainError) -> AccessScope {
        let scope = caller.scope(grants)
        if let group = query.accessGroup { try check(group, scope) }
        return scope
    }

    func check(_ group: String, _ scope: AccessScope) throws(KeychainError) {
        try ItemContent.check(group: group)
        guard scope.contains(group) else { throw .accessGroupDenied(group: group) }
    }

    func read<Value>(
        for caller: Caller,
        _ body: (ItemStore) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        try notingDenials(to: caller) { () throws(KeychainError) in try read(body) }
    }

    func change<Value>(
        for caller: Caller,
        _ body: (inout Head) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        try notingDenials(to: caller) { () throws(KeychainError) in try change(body) }
    }

    /// Runs a transaction. Where it ends with a denial, that is written down before it is thrown.
    private func notingDenials<Value>(
        to caller: Caller,
        _ transaction: () throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        do throws(KeychainError) { return try transaction() } catch .accessGroupDenied(let group) {
            if !isReadOnly {
                try change { (head) throws(KeychainError) in try note(.denied, caller.program, group, &head) }
            }
            throw .accessGroupDenied(group: group)
        }
    }
}
