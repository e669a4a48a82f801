import MildamStorage

/// One store as the relay's one writer has it. It loads facts, writes changes down, and decides nothing.
///
/// A batch is `begin`, then `load` and `apply` as often as it takes, then `commit`; or `abort`, at any point.
protocol CommitLane: FactSource, Housekeeping {
    /// Whether nobody else changes the store, so that a room is what it was in the batch before.
    var isOnlyWriter: Bool { get }

    /// Whether it is asked for each fact when a rule needs it; not where each question is a journey.
    var loadsOnDemand: Bool { get }

    /// Begins a batch.
    func begin() throws(StorageError)

    /// Takes what an accepted operation changes. What is loaded from here on has it; it is on the disk once the batch is.
    func apply(_ changes: Changes) throws(StorageError)

    /// Returns once all that was applied is on the disk; nothing of it is, when this throws.
    func commit() throws(StorageError)

    /// Undoes what was applied.
    func abort()
}

/// What a store does between the batches, on its lane's thread.
protocol Housekeeping: AnyObject {
    /// Looks for what was left to be deleted when the relay last stopped.
    func findRemains() throws(StorageError) -> [Remains]

    /// Whether something was deleted that the store still has somewhere.
    var hasDeleted: Bool { get }

    /// Removes from the disk what was deleted before.
    ///
    /// - Parameter patience: how long to wait for readers, in milliseconds; `nil`: as long as for anything else.
    /// - Throws: `.busy` while a reader is on an older state.
    func removeDeleted(patience: Int32?) throws(StorageError)

    /// Does what is due after a batch. What fails is said in the log.
    func tidy()

    /// Ends what works beside the lane. Called once.
    func close()
}

/// A store: it opens a lane for the thread that writes, and as many readers as there are threads that read.
protocol RelayStore: Sendable {
    /// Makes what is missing, so that those who read find it.
    func prepare() throws(StorageError)

    /// Finds out which store it is, at a start, after it was prepared and before anything else is opened: another one where it
    /// is older than it was.
    ///
    /// - Parameter now: milliseconds since 1970.
    func identify(at now: Int64) throws(StorageError) -> StoreIdentity

    /// Opens the lane, on the thread that it belongs to.
    func openLane() throws(RelayError) -> any CommitLane

    /// Opens a reader, on the thread that it belongs to. The store was prepared.
    func openReads() throws(StorageError) -> any RelayReads
}
