import MildamStorage
import MildamTransport

/// Raises a store's mark while the relay runs: with the first transaction after a minute, and at the end. It belongs to the
/// lane's thread.
///
/// The store has a mark on the disk before the file has it: a crash in between never makes a store look older than it is.
final class MarkWriter {
    /// The least time from one mark to the next, in nanoseconds.
    static let pause: UInt64 = 60_000_000_000

    private let file: MarkFile
    private let log: RelayLog
    private let now: () -> UInt64
    private var row: StoreRow
    private var last: UInt64
    /// Whether something was written since the last mark.
    private var hasChanged = false
    /// What the open transaction has written, and the file is to have after it.
    private var waiting: StoreRow?

    /// - Parameter now: nanoseconds of a clock that does not go back.
    init(
        _ file: MarkFile,
        of row: StoreRow,
        log: RelayLog,
        now: @escaping () -> UInt64 = { Monotonic.now() }
    ) {
        self.file = file
        self.row = row
        self.log = log
        self.now = now
        last = now()
    }

    /// A transaction that writes is about to be committed: raises the mark in it where one is due.
    func prepare(_ database: Database) throws(StorageError) {
        hasChanged = true
        guard now() - last >= Self.pause else { return }
        try raise(in: database)
    }

    /// The transaction was undone.
    func forget() { waiting = nil }

    /// The transaction is on the disk, and everybody was answered.
    func publish() {
        guard let waiting else { return }
        self.waiting = nil
        row = waiting
        last = now()
        hasChanged = false
        do throws(StorageError) {
            try file.write(row)
        } catch {
            log.error("mark_not_written", "a copy of now that is put back may not be noticed: \(error)")
        }
    }

    /// Leaves a last mark, where something was written since the one before.
    func finish(_ database: Database) {
        guard hasChanged else { return }
        guard (try? raise(in: database)) != nil else { return }
        publish()
    }

    private func raise(in database: Database) throws(StorageError) {
        var next = row
        next.mark += 1
        try database.put(next)
        waiting = next
    }
}
