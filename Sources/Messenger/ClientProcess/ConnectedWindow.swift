import MildamClientAPI
import MildamSystem

/// A window that is connected: its lines are read on a thread of its own, and answered one after the other.
final class ConnectedWindow: Sendable {
    let queue: LineQueue
    private let connection: UnixConnection
    private let use = Lock(Use())

    private struct Use {
        /// Since when nothing was asked; `nil` while something is answered.
        var idleSince: ContinuousClock.Instant? = .now
        var isSubscribed = false
        var isBorrower = false
    }

    /// What came next.
    private enum Arrival {
        case line([UInt8])
        case tooLong
        case end
    }

    /// How long a line may take from its first byte on.
    private static let patience = Duration.seconds(30)
    private static let pieceSize = 16 << 10

    init(_ connection: UnixConnection) {
        self.connection = connection
        queue = LineQueue(to: connection)
    }

    /// Since when nothing was asked; `nil` for one who is answered, waits for changes, or has the profile.
    var idleSince: ContinuousClock.Instant? { use.withLock { $0.isSubscribed || $0.isBorrower ? nil : $0.idleSince } }

    /// Notes that changes are waited for.
    func noteSubscription() { use.withLock { $0.isSubscribed = true } }

    /// Notes whether the profile is lent to it.
    func note(isBorrower: Bool) { use.withLock { $0.isBorrower = isBorrower } }

    /// Hangs up.
    func close() { queue.close() }

    /// Gives each line to `take`, until that says `false`, or nothing more comes. Half a line at the end is nothing.
    func read(_ take: (Result<[UInt8], ClientLineDefect>) -> Bool) {
        var lines = LineSplitter()
        while true {
            switch next(&lines) {
            case .line(let line):
                use.withLock { $0.idleSince = nil }
                guard take(.success(line)) else { return }
                use.withLock { $0.idleSince = .now }
            case .tooLong:
                _ = take(.failure(.tooLong))
                return
            case .end: return
            }
        }
    }

    private func next(_ lines: inout LineSplitter) -> Arrival {
        var deadline: SuspendingClock.Instant?
        while true {
            do throws(ClientLineDefect) {
                if let line = try lines.next() { return .line(line) }
            } catch {
                return .tooLong
            }
            if lines.hasBeginning, deadline == nil { deadline = SuspendingClock.now + ConnectedWindow.patience }
            guard let piece = receive(until: deadline) else { return .end }
            lines.take(piece)
        }
    }

    /// What came; `nil` where nothing more does, or not in time.
    private func receive(until deadline: SuspendingClock.Instant?) -> ArraySlice<UInt8>? {
        var piece = [UInt8](repeating: 0, count: ConnectedWindow.pieceSize)
        do throws(SystemError) {
            var span = piece.mutableSpan
            let count = try connection.receive(into: &span, until: deadline)
            return count > 0 ? piece.prefix(count) : nil
        } catch {
            return nil
        }
    }
}
