import MildamCrypto
import MildamStorage
import MildamWire

/// The ways to open the keychain.
extension LocalKeychain {
    /// How many there may be: what is not known to be genuine before one opens is tried only so often.
    public static let maximumSlots = 32

    /// Which there are, but for damaged ones: one that is damaged leaves the others.
    ///
    /// - Throws: `storage`.
    public func slots() throws(KeychainError) -> [SlotInfo] {
        let rows = try rows()
        return rows.compactMap { row in
            (try? slot(row)).map { slot in
                SlotInfo(number: row.number, kind: slot.kind, created: slot.created, costs: slot.passphrase?.costs)
            }
        }
    }

    /// Adds a way to open the keychain, which has to be unlocked.
    ///
    /// - Parameter authorization: what opens it already; the keys that a slot holds are not kept while it is open.
    /// - Throws: `wrongSecret`; `needsPassphrase` for a slot with a passcode, where one exists and another kind of slot
    ///   authorised it.
    @discardableResult
    public func addSlot(
        _ secret: SlotSecret,
        costs: PassphraseCosts = .tuned(),
        authorizedBy authorization: SlotSecret
    ) async throws(KeychainError) -> SlotInfo {
        let locks = core.withLock { $0.locks }
        let (row, content) = try await open(authorization)
        let grown = try withPasscode(content, for: secret.kind)
        let (slot, key) = try await KeySlot.make(for: secret, costs, identifier, now(), enclave)
        let sealed = try slot.seal(grown, under: key, identifier)
        let number = try core.withLock { (core) throws(KeychainError) in
            let number = try core.change { (head) throws(KeychainError) in
                // All this took its time: another program may have taken that slot away, or made the first passcode.
                let rows = try core.slotRows()
                guard rows.contains(where: { $0.number == row.number }) else { throw .noSuchSlot }
                guard rows.count < Self.maximumSlots else {
                    throw .invalidRequest(reason: "there are \(rows.count) ways to open the keychain already")
                }
                if grown.passcode != nil, content.passcode == nil, rows.contains(where: KeySlot.hasPasscode) {
                    throw .needsPassphrase
                }
                return try core.insert(slot, sealed, &head)
            }
            // A slot without a passcode would take the key of what only a passcode opens from whoever has it.
            if core.locks == locks, core.state != .unlocked || grown.passcode != nil { try core.open(grown) }
            return number
        }
        return SlotInfo(number: number, kind: slot.kind, created: slot.created, costs: slot.passphrase?.costs)
    }

    /// Takes another secret in the place of one, without touching an item.
    ///
    /// The copies of earlier states go, which the old one would open.
    ///
    /// - Throws: `wrongSecret`; the old one opens the keychain until the new one does.
    public func replaceSlot(
        _ old: SlotSecret,
        with new: SlotSecret,
        costs: PassphraseCosts = .tuned()
    ) async throws(KeychainError) {
        let (row, content) = try await open(old)
        guard old.kind.hasPasscode == new.kind.hasPasscode else {
            throw .invalidRequest(
                reason:
                    "a slot with a passcode is replaced by one with a passcode; `mildam keychain add-slot` adds it, and "
                    + "`mildam keychain remove-slot` takes the other away"
            )
        }
        let (slot, key) = try await KeySlot.make(for: new, costs, identifier, now(), enclave)
        let sealed = try slot.seal(content, under: key, identifier)
        try core.withLock { (core) throws(KeychainError) in
            core.deferCopy()
            try core.change { (head) throws(KeychainError) in
                try core.remove(slot: row.number, &head)
                _ = try core.insert(slot, sealed, &head)
                try core.removeCopies()
            }
            core.cutLog()
            core.copyAnew()
        }
    }

    /// Takes a way to open the keychain away, by another one: so that one which opens it is left. With the last that has a
    /// passcode, everything that is `whenPasscodeSetThisDeviceOnly` goes for good, and so does its key. The copies of earlier
    /// states go, too.
    ///
    /// - Parameters:
    ///   - authorization: what opens it by another slot.
    ///   - loss: the most items that may go.
    /// - Returns: how many items went with it.
    /// - Throws: `wrongSecret`; `noSuchSlot`; `lastSlot` where it is the slot that was opened; `needsPassphrase` where more
    ///   would go than `loss`.
    @discardableResult
    public func removeSlot(
        _ number: Int64,
        authorizedBy authorization: SlotSecret,
        loss: Int = 0
    ) async throws(KeychainError) -> Int {
        let (row, _) = try await open(authorization)
        return try core.withLock { (core) throws(KeychainError) in
            core.deferCopy()
            let removed = try core.change { (head) throws(KeychainError) in
                let before = try core.slotRows()
                guard before.contains(where: { $0.number == number }) else { throw .noSuchSlot }
                // Of the others, nobody knows whether they still open it.
                guard row.number != number else { throw .lastSlot }
                // That took its time: another program may have taken this one away.
                guard before.contains(where: { $0.number == row.number }) else { throw .noSuchSlot }
                let rest = before.filter { $0.number != number }
                let takesItems = !rest.contains(where: KeySlot.hasPasscode)
                if takesItems, try core.passcodeItemCount() > loss { throw .needsPassphrase }
                try core.removeCopies()
                try core.remove(slot: number, &head)
                return takesItems ? try core.removePasscodeItems(&head) : 0
            }
            if try !core.slotRows().contains(where: KeySlot.hasPasscode) { core.forgetPasscode() }
            core.cutLog()
            core.copyAnew()
            return removed
        }
    }

    // MARK: Parts

    /// The slot that a secret opens, and what is in it.
    ///
    /// - Throws: `noSuchSlot`, `wrongSecret`; `storage` where a damaged slot may be the one that is meant.
    func open(_ secret: SlotSecret) async throws(KeychainError) -> (row: SlotRow, content: KeySlot.Content) {
        var isTried = false
        var damage: KeychainError?
        for row in try rows() {
            guard KeySlot.kind(of: row) == secret.kind else { continue }
            switch Result(catching: { () throws(KeychainError) in try slot(row) }) {
            case .failure(let error): damage = error
            case .success(let slot):
                isTried = true
                let key = try await slot.key(secret, identifier, enclave)
                if let content = slot.open(row.sealed, under: key, identifier) { return (row, content) }
            }
        }
        if isTried { core.withLock { $0.countWrongSecret() } }
        if let damage { throw damage }
        throw isTried ? .wrongSecret : .noSuchSlot
    }

    private func rows() throws(KeychainError) -> [SlotRow] {
        let rows = try core.withLock { (core) throws(KeychainError) in try core.slotRows() }
        guard rows.count <= Self.maximumSlots else {
            throw .storage(.damaged(path: path, reason: "it has \(rows.count) slots"))
        }
        return rows
    }

    private func slot(_ row: SlotRow) throws(KeychainError) -> KeySlot {
        do throws(WireError) { return try KeySlot(wireBytes: row.parameters) } catch {
            throw .storage(.damaged(path: path, reason: "slot \(row.number) is damaged"))
        }
    }

    func now() -> Int64 { core.withLock { $0.clock.milliseconds } }

    /// The content for a new slot: with a passcode key, where its kind has one.
    private func withPasscode(_ content: KeySlot.Content, for kind: SlotKind) throws(KeychainError) -> KeySlot.Content {
        guard kind.hasPasscode else { return KeySlot.Content(main: content.main, passcode: nil) }
        if content.passcode != nil { return content }
        guard try !rows().contains(where: KeySlot.hasPasscode) else { throw .needsPassphrase }
        return KeySlot.Content(main: content.main, passcode: SymmetricKey(size: .bits256))
    }
}

extension KeySlot {
    /// The kind that a row claims to be.
    static func kind(of row: SlotRow) -> SlotKind? {
        row.parameters.count > 1 ? SlotKind(rawValue: row.parameters[1]) : nil
    }

    /// Whether a row claims to be of a kind with a passcode.
    static func hasPasscode(_ row: SlotRow) -> Bool { kind(of: row)?.hasPasscode ?? false }
}

extension KeychainCore {
    /// The slots as they lie in the file.
    func slotRows() throws(KeychainError) -> [SlotRow] {
        try mapping { () throws(StorageError) in
            try database.rows("SELECT * FROM slot ORDER BY number") { row throws(StorageError) in try SlotRow(row) }
        }
    }

    func insert(_ slot: KeySlot, _ sealed: [UInt8], _ head: inout Head) throws(KeychainError) -> Int64 {
        guard let store else { throw .locked }
        let row = SlotRow(number: head.nextRecord, parameters: slot.wireBytes, sealed: sealed)
        head.nextRecord += 1
        try store.insert(row, &head)
        if KeySlot.hasPasscode(row) { passcodeSlots?.insert(row.number) }
        return row.number
    }

    func remove(slot number: Int64, _ head: inout Head) throws(KeychainError) {
        guard let store, let row = try slotRows().first(where: { $0.number == number }) else { throw .noSuchSlot }
        try store.remove(row, &head)
    }

    /// Removes every item whose key goes with the last passcode, and what is kept of such items.
    func removePasscodeItems(_ head: inout Head) throws(KeychainError) -> Int {
        guard let store else { throw .locked }
        let count = try passcodeItemCount()
        for row in try passcodeItems(store) { try store.discard(row, &head) }
        try store.past.removeAll(under: .whenPasscodeSetThisDeviceOnly, &head)
        return count
    }

    /// How many items that is: each once, also where only a removed or a former secret of it goes.
    func passcodeItemCount() throws(KeychainError) -> Int {
        guard let store else { throw .locked }
        let present = try passcodeItems(store).map(\.number)
        return Set(present).union(try store.past.items(under: .whenPasscodeSetThisDeviceOnly)).count
    }

    private func passcodeItems(_ store: ItemStore) throws(KeychainError) -> [ItemRow] {
        var rows: [ItemRow] = []
        try store.forEachRow { row throws(KeychainError) in
            if row.accessibility == Int64(Accessibility.whenPasscodeSetThisDeviceOnly.rawValue) { rows.append(row) }
            return true
        }
        return rows
    }
}
