import MildamCrypto
import MildamStorage
import MildamSystem

/// What the copies give back.
extension KeychainCore {
    /// A copy, opened in memory with the keys that are held here.
    private func opened(_ copy: KeychainCopy) throws(KeychainError) -> ItemStore {
        guard let keys else { throw .locked }
        return try ItemStore(try copy.database(), identifier, keys.metadata)
    }

    // MARK: All of a copy

    /// - Returns: where the present state is kept, if that is not among the copies.
    func putBack(_ copy: KeychainCopy, _ caller: Caller) throws(KeychainError) -> String? {
        guard let store else { throw .locked }
        guard !isReadOnly else { throw .storage(.readOnly(path: path)) }
        let old = try opened(copy)
        var next = try old.head()
        guard try next.rows == old.rowsHash() else {
            throw .changedFromOutside(reason: "the copy \(copy.number) is not whole")
        }
        let place = try keepPresent()
        // The newest that is known: no number is given out twice, and whoever has the file open takes this for newer.
        let present = try? store.head()
        next.counter = max(next.counter, present?.counter ?? 0, head.counter) + 1
        next.nextItem = max(next.nextItem, present?.nextItem ?? 1, head.nextItem)
        next.nextRecord = max(next.nextRecord, present?.nextRecord ?? 1, head.nextRecord)
        if let present {
            next.hardwareCounter = present.hardwareCounter
            next.hardwareKey = present.hardwareKey
        }
        let slots = problem == nil ? try slotRows() : nil
        let accepted = try old.database.changing { () throws(KeychainError) -> Head in
            if let slots { try old.replaceSlots(by: slots, &next) }
            let record = AuditRecord(time: clock.milliseconds, event: .repaired, program: caller.program, group: "")
            try old.append(.audit, record.wireBytes, &next)
            try old.write(next)
            return next
        }
        try mapping { () throws(StorageError) in try database.takeContent(of: old.database) }
        passcodeSlots = nil
        accept(accepted)
        cutLog()
        return place
    }

    /// Keeps the present state before another takes its place: among the copies or, where it cannot be there, beside the file.
    private func keepPresent() throws(KeychainError) -> String? {
        copyState(.replacement)
        if problem == nil, try copies.all().first?.number == head.counter { return nil }
        return try keepFileAside(as: problem == nil ? "earlier" : "damaged")
    }

    /// Keeps the file as it is under another name beside it, which nothing had before.
    ///
    /// - Parameter name: what the time follows in it.
    /// - Returns: the path.
    func keepFileAside(as name: String) throws(KeychainError) -> String {
        let image = try mapping { () throws(StorageError) in try database.image() }
        let place = PlaceAside(beside: path, as: name, at: clock.milliseconds).path
        do throws(SystemError) { try WholeFile.create(image.span, at: place) } catch { throw .io(error) }
        return place
    }

    // MARK: Single items

    func restoreItems(withMissing: Bool, _ caller: Caller) throws(KeychainError) -> [RestoredItem] {
        let copies = try copies.all()
        guard !copies.isEmpty else { return [] }
        var missing = try read { (store) throws(KeychainError) in try whole(store) }
        var found: [(row: ItemRow, content: ItemContent, time: Int64)] = []
        // What the newest copy has not was removed before that was made.
        var hasMissing = withMissing
        for copy in copies {
            guard let old = try? opened(copy), (try? old.head()) != nil else { continue }
            try old.database.reading { () throws(KeychainError) in
                try old.forEachRow { row throws(KeychainError) in
                    guard missing.lacks(row, orMissing: hasMissing), let content = try? old.open(row),
                        opens(row, content, old)
                    else { return true }
                    found.append((row, content, copy.time))
                    missing.wholeNumbers.insert(row.number)
                    return true
                }
            }
            hasMissing = false
        }
        guard !found.isEmpty else { return [] }
        let restored = try change { (head) throws(KeychainError) -> [RestoredItem] in
            guard let store else { throw .locked }
            var restored: [RestoredItem] = []
            for (row, content, time) in found {
                let damaged = try store.row(row.number)
                // What has its name by now is newer.
                let holders = try store.numbers(entry(content, store)).filter { $0 != row.number }
                guard holders.isEmpty else { continue }
                if let damaged { try store.discard(damaged, &head) }
                try store.insert(row, content, &head)
                head.nextItem = max(head.nextItem, row.number + 1)
                restored.append(RestoredItem(item: item(row, content, nil), time: time))
            }
            try note(.repaired, caller.program, "", &head)
            return restored
        }
        cutLog()
        return restored
    }

    /// Which items a file has.
    private struct Whole {
        /// Those that open, and those of which that cannot be said here.
        var wholeNumbers: Set<Int64> = []
        /// Those that do not open.
        var damaged: Set<Int64> = []
        /// Those that are missing, each with the newest version of it that is kept.
        var kept: [Int64: Int64] = [:]

        /// Whether an item of a copy does not open here or, where that counts, is missing. Of what was removed by hand, the
        /// file itself keeps the last version; of what was lost, former ones at most.
        func lacks(_ row: ItemRow, orMissing: Bool) -> Bool {
            if wholeNumbers.contains(row.number) { return false }
            return damaged.contains(row.number) || orMissing && kept[row.number, default: 0] < row.version
        }
    }

    private func whole(_ store: ItemStore) throws(KeychainError) -> Whole {
        var whole = Whole()
        try store.forEachRow { row throws(KeychainError) in
            if let content = try? store.open(row), opens(row, content, store) {
                whole.wholeNumbers.insert(row.number)
            } else {
                whole.damaged.insert(row.number)
            }
            return true
        }
        for removed in try store.past.removed() {
            whole.kept[removed.item] = try store.past.newestVersion(of: removed.item)
        }
        return whole
    }

    /// Whether a row's secret opens, or there is no key here that could tell.
    private func opens(_ row: ItemRow, _ content: ItemContent, _ store: ItemStore) -> Bool {
        guard let key = try? self.key(content.accessibility) else { return true }
        return (try? store.secret(row, content, under: key)) != nil
    }
}
