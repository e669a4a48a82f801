import Glibc
import MildamCrypto
import MildamEnclave
import MildamStorage
import MildamSystem

/// A keychain in a file, opened by this very process: what the agent keeps, and what a program uses where no agent runs.
///
/// Every change is one transaction, and on the disk when it returns. Two processes may use one file; each looks at the
/// whole of it again when the other has changed it.
public final class LocalKeychain: Keychain {
    /// The file.
    public let path: String
    /// Which keychain it is.
    public let identifier: KeychainIdentifier
    /// Which file the path named when it was opened; `nil` when it was gone at once.
    let file: FileIdentity?
    /// Whether nothing can be written where the file lies.
    public let isReadOnly: Bool
    let core: Lock<KeychainCore>
    let enclave: (any Enclave)?
    let caller: Caller

    /// How a keychain is used.
    public struct Options: Sendable {
        /// On whose behalf.
        public var program = ProgramIdentity.own
        /// Whether every access group may be used, and no grant is asked for: the owner's own tool.
        public var isOwner = false
        /// Whether this is the agent; any other program's reading is noted in the audit log.
        public var isAgent = false
        /// What holds the keys of slots with an enclave, and the counter against older copies of the file.
        public var enclave: (any Enclave)?
        /// Where the time comes from.
        public var clock = WallClock.system

        /// The defaults.
        public init() {}
    }

    /// Opens the file; the keychain itself stays closed until ``unlock(_:)``.
    ///
    /// Where nothing can be written, all can be read: a change throws `storage(.readOnly)`, the audit log gets no line, and
    /// what others change meanwhile is not seen. An agent does not open such a file.
    ///
    /// - Throws: `noKeychain`, `storage`; `io` also where another user of the machine could have put the file there.
    public convenience init(path: String, options: Options = Options()) throws(KeychainError) {
        let core = try KeychainCore(path: path, clock: options.clock, isPastAgent: !options.isAgent)
        // What an agent has in memory would be old as soon as somebody else can write.
        guard !core.isReadOnly || !options.isAgent else { throw .storage(.readOnly(path: path)) }
        self.init(core, options)
    }

    /// Whether this user may not write to a keychain's file, or not make the files beside it that a change needs.
    public static func canOnlyRead(_ path: String) -> Bool {
        [path, Folder.parent(of: path)].contains { (place: String) in
            unsafe access(place, W_OK) != 0 && [EROFS, EACCES, EPERM].contains(errno)
        }
    }

    private init(_ core: sending KeychainCore, _ options: Options) {
        path = core.path
        identifier = core.identifier
        file = core.file
        isReadOnly = core.isReadOnly
        self.core = Lock(core)
        enclave = options.enclave
        caller = Caller(program: options.program, isOwner: options.isOwner)
    }

    /// Makes a keychain with one slot, and opens it.
    ///
    /// - Parameters:
    ///   - path: the file, which must not exist; its folder is made with permissions 0700, and nobody else may write there.
    ///   - secret: what will open it.
    ///   - costs: what a passphrase costs to try.
    /// - Throws: `alreadyExists`, `storage`, `io`.
    public static func create(
        at path: String,
        secret: SlotSecret,
        costs: PassphraseCosts = .tuned(),
        options: Options = Options()
    ) async throws(KeychainError) -> LocalKeychain {
        let isTaken: Bool
        do throws(SystemError) { isTaken = try WholeFile.isThere(path) } catch { throw .io(error) }
        guard !isTaken else { throw .alreadyExists(path: path) }
        do throws(SystemError) {
            try TrustedFolder.create(Folder.parent(of: path), othersMayLook: true)
        } catch {
            throw .io(error)
        }
        let identifier = KeychainIdentifier()
        let content = KeySlot.Content(
            main: SymmetricKey(size: .bits256),
            passcode: secret.kind.hasPasscode ? SymmetricKey(size: .bits256) : nil
        )
        let (slot, key) = try await KeySlot.make(
            for: secret,
            costs,
            identifier,
            options.clock.milliseconds,
            options.enclave
        )
        let sealed = try slot.seal(content, under: key, identifier)
        try lay(
            identifier,
            SlotRow(number: 1, parameters: slot.wireBytes, sealed: sealed),
            content,
            at: path,
            options.clock
        )
        let keychain = try LocalKeychain(path: path, options: options)
        try keychain.core.withLock { (core) throws(KeychainError) in try core.open(content) }
        return keychain
    }

    /// Writes the tables, the slot and the head in one transaction.
    static func lay(
        _ identifier: KeychainIdentifier,
        _ slot: SlotRow,
        _ content: KeySlot.Content,
        at path: String,
        _ clock: WallClock
    ) throws(KeychainError) {
        let database = try mapping { () throws(StorageError) in
            try Database(path: path, schema: KeychainSchema.schema)
        }
        let store = try ItemStore(database, identifier, ClassKeys(content, identifier).metadata)
        try database.changing { () throws(KeychainError) in
            do throws(StorageError) {
                try database.execute(
                    "INSERT INTO keychain VALUES (1, ?1, ?2)",
                    identifier.bytes,
                    clock.milliseconds
                )
            } catch .constraint {
                throw .alreadyExists(path: path)  // another process was faster
            } catch {
                throw .storage(error)
            }
            var head = Head()
            head.nextRecord = slot.number + 1
            try store.insert(slot, &head)
            try store.write(head)
        }
    }

    // MARK: State

    /// How open it is.
    public var state: KeychainState { core.withLock { $0.state } }

    /// Opens the keychain.
    ///
    /// - Throws: `wrongSecret`; `noSuchSlot`; `locked` when it was locked meanwhile; `changedFromOutside` or `rolledBack`,
    ///   after which ``repair()`` is all that can be done.
    public func unlock(_ secret: SlotSecret) async throws(KeychainError) {
        let locks = core.withLock { $0.locks }
        let (row, content) = try await open(secret)
        try core.withLock { (core) throws(KeychainError) in
            guard core.locks == locks else { throw .locked }
            core.openedBy = row
            try core.open(content)
        }
        try await checkCounter()
    }

    /// Forgets the keys of what can be read only while the keychain is unlocked.
    public func lock() { core.withLock { $0.lock() } }

    /// Forgets every key: nothing can be read until the keychain is unlocked again, not even what items are called.
    public func close() {
        copyState(.end)
        core.withLock { $0.close() }
    }

    /// How many items can be read as it is, whoever's they are: none of a closed keychain.
    public func readableItems() throws(KeychainError) -> Int {
        try core.withLock { (core) throws(KeychainError) in try core.readableItems() }
    }

    // MARK: Items

    /// Adds an item.
    @discardableResult
    public func add(_ item: NewItem) throws(KeychainError) -> ItemReference { try add(item, caller) }

    /// The items that match.
    public func copyMatching(
        _ query: KeychainQuery,
        limit: KeychainQuery.Limit = .one,
        returningSecrets: Bool = true
    ) throws(KeychainError) -> [KeychainItem] {
        try copyMatching(query, limit, returningSecrets: returningSecrets, caller)
    }

    /// Changes all items that match.
    @discardableResult
    public func update(_ query: KeychainQuery, _ change: ItemChange) throws(KeychainError) -> Int {
        try update(query, change, caller)
    }

    /// Deletes all items that match.
    @discardableResult
    public func delete(_ query: KeychainQuery) throws(KeychainError) -> Int { try delete(query, caller) }

    /// Adds the item, or updates the one with its primary key.
    @discardableResult
    public func set(_ item: NewItem) throws(KeychainError) -> ItemReference { try set(item, caller) }

    /// Every item, without what it protects, and the numbers of those that do not open: for an export.
    func everyItem() throws(KeychainError) -> (items: [KeychainItem], damaged: [Int64]) {
        try core.withLock { (core) throws(KeychainError) in try core.everyItem(caller) }
    }

    // MARK: Care

    /// Looks at every row.
    public func verify() throws(KeychainError) -> KeychainReport {
        try core.withLock { (core) throws(KeychainError) in try core.verify() }
    }

    /// Takes the file as it is for what it should be, after something changed it from outside.
    ///
    /// - Returns: what was found before.
    @discardableResult
    public func repair() async throws(KeychainError) -> KeychainReport {
        let report = try core.withLock { (core) throws(KeychainError) in try core.repair(caller) }
        try await acceptCounter()
        return report
    }

    /// Takes away an item that does not open.
    ///
    /// - Throws: `itemNotFound`; `invalidRequest` for one that does open; `needsPassphrase` for one that only a passcode opens,
    ///   where another way opened the keychain.
    public func discardDamaged(_ number: Int64) throws(KeychainError) {
        try core.withLock { (core) throws(KeychainError) in try core.discardDamaged(number) }
    }
}

/// The same on behalf of others: what the agent does.
extension LocalKeychain {
    func add(_ item: NewItem, _ caller: Caller) throws(KeychainError) -> ItemReference {
        try core.withLock { (core) throws(KeychainError) in try core.add(item, caller) }
    }

    func set(_ item: NewItem, _ caller: Caller) throws(KeychainError) -> ItemReference {
        try core.withLock { (core) throws(KeychainError) in try core.set(item, caller) }
    }

    func copyMatching(
        _ query: KeychainQuery,
        _ limit: KeychainQuery.Limit,
        returningSecrets: Bool,
        _ caller: Caller,
        atMost room: Int = .max
    ) throws(KeychainError) -> [KeychainItem] {
        try core.withLock { (core) throws(KeychainError) in
            try core.copyMatching(query, limit, returningSecrets: returningSecrets, caller, atMost: room)
        }
    }

    func update(_ query: KeychainQuery, _ change: ItemChange, _ caller: Caller) throws(KeychainError) -> Int {
        try core.withLock { (core) throws(KeychainError) in try core.update(query, change, caller) }
    }

    func delete(_ query: KeychainQuery, _ caller: Caller) throws(KeychainError) -> Int {
        try core.withLock { (core) throws(KeychainError) in try core.delete(query, caller) }
    }
}
