import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport

/// What the relay keeps and what room it has, for ``StatusPages``: counted away from the loop at the start, and then once
/// a minute, whoever asks. By a thread of its own, so that nobody waits for it.
final class StoreFigures: Sendable {
    private static let pause = Duration.seconds(60)

    private struct Figures {
        let counts: StoreCounts
        let room: DiskRoom?
        let databaseBytes: Int
    }

    private let folder: DataFolder
    private let reads: ReadQueue
    private let loop: EventLoop
    private let figures = Lock<Figures?>(nil)

    init(_ folder: DataFolder, _ reads: ReadQueue, on loop: EventLoop) {
        self.folder = folder
        self.reads = reads
        self.loop = loop
    }

    /// Begins; it goes on for as long as somebody keeps it.
    func start() {
        count { [weak self] in self?.schedule() }
    }

    /// Counts once, and goes on where answers are delivered. What cannot be read leaves the figures as they were.
    func count(then done: @escaping @Sendable () -> Void) {
        reads.perform(for: .relay) { [folder] reader throws(StorageError) in
            let (counts, room) = (try reader.counts(), try? DiskRoom(at: folder.path))
            return .success(Figures(counts: counts, room: room, databaseBytes: folder.databaseBytes))
        } then: { [weak self] (counted: Result<Figures, APIError>) in
            if let figures = try? counted.get() { self?.figures.withLock { $0 = figures } }
            done()
        }
    }

    /// Finishes what is being counted and ends the thread. Called once.
    func stop() { reads.stop() }

    private func schedule() {
        _ = loop.schedule(after: Self.pause) { [weak self] in self?.start() }
    }

    /// Writes them down; nothing before they were counted first.
    func write(to text: inout PrometheusText) {
        guard let figures = figures.withLock({ $0 }) else { return }
        text.gauge("mildam_accounts", "Accounts.", figures.counts.accounts)
        text.gauge("mildam_sessions", "Sessions that have not ended.", figures.counts.sessions)
        text.gauge("mildam_rooms", "Rooms.", figures.counts.rooms)
        text.gauge("mildam_stored_bytes", "What accounts have caused, as quotas count it.", figures.counts.bytes)
        text.gauge("mildam_database_bytes", "The database with its write-ahead log.", figures.databaseBytes)
        guard let room = figures.room, room.totalBytes > 0 else { return }
        text.gauge("mildam_disk_free_bytes", "What the relay can still write to its disk.", room.freeBytes)
        text.gauge("mildam_disk_size_bytes", "The size of that disk.", room.totalBytes)
    }
}
