import MildamSystem

/// The lines that go to one window, in order, on a thread that lives while there are some.
///
/// Answers are waited for by the thread that reads the window's asks, so that there is one at most. Changes are not waited
/// for: of a window that does not read, what waits is dropped, and it is told so.
final class LineQueue: Sendable {
    private enum Kind {
        case answer(Outcome<Bool>)
        case change
        case resync
    }

    private struct Line {
        let bytes: [UInt8]
        let kind: Kind
    }

    private struct State {
        var lines: [Line] = []
        /// How many bytes of changes wait.
        var changeBytes = 0
        /// Whether changes were dropped, and the window was not told yet.
        var isBehind = false
        var isWriting = false
        var isClosed = false

        /// What a window is sent for a line of changes: that, or in the place of all that waits, that it is behind.
        mutating func taking(_ bytes: [UInt8]) -> Line? {
            guard !isBehind else { return nil }
            guard changeBytes + bytes.count > LineQueue.maximumChanges else {
                changeBytes += bytes.count
                return Line(bytes: bytes, kind: .change)
            }
            return fallingBehind()
        }

        mutating func fallingBehind() -> Line? {
            guard !isBehind else { return nil }
            lines.removeAll { line in
                guard case .change = line.kind else { return false }
                return true
            }
            changeBytes = 0
            isBehind = true
            return Line(bytes: LineQueue.resync, kind: .resync)
        }
    }

    /// How many bytes of changes wait for a window at most: 4 MiB.
    static let maximumChanges = 4 << 20
    /// Changes were left out.
    static let resync = Array("{\"resync\":{}}\n".utf8)
    /// How long a window may take to read a line; then it is hung up on.
    private static let patience = Duration.seconds(30)

    private let connection: UnixConnection
    private let state = Lock(State())

    /// A queue for a connection.
    init(to connection: UnixConnection) { self.connection = connection }

    /// Sends a line, and returns when it was written; for the thread that reads this window's asks.
    ///
    /// - Returns: whether the window has taken it.
    func answer(_ bytes: [UInt8]) -> Bool {
        let written = Outcome<Bool>()
        guard append({ _ in Line(bytes: bytes, kind: .answer(written)) }) else { return false }
        return written.wait()
    }

    /// Has a line of changes sent, or dropped where too much waits.
    func put(_ bytes: [UInt8]) { _ = append { $0.taking(bytes) } }

    /// Says that changes were left out.
    func putResync() { _ = append { $0.fallingBehind() } }

    /// Hangs up; what was not sent is not.
    func close() {
        connection.shutdown()
        let left = state.withLock { state in
            state.isClosed = true
            let lines = state.lines
            state.lines = []
            return lines
        }
        // Nobody waits for what will not be sent.
        for line in left {
            guard case .answer(let written) = line.kind else { continue }
            written.give(false)
        }
    }

    /// - Returns: whether the connection is open.
    private func append(_ line: (inout State) -> Line?) -> Bool {
        let (isOpen, mustStart) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            guard let line = line(&state) else { return (true, false) }
            state.lines.append(line)
            defer { state.isWriting = true }
            return (true, !state.isWriting)
        }
        if mustStart, !Thread.detach(named: "mildam-lines", { self.write() }) { close() }
        return isOpen
    }

    private func write() {
        while let line = next() {
            let isWritten = isSent(line.bytes)
            if case .answer(let written) = line.kind { written.give(isWritten) }
            guard isWritten else { return close() }
        }
    }

    private func isSent(_ bytes: [UInt8]) -> Bool {
        do throws(SystemError) {
            try connection.send(bytes.span, within: LineQueue.patience)
            return true
        } catch {
            return false
        }
    }

    private func next() -> Line? {
        state.withLock { state in
            guard !state.lines.isEmpty else {
                state.isWriting = false
                return nil
            }
            let line = state.lines.removeFirst()
            switch line.kind {
            case .answer: break
            case .change: state.changeBytes -= line.bytes.count
            case .resync: state.isBehind = false
            }
            return line
        }
    }
}
