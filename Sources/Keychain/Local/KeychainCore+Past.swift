/// What is removed and replaced, and kept for a while.
extension KeychainCore {
    /// A past row, and what it says of its item.
    private typealias Past = (row: PastRow, content: ItemContent)

    /// Removes an item, and keeps it.
    func trash(_ reference: ItemReference, _ caller: Caller) throws(KeychainError) -> PastItem {
        try change(for: caller) { (head) throws(KeychainError) -> PastItem in
            guard let store else { throw .locked }
            let (row, content) = try sole(reference, caller.scope(grants), store)
            let time = try timeToKeep(content, store)
            let kept = try store.past.keep(row, at: time, &head)
            try store.remove(row, content, &head)
            return PastItem(number: kept.number, item: item(row, content, nil), time: time, isRemoved: true)
        }
    }

    /// Changes an item, and keeps the secret that it had; with a time, only where the item was last changed then.
    func replace(
        _ reference: ItemReference,
        _ change: ItemChange,
        unlessChangedSince time: Int64?,
        _ caller: Caller
    ) throws(KeychainError) {
        try change.check()
        defer { cutLog() }
        try self.change(for: caller) { (head) throws(KeychainError) -> Void in
            guard let store else { throw .locked }
            let scope = caller.scope(grants)
            if let group = change.accessGroup { try check(group, scope) }
            let old = try sole(reference, scope, store)
            if let time, old.content.attributes.date(.modificationDate) != time { throw .changedMeanwhile }
            try keepSecret(of: old, before: change.secret, store, &head)
            try apply(change, to: old, store, &head)
        }
    }

    /// What is kept of an item, or of all.
    func past(
        of reference: ItemReference?,
        _ caller: Caller,
        atMost room: Int
    ) throws(KeychainError) -> [PastItem] {
        try read(for: caller) { (store) throws(KeychainError) -> [PastItem] in
            if let reference, reference.keychain != identifier { return [] }
            let scope = caller.scope(grants)
            let removed = Set(try store.past.removed().map { $0.number })
            var rest = room
            var past: [PastItem] = []
            try store.past.forEachRow { row throws(KeychainError) in
                guard reference == nil || reference?.number == row.item.number else { return }
                let content = try open(row, store)
                guard scope.contains(content.accessGroup) else { return }
                guard let time = store.past.time(of: row) else { throw .damagedPast(number: row.number) }
                rest -= row.item.attributes.count
                guard rest >= 0 else {
                    throw .invalidRequest(reason: "more than \(room >> 20) MiB would come at once; ask for one item")
                }
                past.append(
                    PastItem(
                        number: row.number,
                        item: item(row.item, content, nil),
                        time: time,
                        isRemoved: removed.contains(row.number)
                    )
                )
            }
            return past
        }
    }

    /// What a past item protected.
    func pastSecret(_ number: Int64, _ caller: Caller) throws(KeychainError) -> SecretValue {
        let (group, secret) = try read(for: caller) { (store) throws(KeychainError) -> (String, SecretValue) in
            let past = try self.past(number, caller.scope(grants), store)
            return (past.content.accessGroup, try self.secret(of: past, store))
        }
        try noteReading(caller, [group])
        return secret
    }

    /// Puts a past item back; where somebody has seen how the item stands, only onto that.
    func restore(_ number: Int64, onto seen: SeenItem?, _ caller: Caller) throws(KeychainError) -> ItemReference {
        defer { cutLog() }
        return try change(for: caller) { (head) throws(KeychainError) -> ItemReference in
            guard let store else { throw .locked }
            let scope = caller.scope(grants)
            let past = try self.past(number, scope, store)
            let secret = try self.secret(of: past, store)
            let reference = ItemReference(keychain: identifier, number: past.row.item.number)
            if try store.row(reference.number) == nil {
                if let seen, seen != .missing { throw .changedMeanwhile }
                try putBack(past, secret, store, &head)
                try store.past.remove(number, &head)
            } else {
                let now = try sole(reference, scope, store)
                let time = now.content.attributes.date(.modificationDate)
                if let seen, seen != SeenItem(time) { throw .changedMeanwhile }
                // First, so that it does not count among the last values.
                try store.past.remove(number, &head)
                try keepSecret(of: now, before: secret, store, &head)
                try apply(ItemChange(secret: secret), to: now, store, &head)
            }
            return reference
        }
    }

    /// Takes away what is kept.
    func forget(_ number: Int64?, _ caller: Caller) throws(KeychainError) -> Int {
        deferCopy()
        let count = try change(for: caller) { (head) throws(KeychainError) -> Int in
            guard let store else { throw .locked }
            let scope = caller.scope(grants)
            if let number {
                _ = try self.past(number, scope, store)
                // They hold it still.
                try removeCopies()
                try store.past.remove(number, &head)
                return 1
            }
            var items: Set<Int64> = []
            for removed in try store.past.removed() {
                guard let row = try store.past.row(removed.number), isIn(scope, row, store) else { continue }
                items.insert(removed.item)
            }
            guard !items.isEmpty else { return 0 }
            try removeCopies()
            try store.past.removeAll(of: items, &head)
            return items.count
        }
        cutLog()
        if count > 0 { copyAnew() }
        return count
    }

    /// Removes an item for good.
    func erase(_ reference: ItemReference, _ caller: Caller) throws(KeychainError) {
        deferCopy()
        try change(for: caller) { (head) throws(KeychainError) -> Void in
            guard let store else { throw .locked }
            let (row, content) = try sole(reference, caller.scope(grants), store)
            // They hold it still.
            try removeCopies()
            try store.remove(row, content, &head)
            try store.past.removeAll(of: [row.number], &head)
        }
        cutLog()
        copyAnew()
    }

    // MARK: What goes by itself

    /// Takes away what was removed long enough ago. It is looked for once a day.
    ///
    /// - Returns: whether something went.
    func forgetExpired(_ store: ItemStore, _ head: inout Head) throws(KeychainError) -> Bool {
        let now = clock.milliseconds
        if let last = pastLookedAt, now >= last, now - last < PastItem.day { return false }
        pastLookedAt = now
        var items: Set<Int64> = []
        for removed in try store.past.removed() {
            guard let row = try store.past.row(removed.number), let time = store.past.time(of: row),
                now > time, now - time > PastItem.retention + PastItem.day
            else { continue }
            items.insert(removed.item)
        }
        try store.past.removeAll(of: items, &head)
        return !items.isEmpty
    }

    /// The time at which something is put away: now or, by a clock that is behind, the newest that is known of the file. What
    /// was dated earlier would be taken for old once the clock is right, and go.
    ///
    /// - Parameter content: what it says of itself, if that is known.
    func timeToKeep(_ content: ItemContent?, _ store: ItemStore) throws(KeychainError) -> Int64 {
        let created = content?.attributes.date(.creationDate) ?? 0
        let modified = content?.attributes.date(.modificationDate) ?? 0
        // The newest copy was made before the last change, or about then.
        let copied = (try? copies.all())?.first?.time ?? 0
        return max(clock.milliseconds, created, modified, copied, try store.newestTime())
    }

    // MARK: Care

    /// What is wrong with the first past row that does not open.
    func damagedPast(_ store: ItemStore) throws(KeychainError) -> KeychainError? {
        var damage: KeychainError?
        try store.past.forEachRow { row throws(KeychainError) in
            guard damage == nil, !opens(row, store) || store.past.time(of: row) == nil else { return }
            damage = .damagedPast(number: row.number)
        }
        return damage
    }

    /// Takes away the past rows that do not open. Where it is not known since when one is kept, that is from now on. The head
    /// is not told: it is for whoever writes a new one.
    ///
    /// - Parameter lostRows: whether rows may be missing. What is kept of an item that is missing may be all that is left of
    ///   it then, and is kept as if it had been removed now.
    /// - Returns: the highest number of an item that is kept; 0 without one.
    func mendPast(_ store: ItemStore, lostRows: Bool) throws(KeychainError) -> Int64 {
        var unused = Head()
        var highest: Int64 = 0
        // Nobody tells it where this is taken back.
        store.past.forgetNumbers()
        let now = try timeToKeep(nil, store)
        for (number, item) in try store.past.places() {
            guard let row = try store.past.row(number) else { continue }
            guard number < Self.unreached, opens(row, store) else {
                try store.past.remove(number, &unused)
                continue
            }
            highest = max(highest, item)
            if store.past.time(of: row) == nil { try store.past.date(row, at: now) }
        }
        guard lostRows else { return highest }
        for removed in try store.past.removed() {
            guard let row = try store.past.row(removed.number) else { continue }
            try store.past.date(row, at: now)
        }
        return highest
    }

    // MARK: Parts

    /// The item of a reference.
    private func sole(
        _ reference: ItemReference,
        _ scope: AccessScope,
        _ store: ItemStore
    ) throws(KeychainError) -> Found {
        guard let found = try find(KeychainQuery(reference), .one, scope, store).first else { throw .itemNotFound }
        return found
    }

    /// Keeps the secret of an item that is to have another one. Of one that does not open, there is nothing to keep.
    private func keepSecret(
        of old: Found,
        before next: SecretValue?,
        _ store: ItemStore,
        _ head: inout Head
    ) throws(KeychainError) {
        guard let next else { return }
        let key = try key(old.content.accessibility)
        guard let secret = try? store.secret(old.row, old.content, under: key), !secret.constantTimeEquals(next) else {
            return
        }
        try store.past.keep(old.row, at: timeToKeep(old.content, store), &head)
        try store.past.trim(old.row.number, to: PastItem.maximumValues, &head)
    }

    /// Puts an item back that is not there any more, as a version that there never was.
    private func putBack(
        _ past: Past,
        _ secret: SecretValue,
        _ store: ItemStore,
        _ head: inout Head
    ) throws(KeychainError) {
        let (number, old) = (past.row.item.number, past.content)
        var attributes = old.attributes
        // Later than any state that it ever had: an older one may be put back than the last.
        attributes[.modificationDate] = .date(try timeToKeep(old, store) + 1)
        let content = ItemContent(
            old.itemClass,
            old.accessibility,
            group: old.accessGroup,
            isSynchronizable: old.isSynchronizable,
            attributes
        )
        guard try store.numbers(entry(content, store)).isEmpty else { throw .duplicateItem }
        // An item has at most one version more with each change of the file.
        let version = max(try store.past.newestVersion(of: number), Int64(clamping: head.counter)) + 1
        let key = try key(content.accessibility)
        let row = try store.seal(content, number: number, version: version, secret: secret, under: key)
        try store.insert(row, content, &head)
    }

    /// A past row that somebody may know of.
    private func past(
        _ number: Int64,
        _ scope: AccessScope,
        _ store: ItemStore
    ) throws(KeychainError) -> Past {
        guard let row = try store.past.row(number) else { throw .itemNotFound }
        let content = try open(row, store)
        guard scope.contains(content.accessGroup) else { throw .itemNotFound }
        return (row, content)
    }

    private func open(_ row: PastRow, _ store: ItemStore) throws(KeychainError) -> ItemContent {
        guard let content = try? store.open(row.item) else { throw .damagedPast(number: row.number) }
        return content
    }

    private func secret(of past: Past, _ store: ItemStore) throws(KeychainError) -> SecretValue {
        let key = try key(past.content.accessibility)
        guard let secret = try? store.secret(past.row.item, past.content, under: key) else {
            throw .damagedPast(number: past.row.number)
        }
        return secret
    }

    /// Whether a row's item opens, as far as there is a key for it.
    private func opens(_ row: PastRow, _ store: ItemStore) -> Bool {
        do throws(KeychainError) {
            try check(row.item, store)
            return true
        } catch {
            return error == .locked || error == .needsPassphrase
        }
    }

    /// Whether a row is of a group that somebody may use: of one that does not open, only whoever may use them all knows.
    private func isIn(_ scope: AccessScope, _ row: PastRow, _ store: ItemStore) -> Bool {
        guard let content = try? store.open(row.item) else { return scope.all == nil }
        return scope.contains(content.accessGroup)
    }
}
