import Glibc
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

    /// How often it is begun again while other programs go on changing the file.
    private static let attempts = 16

    func putBack(_ copy: KeychainCopy, _ caller: Caller) throws(KeychainError) -> RestoredState {
        for _ in 0..<Self.attempts {
            if let restored = try putBackUnlessChanged(copy, caller) { return restored }
        }
        throw .changedMeanwhile
    }

    /// - Returns: `nil` where another program has changed the file since its state was kept: nothing is put back then.
    private func putBackUnlessChanged(
        _ copy: KeychainCopy,
        _ caller: Caller
    ) throws(KeychainError) -> RestoredState? {
        guard let store else { throw .locked }
        guard !isReadOnly else { throw .storage(.readOnly(path: path)) }
        let old = try opened(copy)
        var next = try old.head()
        guard try next.rows == old.rowsHash() else {
            throw .changedFromOutside(reason: "the copy \(copy.number) is not whole")
        }
        let (place, present) = try keepPresent(store, before: copy)
        // The newest that is known: no number is given out twice, and whoever has the file open takes this for newer.
        next.counter = max(next.counter, present?.counter ?? 0, head.counter) + 1
        next.nextItem = max(next.nextItem, present?.nextItem ?? 1, head.nextItem)
        next.nextRecord = max(next.nextRecord, present?.nextRecord ?? 1, head.nextRecord)
        if let present {
            next.hardwareCounter = present.hardwareCounter
            next.hardwareKey = present.hardwareKey
        }
        let parts = try parts(of: store)
        let (slots, lost) = try slots(toPutInto: old, &next)
        var stayed = 0
        let accepted = try old.database.changing { () throws(KeychainError) -> Head in
            try old.replaceSlots(by: slots, &next)
            stayed = try lay(parts, into: old, &next)
            let record = AuditRecord(time: clock.milliseconds, event: .repaired, program: caller.program, group: "")
            try old.append(.audit, record.wireBytes, &next)
            try old.write(next)
            return next
        }
        let isTaken = try mapping { () throws(StorageError) in
            try database.takeContent(of: old.database) { counterOnDisk() == present?.counter }
        }
        guard isTaken else {
            // What is replaced in the end is another state, and kept anew.
            if let place { unsafe unlink(place) }
            return nil
        }
        passcodeSlots = nil
        accept(accepted)
        cutLog()
        copies.trim()
        return RestoredState(keptFile: place, keptParts: stayed, lostSlots: lost)
    }

    /// Keeps the present state before another takes its place: among the copies or, where it cannot be there, beside the file.
    ///
    /// - Parameter copy: has that other state. It may be the oldest.
    /// - Returns: the file beside it, if that has it; and the head of what was kept, where it has one.
    private func keepPresent(
        _ store: ItemStore,
        before copy: KeychainCopy
    ) throws(KeychainError) -> (place: String?, head: Head?) {
        // What another program has changed is to be known before it is asked whether a copy is due.
        _ = try presentHead(store)
        copyState(.replacement(by: copy))
        let present = try presentHead(store)
        if problem == nil, let present, try copies.all().first?.number == present.counter { return (nil, present) }
        return (try keepFileAside(as: problem == nil ? "earlier" : "damaged"), present)
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

    /// The file's head as it is now; `nil` where that does not open.
    private func presentHead(_ store: ItemStore) throws(KeychainError) -> Head? {
        do throws(KeychainError) { return try read { _ throws(KeychainError) in head } } catch .replaced(let path) {
            throw .replaced(path: path)
        } catch {
            return try? store.head()
        }
    }

    /// How often the file has been changed, as another connection reads it; `nil` where that cannot be read.
    private func counterOnDisk() -> UInt64? {
        guard let keys else { return nil }
        var options = Database.Options()
        options.readOnly = true
        guard let other = try? Database(path: path, schema: KeychainSchema.schema, options: options),
            let store = try? ItemStore(other, identifier, keys.metadata)
        else { return nil }
        return try? store.head().counter
    }

    // MARK: What no earlier state takes away

    /// The items of the tool's own parts: without a profile's root key, nothing of the profile opens.
    private func parts(of store: ItemStore) throws(KeychainError) -> [Found] {
        var parts: [Found] = []
        do throws(KeychainError) {
            try database.reading { () throws(KeychainError) in
                try store.forEachRow { row throws(KeychainError) in
                    if let content = try? store.open(row), AccessGroup.isOfAPart(content.accessGroup),
                        opens(row, content, store)
                    {
                        parts.append((row, content))
                    }
                    return true
                }
            }
        } catch {
            // Of a damaged file, what can be read.
            guard problem != nil else { throw error }
        }
        return parts
    }

    /// Lays the items of the tool's own parts into a state that is to be put back. Where that has another value of one, the
    /// present one counts, if the file is whole.
    ///
    /// - Returns: how many the state did not have as they are.
    private func lay(_ parts: [Found], into old: ItemStore, _ head: inout Head) throws(KeychainError) -> Int {
        var count = 0
        for (row, content) in parts {
            var earlier: [ItemRow] = []
            for number in Set(try old.numbers(entry(content, old)) + [row.number]).sorted() {
                if let found = try old.row(number) { earlier.append(found) }
            }
            guard earlier != [row], problem == nil || earlier.isEmpty else { continue }
            for found in earlier { try old.discard(found, &head) }
            try old.insert(row, content, &head)
            head.nextItem = max(head.nextItem, row.number + 1)
            count += 1
        }
        return count
    }

    /// What opens the keychain once a state is put back: what opens it now. In a file that is not whole, nobody knows which
    /// slots are its own: then those of the state, and the one that has just opened the file.
    ///
    /// - Returns: the slots; and the numbers of those in the file that are not among them.
    private func slots(
        toPutInto old: ItemStore,
        _ head: inout Head
    ) throws(KeychainError) -> (slots: [SlotRow], lost: [Int64]) {
        guard problem != nil else { return (try slotRows(), []) }
        let present = (try? slotRows()) ?? []
        var slots = try old.slots()
        if let own = openedBy, present.contains(own), !slots.contains(where: own.isSame(as:)) {
            slots = Array(slots.prefix(LocalKeychain.maximumSlots - 1))
            // The number that the file gives it is anybody's word.
            slots.append(SlotRow(number: head.nextRecord, parameters: own.parameters, sealed: own.sealed))
            head.nextRecord += 1
        }
        return (slots, present.filter { row in !slots.contains(where: row.isSame(as:)) }.map(\.number))
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
        for removed in try store.past.removed() { whole.kept[removed.item] = removed.version }
        return whole
    }

    /// Whether a row's secret opens, or there is no key here that could tell.
    private func opens(_ row: ItemRow, _ content: ItemContent, _ store: ItemStore) -> Bool {
        guard let key = try? self.key(content.accessibility) else { return true }
        return (try? store.secret(row, content, under: key)) != nil
    }
}
