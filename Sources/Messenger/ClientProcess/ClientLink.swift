import Glibc
import MildamClientAPI
import MildamSystem

/// A connection with a profile's client, for commands and windows. Its lines are read on a thread of its own.
public final class ClientLink: Sendable {
    /// What comes by itself.
    public enum Event: Sendable, Equatable {
        /// Something that is drawn is otherwise. A revision that is not one more than the last: as `resync`.
        case changes(rev: UInt64, [ClientChange])
        /// Changes were left out: what is drawn has to be asked for anew.
        case resync
    }

    /// What the client said of itself.
    public let hello: ClientGreeting

    private typealias Answered = Result<ClientAnswer, ClientLinkError>

    private struct State {
        var lastID: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Answered, Never>] = [:]
        var events: AsyncStream<Event>.Continuation?
        var end: ClientLinkError?
    }

    private let connection: UnixConnection
    private let state = Lock(State())

    /// How many events wait for whoever takes them; those before are dropped, and the revision shows it.
    private static let maximumEvents = 256
    private static let pieceSize = 16 << 10

    /// Connects with a client that runs.
    ///
    /// - Parameter limit: how long it may take to greet.
    /// - Throws: ``ClientLinkError``: `system` with `ENOENT` or `ECONNREFUSED` where there is none; `late`; `refused` where
    ///   it takes nobody more in.
    public init(at socket: String, within limit: Duration = .seconds(10)) throws(ClientLinkError) {
        let connection: UnixConnection
        do throws(SystemError) { connection = try UnixConnection.connect(to: socket) } catch { throw .system(error) }
        self.connection = connection
        var lines = LineSplitter()
        hello = try ClientLink.greeting(of: connection, &lines, within: limit)
        let rest = lines
        let isRead = Thread.detach(named: "mildam-link") { [weak self] in
            ClientLink.read(connection, rest) {
                self?.take($0)
            } end: {
                self?.finish($0)
            }
        }
        guard isRead else { throw .ended }
    }

    deinit { connection.shutdown() }

    private static func greeting(
        of connection: UnixConnection,
        _ lines: inout LineSplitter,
        within limit: Duration
    ) throws(ClientLinkError) -> ClientGreeting {
        let first: ClientFrame?
        do throws(ClientLinkError) {
            first = try next(of: connection, &lines, until: SuspendingClock.now + limit)
        } catch {
            guard case .system(let failure) = error, failure.code == ETIMEDOUT else { throw error }
            throw .late(limit)
        }
        switch first {
        case .hello(let hello)?: return hello
        case .error(_, let error)?: throw error.code == .ending ? .ended : .refused(error)
        case nil: throw .ended
        case .ok?, .ask?, .changes?, .resync?: throw .misunderstood(.unknown)
        }
    }

    // MARK: Asking

    /// Asks for something, and waits for the answer.
    ///
    /// - Throws: ``ClientLinkError``.
    public func ask(
        _ ask: ClientAsk,
        within limit: Duration = .seconds(70)
    ) async throws(ClientLinkError) -> ClientAnswer {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let line: [UInt8]
        do throws(ClientLineDefect) { line = try ClientLine.bytes(of: .ask(id: id, ask)) } catch {
            throw .misunderstood(error)
        }
        let patience = Task { [weak self] in
            do { try await Task.sleep(for: limit) } catch { return }
            self?.settle(id, .failure(.late(limit)))
        }
        defer { patience.cancel() }
        let answered = await withCheckedContinuation { (continuation: CheckedContinuation<Answered, Never>) in
            let end = state.withLock { state in
                if state.end == nil { state.waiting[id] = continuation }
                return state.end
            }
            if let end { return continuation.resume(returning: .failure(end)) }
            send(line, within: limit)
        }
        return try answered.get()
    }

    /// What happens from now on. One listens at a time; the stream ends with the connection.
    ///
    /// - Throws: ``ClientLinkError``.
    public func subscribe() async throws(ClientLinkError) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self,
            bufferingPolicy: .bufferingNewest(ClientLink.maximumEvents)
        )
        let former = state.withLock { state in
            let former = state.events
            state.events = continuation
            return former
        }
        former?.finish()
        guard case .subscribed = try await ask(.subscribe) else { throw .misunderstood(.unknown) }
        return stream
    }

    /// Has the client end, and returns once its process has: where it does not by itself, by a signal.
    ///
    /// - Throws: ``ClientLinkError``, where its process cannot be found, or goes on.
    public func end() async throws(ClientLinkError) {
        let isTold = await isToldToStop()
        let deadline = SuspendingClock.now + ClientLink.patience
        while true {
            do throws(SystemError) { return try ClientLink.endProcess(of: connection, isTold: isTold) } catch {
                if error.code == ESRCH { return }
                // It closes its connections a moment before it has ended.
                guard error.code == ENOTCONN, SuspendingClock.now < deadline else { throw .system(error) }
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Ends whatever listens at a socket and does not speak as a client does, by a signal.
    ///
    /// - Throws: `system` where its process cannot be found, or goes on.
    static func endStranger(at socket: String) throws(ClientLinkError) {
        do throws(SystemError) {
            try endProcess(of: try UnixConnection.connect(to: socket), isTold: false)
        } catch {
            guard [ENOENT, ECONNREFUSED, ESRCH].contains(error.code) else { throw .system(error) }
        }
    }

    private static func endProcess(of connection: UnixConnection, isTold: Bool) throws(SystemError) {
        let process = try ProcessHandle(of: connection)
        if isTold, process.hasEnded(within: patience) { return }
        for signal in [SIGTERM, SIGKILL] {
            try process.send(signal: signal)
            if process.hasEnded(within: patience) { return }
        }
        throw SystemError("end the client of the profile", code: ETIMEDOUT)
    }

    /// How long a client may take to end: it finishes what it does.
    private static let patience = Duration.seconds(10)

    private func isToldToStop() async -> Bool {
        do throws(ClientLinkError) {
            _ = try await ask(.stop, within: ClientLink.patience)
            return true
        } catch {
            return error == .ended
        }
    }

    // MARK: What comes

    private func take(_ frame: ClientFrame) {
        switch frame {
        case .ok(let id, let answer): settle(id, .success(answer))
        case .error(let id, let error): settle(id, .failure(.refused(error)))
        case .changes(let rev, let changes): state.withLock { _ = $0.events?.yield(.changes(rev: rev, changes)) }
        case .resync: state.withLock { _ = $0.events?.yield(.resync) }
        case .hello, .ask: finish(.misunderstood(.unknown))
        }
    }

    private func send(_ line: [UInt8], within limit: Duration) {
        do throws(SystemError) { try connection.send(line.span, within: limit) } catch {
            // How much of it was sent is not known: what came next would be the rest of it.
            finish(error.code == EPIPE ? .ended : .system(error))
        }
    }

    private func settle(_ id: UInt64, _ answered: Answered) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: id) }
        waiting?.resume(returning: answered)
    }

    private func finish(_ error: ClientLinkError) {
        connection.shutdown()
        let (waiting, events) = state.withLock { state in
            state.end = state.end ?? error
            let left = (Array(state.waiting.values), state.events)
            state.waiting = [:]
            state.events = nil
            return left
        }
        for continuation in waiting { continuation.resume(returning: .failure(error)) }
        events?.finish()
    }

    private static func read(
        _ connection: UnixConnection,
        _ beginning: LineSplitter,
        take: (ClientFrame) -> Void,
        end: (ClientLinkError) -> Void
    ) {
        var lines = beginning
        while true {
            do throws(ClientLinkError) {
                guard let frame = try next(of: connection, &lines, until: nil) else { return end(.ended) }
                take(frame)
            } catch {
                return end(error)
            }
        }
    }

    /// The next frame; `nil` when the other side has ended the connection.
    private static func next(
        of connection: UnixConnection,
        _ lines: inout LineSplitter,
        until deadline: SuspendingClock.Instant?
    ) throws(ClientLinkError) -> ClientFrame? {
        while true {
            if let frame = try frame(in: &lines) { return frame }
            guard let piece = try receive(from: connection, until: deadline) else { return nil }
            lines.take(piece)
        }
    }

    private static func frame(in lines: inout LineSplitter) throws(ClientLinkError) -> ClientFrame? {
        do throws(ClientLineDefect) {
            guard let line = try lines.next() else { return nil }
            return try ClientLine.frame(line)
        } catch {
            throw .misunderstood(error)
        }
    }

    private static func receive(
        from connection: UnixConnection,
        until deadline: SuspendingClock.Instant?
    ) throws(ClientLinkError) -> ArraySlice<UInt8>? {
        var piece = [UInt8](repeating: 0, count: pieceSize)
        do throws(SystemError) {
            var span = piece.mutableSpan
            let count = try connection.receive(into: &span, until: deadline)
            return count > 0 ? piece.prefix(count) : nil
        } catch {
            throw error.code == ECONNRESET ? .ended : .system(error)
        }
    }
}
