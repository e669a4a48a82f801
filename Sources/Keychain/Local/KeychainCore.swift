import Glibc
import MildamCrypto
import MildamStorage
import MildamSystem

/// The state of a keychain that is open in this process. One thread at a time.
final class KeychainCore {
    let path: String
    let clock: WallClock
    let database: Database
    let identifier: KeychainIdentifier
    /// Whether reads are to be noted as past the agent.
    let isPastAgent: Bool
    /// Whether nothing can be written where the file lies. It is read into memory then, and never looked at again.
    let isReadOnly: Bool
    /// The copies of earlier states.
    let copies: KeychainCopies
    /// When they were last looked at.
    var lookAtCopies: CopyLook?
    private(set) var keys: ClassKeys?
    private(set) var store: ItemStore?
    private(set) var head = Head()
    private(set) var grants: Set<AccessGrant> = []
    /// What is wrong with the file: nothing is read or written until it is repaired.
    private(set) var problem: KeychainError?
    /// SQLite's mark of the last state of the file that was checked; another process's change moves it.
    private var seenVersion: Int64 = -1
    /// The furthest that this process has seen the file's counter.
    private var furthestCounter: UInt64 = 0
    /// The groups whose reading past the agent was noted.
    private var noted: Set<String> = []
    /// What the TPM's counter said last.
    var counterState = LocalKeychain.CounterState.none
    /// How often the keychain was locked: an unlocking that began before a lock does not undo it.
    private(set) var locks = 0
    /// The slots with a passcode that share the passcode's key that is held; `nil` until they have been looked at.
    var passcodeSlots: Set<Int64>?
    /// The slot that it was unlocked with.
    var openedBy: SlotRow?
    /// Which file it is.
    let file: FileIdentity?
    /// When it was last looked for what is kept no longer, in milliseconds since 1970.
    var pastLookedAt: Int64?
    /// Wrong passphrases since the last right one.
    private var wrongSecrets = 0

    init(path: String, clock: WallClock, isPastAgent: Bool) throws(KeychainError) {
        do throws(SystemError) {
            try TrustedFolder.check(Folder.parent(of: path), othersMayLook: true)
            guard try TrustedFolder.check(file: path) else { throw SystemError("open", path, code: ENOENT) }
        } catch {
            throw error.code == ENOENT ? .noKeychain(path: path) : .io(error)
        }
        self.path = path
        self.clock = clock
        self.isPastAgent = isPastAgent
        let isReadOnly = LocalKeychain.canOnlyRead(path)
        let database = try mapping { () throws(StorageError) -> Database in
            guard isReadOnly else { return try Database(path: path, schema: KeychainSchema.schema) }
            return try Database(image: Database.image(ofFile: path), path: path, schema: KeychainSchema.schema)
        }
        let bytes = try mapping { () throws(StorageError) in
            try database.first("SELECT identifier FROM keychain WHERE id = 1") { row throws(StorageError) in
                try row.bytes(0)
            }
        }
        guard let identifier = bytes.flatMap(KeychainIdentifier.init) else {
            throw .storage(.damaged(path: path, reason: "it has no identifier"))
        }
        self.isReadOnly = isReadOnly
        copies = KeychainCopies(of: path)
        self.database = database
        self.identifier = identifier
        file = FileIdentity(path)
    }

    /// How open it is.
    var state: KeychainState {
        guard let keys else { return .closed }
        return keys.isUnlocked ? .unlocked : .locked
    }

    // MARK: Opening and locking

    /// Takes the keys, and looks at every row.
    ///
    /// - Throws: `changedFromOutside`, `rolledBack`: the keys are taken all the same, for a repair.
    func open(_ content: KeySlot.Content) throws(KeychainError) {
        let keys = ClassKeys(content, identifier)
        if store == nil { store = try ItemStore(database, identifier, keys.metadata) }
        self.keys = keys
        problem = nil
        seenVersion = -1
        passcodeSlots = nil
        do throws(KeychainError) {
            try database.reading { () throws(KeychainError) in try look() }
        } catch .changedFromOutside(let reason) {
            problem = .changedFromOutside(reason: reason)
            throw .changedFromOutside(reason: reason)
        } catch .rolledBack {
            problem = .rolledBack
            throw .rolledBack
        }
        if wrongSecrets > 0, !isReadOnly {
            let count = wrongSecrets
            try change(copying: false) { (head) throws(KeychainError) in
                for _ in 0..<min(count, 100) { try note(.wrongSecret, .own, "", &head) }
            }
            wrongSecrets = 0
        }
    }

    /// Counts a wrong passphrase, to be written down with the next right one.
    func countWrongSecret() { wrongSecrets += 1 }

    /// Forgets the keys that end with the lock.
    func lock() {
        locks += 1
        keys?.lock()
    }

    /// Forgets every key, and what was learned with them.
    func close() {
        locks += 1
        keys = nil
        store = nil
        head = Head()
        grants = []
        passcodeSlots = nil
        openedBy = nil
    }

    /// Forgets the key of what only a passcode opens.
    func forgetPasscode() { keys?.forgetPasscode() }

    /// Calls the file wrong for a reason from outside of it: a counter of the enclave's.
    func refuse(_ reason: KeychainError) { problem = reason }

    /// The key of an accessibility.
    func key(_ accessibility: Accessibility) throws(KeychainError) -> SymmetricKey {
        guard let keys else { throw .locked }
        return try keys.key(accessibility)
    }

    // MARK: Transactions

    /// Runs `body` on one state of the file that was found whole.
    func read<Value>(_ body: (ItemStore) throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        let store = try opened()
        return try database.reading { () throws(KeychainError) in
            try refresh()
            return try body(store)
        }
    }

    /// Runs `body` in a transaction, and writes the head that it leaves. Synced when this returns.
    ///
    /// - Parameter copying: whether the state before it may be copied. An unlocking is no reason: whoever unlocks the keychain
    ///   to put the oldest copy back would lose that to a new one.
    @discardableResult
    func change<Value>(
        copying: Bool = true,
        _ body: (inout Head) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        let store = try opened()
        guard !isReadOnly else { throw .storage(.readOnly(path: path)) }
        if copying { copyState(.change) }
        var next = head
        var isForgotten = false
        do throws(KeychainError) {
            let value = try database.changing { () throws(KeychainError) in
                try refresh()
                next = head
                let value = try body(&next)
                isForgotten = try forgetExpired(store, &next)
                next.counter += 1
                try store.write(next)
                return value
            }
            head = next
            furthestCounter = next.counter
            if isForgotten { cutLog() }
            return value
        } catch {
            // What was taken back is part of them.
            store.past.forgetNumbers()
            // Whether a failed commit is in the file, only the file can say.
            if case .storage = error { seenVersion = -1 }
            throw error
        }
    }

    /// The store, of a keychain that is open and with which nothing is wrong.
    private func opened() throws(KeychainError) -> ItemStore {
        if let problem { throw problem }
        guard let store else { throw .locked }
        // What is written to a file that has lost its name is lost.
        guard FileIdentity(path) == file else { throw .replaced(path: path) }
        return store
    }

    /// Looks at the whole file when another process has changed it.
    private func refresh() throws(KeychainError) {
        guard try fileVersion() != seenVersion else { return }
        do throws(KeychainError) { try look() } catch {
            if case .changedFromOutside = error { problem = error }
            if case .rolledBack = error { problem = error }
            throw error
        }
    }

    private func look() throws(KeychainError) {
        guard let store else { throw .locked }
        let version = try fileVersion()
        try mapping { () throws(StorageError) in try database.checkTables() }
        let found = try store.head()
        guard found.counter >= furthestCounter else { throw .rolledBack }
        guard found.rows == (try store.rowsHash()) else {
            throw .changedFromOutside(reason: "a row is missing, came back or is an older one")
        }
        try loadGrants(store)
        try reviewPasscode()
        store.past.forgetNumbers()
        head = found
        furthestCounter = found.counter
        seenVersion = version
    }

    /// Forgets the passcode's key when every slot that held it is gone: what was sealed under it, nothing would open.
    private func reviewPasscode() throws(KeychainError) {
        let slots = Set(try slotRows().filter(KeySlot.hasPasscode).map(\.number))
        if let known = passcodeSlots, known.isDisjoint(with: slots) { forgetPasscode() }
        passcodeSlots = slots
    }

    private func loadGrants(_ store: ItemStore) throws(KeychainError) {
        grants = []
        for (_, record) in try store.records(.access) {
            if let record, let grant = try? AccessGrant(wireBytes: record) { grants.insert(grant) }
        }
    }

    private func fileVersion() throws(KeychainError) -> Int64 {
        try mapping { () throws(StorageError) in
            try database.first("PRAGMA data_version") { row throws(StorageError) in try row.int64(0) } ?? 0
        }
    }

    // MARK: What is noted

    /// Adds a line to the audit log, within a change.
    func note(
        _ event: AuditRecord.Event,
        _ program: ProgramIdentity,
        _ group: String,
        _ head: inout Head
    ) throws(KeychainError) {
        guard let store else { return }
        let record = AuditRecord(time: clock.milliseconds, event: event, program: program, group: group)
        try store.append(.audit, record.wireBytes, &head)
        let oldest = try mapping { () throws(StorageError) in
            try database.first(
                "SELECT number FROM audit ORDER BY number DESC LIMIT 1 OFFSET ?1",
                AuditRecord.maximumCount
            ) { row throws(StorageError) in try row.int64(0) }
        }
        if let oldest { try store.remove(.audit, oldest, &head) }
    }

    /// Notes, once for each group, that items were read in the file itself.
    func noteReading(_ caller: Caller, _ groups: Set<String>) throws(KeychainError) {
        guard isPastAgent, !isReadOnly else { return }
        let new = groups.subtracting(noted)
        guard !new.isEmpty else { return }
        try change { (head) throws(KeychainError) in
            for group in new.sorted() { try note(.readPastAgent, caller.program, group, &head) }
        }
        noted.formUnion(new)
    }

    /// Accepts the file as it is.
    func accept(_ new: Head) {
        problem = nil
        head = new
        furthestCounter = new.counter
        seenVersion = -1
    }

    /// What the grants are, after a change to them.
    func reloadGrants() throws(KeychainError) {
        if let store { try loadGrants(store) }
    }

    /// Has what was deleted leave the log; a reader of an older state delays that to the next time.
    func cutLog() { try? database.truncateWAL(patience: 0) }
}
