import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem

/// The relay without threads, sockets, HTTP and a clock of its own: its rules, its groups and its store, which is in
/// memory, asked in one thread, so that of equal questions at equal moments come equal answers. The simulation plays with
/// it (`Tools/Simulate`).
///
/// What ``RelayService`` does with an answer of one thread before it asks another, this does at once; each operation has
/// a transaction of its own. Rates that are counted by address and route, and tokens, are not here.
package final class PlayedRelay {
    let database: Database
    let reads: SQLiteReads
    let book: GroupBook
    let overtaken = OvertakenRooms()
    let restoration: Restoration
    let clock: PlayedClock
    let limitsRates: Bool
    private let transactor: Transactor
    private let identity: StoreIdentity
    private var news = PlayedNews()
    /// The first thing that the real relay would have told its log of alone: a store or a group that cannot be read.
    package private(set) var trouble: String?

    /// A relay without accounts.
    ///
    /// - Parameters:
    ///   - limitsRates: whether accounts commit no more often than they may (H12).
    ///   - incarnation: the name of its store.
    ///   - milliseconds: since 1970.
    /// - Throws: a `StorageError`.
    package convenience init(
        limitsRates: Bool,
        incarnation: IncarnationID,
        at milliseconds: Int64
    ) throws(StorageError) {
        try self.init(
            image: RelaySchema.current.emptyImage(),
            StoreIdentity(incarnation: incarnation, restored: 0),
            limitsRates: limitsRates,
            at: milliseconds,
            steady: 0
        )
    }

    private init(
        image: [UInt8],
        _ identity: StoreIdentity,
        limitsRates: Bool,
        at milliseconds: Int64,
        steady: UInt64
    ) throws(StorageError) {
        let database = try Database(image: image, path: "the relay's store in memory", schema: RelaySchema.current)
        let before = try database.storeRow()
        var row = before
        row.incarnation = identity.incarnation
        row.restored = identity.restored
        try database.put(row, replacing: before)
        let transactor = try Transactor(SQLiteLane(inMemory: database))
        let (reads, clock) = (SQLiteReads(inMemory: database), PlayedClock(milliseconds, steady: steady))
        self.database = database
        self.transactor = transactor
        self.reads = reads
        self.clock = clock
        self.identity = identity
        self.limitsRates = limitsRates
        let restoration = Restoration(
            identity,
            clock: WallClock { clock.milliseconds },
            steady: { clock.steady * 1_000_000 }
        )
        self.restoration = restoration
        // No socket is open here.
        book = GroupBook(reads, limitsRates: limitsRates, blamed: BlamedRooms { restoration.isOpen })
    }

    /// The same store as it is now, in another relay.
    ///
    /// - Throws: a `StorageError`.
    package func copy() throws(StorageError) -> PlayedRelay {
        try PlayedRelay(
            image: database.image(),
            identity,
            limitsRates: limitsRates,
            at: clock.milliseconds,
            steady: clock.steady
        )
    }

    /// A copy of the store, put back: another one, to which members give back what it lacks for a day, and devices other key packages
    /// (H41).
    ///
    /// - Parameters:
    ///   - incarnation: the name of the store from here on.
    ///   - milliseconds: when it is put back, since 1970.
    ///   - steady: the same by a clock that does not go back, in milliseconds.
    /// - Throws: a `StorageError`.
    package func putBack(
        as incarnation: IncarnationID,
        at milliseconds: Int64,
        steady: UInt64
    ) throws(StorageError) -> PlayedRelay {
        try PlayedRelay(
            image: database.image(),
            StoreIdentity(incarnation: incarnation, restored: milliseconds),
            limitsRates: limitsRates,
            at: milliseconds,
            steady: steady
        )
    }

    /// A time has passed.
    ///
    /// - Parameters:
    ///   - milliseconds: since 1970.
    ///   - steady: milliseconds of a clock that does not go back, by which rates are counted.
    package func tell(milliseconds: Int64, steady: UInt64) { clock.set(milliseconds, steady: steady) }

    /// What has happened since this was asked last.
    package func takeNews() -> PlayedNews {
        defer { news = PlayedNews() }
        return news
    }

    // MARK: Asking

    var time: GroupBook.CheckTime {
        GroupBook.CheckTime(now: clock.milliseconds / 1000, steady: clock.steady)
    }

    /// Performs an operation, and then what it left to be deleted.
    func perform<Operation: StoreOperation>(_ operation: Operation) -> Result<Operation.Value, APIError> {
        do throws(StorageError) {
            let result = try commit(operation)
            while let next = transactor.remains.last { _ = try commit(DeleteRemains(remains: next)) }
            return result
        } catch {
            transactor.abort()
            return .failure(fail("the store: \(error)"))
        }
    }

    private func commit<Operation: StoreOperation>(
        _ operation: Operation
    ) throws(StorageError) -> Result<Operation.Value, APIError> {
        try transactor.begin(at: clock.milliseconds)
        let result = try transactor.perform(operation)
        for notice in try transactor.commit() { news.take(notice) }
        return result
    }

    /// Looks at something by the groups that are followed.
    func look<Value>(_ body: (GroupBook) throws(GroupBookError) -> Value) -> Result<Value, APIError> {
        do throws(GroupBookError) {
            return .success(try body(book))
        } catch {
            switch error {
            case .refused(let refusal): return .failure(refusal)
            case .storage(let failure): return .failure(fail("the store: \(failure)"))
            case .damaged: return .failure(fail("what the store has of a group cannot be followed"))
            }
        }
    }

    /// Reads.
    func read<Value>(
        _ body: (SQLiteReads) throws(StorageError) -> Result<Value, APIError>
    ) -> Result<Value, APIError> {
        do throws(StorageError) {
            return try body(reads)
        } catch {
            return .failure(fail("the store: \(error)"))
        }
    }

    private func fail(_ words: String) -> APIError {
        trouble = trouble ?? words
        return APIError(.internalError, words)
    }
}
