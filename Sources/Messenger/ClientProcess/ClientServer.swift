import Glibc
import MildamClientAPI
import MildamIdentity
import MildamSystem

/// A profile's client at its socket: every window of this user's is greeted, and answered on a thread of its own.
public final class ClientServer: Sendable {
    private let listener: UnixListener
    private let dispatcher: ClientDispatcher
    private let feed: ChangeFeed
    private let greeting: @Sendable () async -> ClientGreeting
    private let state = Lock(State())
    private let onStop: @Sendable () -> Void

    private struct State {
        var windows: [ObjectIdentifier: ConnectedWindow] = [:]
        /// Since when nobody is connected.
        var aloneSince: ContinuousClock.Instant? = .now
        var isStopping = false
        /// How many asks are being answered.
        var answering = 0
    }

    /// How many windows may be connected at once.
    static let maximumWindows = 64

    /// Answers the programs of this user.
    ///
    /// - Parameters:
    ///   - listener: where it listens.
    ///   - rooms: what windows ask for.
    ///   - book: what is known beside the rooms.
    ///   - build: of the program that this is.
    ///   - profile: the profile's name.
    ///   - onStop: called once it has stopped listening, when somebody asked for that.
    public init(
        at listener: UnixListener,
        rooms: any RoomService,
        book: any ProfileBook,
        build: ClientBuild,
        profile: String,
        onStop: @escaping @Sendable () -> Void = {}
    ) {
        let dispatcher = ClientDispatcher(view: RoomView(rooms: rooms, book: book))
        let boot = ClientServer.drawnBoot()
        self.dispatcher = dispatcher
        feed = ChangeFeed(dispatcher.view) { await dispatcher.status() }
        greeting = {
            let owner = await book.owner()
            return ClientGreeting(
                version: build.version,
                build: build.name,
                boot: boot,
                profile: profile,
                stage: owner.map { $0.isLoggedIn ? ClientGreeting.Stage.ready : .loggedOut } ?? .fresh
            )
        }
        self.onStop = onStop
        self.listener = listener
    }

    private static func drawnBoot() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

    /// Answers until it is stopped, on threads of its own; returns at once.
    ///
    /// - Returns: whether the thread for that could be made.
    public func start() -> Bool {
        Task { await feed.listen() }
        return Thread.detach(named: "mildam-client") { self.accept() }
    }

    /// Stops listening, and hangs up on every window once what it asked for is answered.
    public func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        guard isFirst else { return }
        listener.close()
        onStop()
    }

    /// Hangs up on everybody, once nothing is being answered any more, or this long after.
    public func drain(within limit: Duration) async {
        let deadline = ContinuousClock.now + limit
        while state.withLock({ $0.answering }) > 0, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(10))
        }
        for window in state.withLock({ Array($0.windows.values) }) { window.close() }
    }

    /// Stops it by itself, once nobody has been connected for so long and nothing is to be done.
    public func endingWhenIdle(for limit: Duration) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                let idle = await idleTime() ?? .zero
                guard idle < limit else { return stop() }
                let rest = max(min(limit - idle, .seconds(5)), .milliseconds(100))
                do { try await Task.sleep(for: rest) } catch { return }
            }
        }
    }

    /// How long nobody has been connected, and nothing was to be done; `nil` while somebody is, or something is.
    private func idleTime() async -> Duration? {
        guard let since = state.withLock({ $0.aloneSince }), await !hasWork() else { return nil }
        return ContinuousClock.now - since
    }

    /// Whether something waits to go out, which may go out by itself.
    private func hasWork() async -> Bool {
        if case .stopped = await dispatcher.view.rooms.connection { return false }
        return await dispatcher.view.rooms.rooms().contains { !$0.wishes.isEmpty }
    }

    private func accept() {
        while let connection = nextConnection() {
            guard (try? connection.credentials().uid) == geteuid() else {
                connection.shutdown()
                continue
            }
            let window = ConnectedWindow(connection)
            guard welcome(window) else {
                window.close()
                continue
            }
            let isServed = Thread.detach(named: "mildam-window") { [self] in
                serve(window)
                end(window)
            }
            if !isServed { end(window) }
        }
    }

    /// The next who connects; `nil` when it was closed. Without a descriptor to spare, the next waits.
    private func nextConnection() -> UnixConnection? {
        while true {
            do throws(SystemError) { return try listener.accept() } catch {
                guard error.code == EMFILE || error.code == ENFILE else { return nil }
                usleep(100_000)
            }
        }
    }

    /// Takes a window in. When there are too many, who has asked nothing for the longest goes, and may come again.
    private func welcome(_ window: ConnectedWindow) -> Bool {
        let (isTaken, displaced) = state.withLock { state -> (Bool, ConnectedWindow?) in
            guard !state.isStopping else { return (false, nil) }
            var displaced: ConnectedWindow?
            if state.windows.count >= ClientServer.maximumWindows {
                let idle = state.windows.compactMap { key, window in window.idleSince.map { (key, $0) } }
                guard let longest = idle.min(by: { $0.1 < $1.1 })?.0 else { return (false, nil) }
                displaced = state.windows.removeValue(forKey: longest)
            }
            state.windows[ObjectIdentifier(window)] = window
            state.aloneSince = nil
            return (true, displaced)
        }
        displaced?.close()
        return isTaken
    }

    private func end(_ window: ConnectedWindow) {
        window.close()
        let feed = feed
        Task { await feed.unsubscribe(window.queue) }
        state.withLock { state in
            state.windows[ObjectIdentifier(window)] = nil
            if state.windows.isEmpty { state.aloneSince = .now }
        }
    }

    private func serve(_ window: ConnectedWindow) {
        let greeting = greeting
        let hello = blocking { await greeting() }
        guard send(.hello(hello), to: window) else { return }
        window.read { arrived in
            state.withLock { $0.answering += 1 }
            defer { state.withLock { $0.answering -= 1 } }
            switch arrived {
            case .failure(let defect): return send(.error(id: 0, ClientError(defect)), to: window)
            case .success(let line): return take(line, from: window)
            }
        }
    }

    /// - Returns: whether the window goes on.
    private func take(_ line: [UInt8], from window: ConnectedWindow) -> Bool {
        let frame: ClientFrame
        do throws(ClientLineDefect) { frame = try ClientLine.frame(line) } catch {
            return send(.error(id: ClientLine.number(of: line) ?? 0, ClientError(error)), to: window)
        }
        guard case .ask(let id, let ask) = frame else { return send(.error(id: 0, ClientError(.badLine)), to: window) }
        switch ask {
        case .stop:
            _ = send(.ok(id: id, .done), to: window)
            stop()
            return false
        case .subscribe:
            subscribe(window, id)
            return true
        default: return answer(ask, id, to: window)
        }
    }

    private func subscribe(_ window: ConnectedWindow, _ id: UInt64) {
        window.noteSubscription()
        let feed = feed
        blocking {
            await feed.subscribe(window.queue) { revision in
                // In its place before the first change; whoever waited for it to be written would hold all others up.
                guard let line = try? ClientLine.bytes(of: .ok(id: id, .subscribed(rev: revision))) else { return }
                window.queue.put(line)
            }
        }
    }

    private func answer(_ ask: ClientAsk, _ id: UInt64, to window: ConnectedWindow) -> Bool {
        let (dispatcher, feed) = (dispatcher, feed)
        let answered = blocking { () -> Result<ClientAnswer?, RoomFault> in
            do throws(RoomFault) {
                let answer = try await dispatcher.answer(ask)
                if let room = changed(by: ask, answer) { await feed.touch(room) }
                return .success(answer)
            } catch {
                return .failure(error)
            }
        }
        switch answered {
        case .success(.some(let answer)): return send(.ok(id: id, answer), to: window)
        case .success(.none): return send(.error(id: id, ClientError(.unknownAsk)), to: window)
        case .failure(let fault): return send(.error(id: id, ClientError(fault)), to: window)
        }
    }

    private func send(_ frame: ClientFrame, to window: ConnectedWindow) -> Bool {
        if let line = try? ClientLine.bytes(of: frame) { return window.queue.answer(line) }
        guard case .ok(let id, _) = frame,
            let line = try? ClientLine.bytes(of: .error(id: id, ClientError(ClientError.Code.tooLong)))
        else { return false }
        return window.queue.answer(line)
    }
}

/// Runs what is asynchronous from a thread of our own, which waits for it.
private func blocking<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let outcome = Outcome<Value>()
    Task { outcome.give(await body()) }
    return outcome.wait()
}

/// The room of which something is drawn otherwise once an ask was answered; `nil` where it only looked.
private func changed(by ask: ClientAsk, _ answer: ClientAnswer?) -> RoomID? {
    switch answer {
    case .wished?, .done?: ask.room
    case .room(let row)?: row.room
    default: nil
    }
}
