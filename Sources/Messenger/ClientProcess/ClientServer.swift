import Glibc
import MildamClientAPI
import MildamIdentity
import MildamSystem

/// A profile's client at its socket: every window of this user's is greeted, and answered on a thread of its own.
public final class ClientServer: Sendable {
    private let listener: UnixListener
    private let desk: LendingDesk
    private let feed: ChangeFeed
    private let greeting: @Sendable (ClientGreeting.Stage) -> ClientGreeting
    private let state: Lock<State>
    private let onStop: @Sendable () -> Void

    private struct State {
        /// What is served at present; while the profile is lent, what was served before.
        var dispatcher: ClientDispatcher
        /// How far the profile was when that was looked at last.
        var stage = ClientGreeting.Stage.ready
        var windows: [ObjectIdentifier: ConnectedWindow] = [:]
        /// Since when nobody is connected.
        var aloneSince: ContinuousClock.Instant? = .now
        var isStopping = false
        /// How many asks are being answered.
        var answering = 0
    }

    /// How many windows may be connected at once.
    static let maximumWindows = 64
    /// How long a greeting waits for the profile while somebody works with it.
    private static let greetingPatience = Duration.seconds(1)
    /// How long an ask waits for the profile while that is lent.
    private let patience: Duration

    /// Answers the programs of this user.
    ///
    /// - Parameters:
    ///   - listener: where it listens.
    ///   - rooms: what windows ask for.
    ///   - book: what is known beside the rooms.
    ///   - files: what sends and saves files; `nil` where there can be none.
    ///   - build: of the program that this is.
    ///   - profile: the profile's name.
    ///   - requests: what strangers ask; `nil` where nobody can ask anything.
    ///   - lender: lends the profile to programs that work with it by themselves; `nil` where it is not lent.
    ///   - patience: how long asks wait for a profile that is lent: less than a window waits for an answer.
    ///   - onStop: called once it has stopped listening, when somebody asked for that.
    public init(
        at listener: UnixListener,
        rooms: any RoomService,
        book: any ProfileBook,
        files: FileTransfers? = nil,
        build: ClientBuild,
        profile: String,
        requests: (any RequestService)? = nil,
        lender: (any ProfileLender)? = nil,
        patience: Duration = .seconds(65),
        onStop: @escaping @Sendable () -> Void = {}
    ) {
        let view = RoomView(rooms: rooms, book: book, files: files)
        let state = Lock(State(dispatcher: ClientDispatcher(view: view, requests: requests)))
        let feed = ChangeFeed(view) { await state.withLock { $0.dispatcher }.status() }
        let boot = ClientServer.drawnBoot()
        greeting = { stage in
            ClientGreeting(version: build.version, build: build.name, boot: boot, profile: profile, stage: stage)
        }
        let serve: @Sendable (ClientService) async -> Void = { service in
            let view = RoomView(rooms: service.rooms, book: service.book, files: service.files)
            let dispatcher = ClientDispatcher(view: view, requests: service.requests)
            // An account may have been made, or its session have ended, meanwhile.
            let stage = await dispatcher.stage()
            state.withLock { state in
                state.dispatcher = dispatcher
                state.stage = stage
            }
            await feed.change(to: view)
        }
        desk = LendingDesk(lender, serve: serve) { ClientServer.stop(listener, state, onStop) }
        self.state = state
        self.feed = feed
        self.patience = patience
        self.onStop = onStop
        self.listener = listener
    }

    private static func drawnBoot() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

    private var dispatcher: ClientDispatcher { state.withLock { $0.dispatcher } }

    /// Answers until it is stopped, on threads of its own; returns at once.
    ///
    /// - Returns: whether the thread for that could be made.
    public func start() -> Bool {
        Task { await feed.listen() }
        Task { _ = await stage() }
        if let files = dispatcher.view.files { Task { await feed.follow(await files.changes()) } }
        return Thread.detach(named: "mildam-client") { self.accept() }
    }

    /// Stops listening, and hangs up on every window once what it asked for is answered.
    public func stop() { ClientServer.stop(listener, state, onStop) }

    private static func stop(_ listener: UnixListener, _ state: Lock<State>, _ onStop: @Sendable () -> Void) {
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
        if let files = dispatcher.view.files, await files.isBusy { return true }
        return await dispatcher.view.rooms.rooms().contains { !$0.wishes.isEmpty }
    }

    private func accept() {
        while let connection = nextConnection() {
            guard (try? connection.credentials().uid) == geteuid() else {
                connection.shutdown()
                continue
            }
            let window = ConnectedWindow(connection)
            if let refusal = welcome(window) {
                _ = send(.error(id: 0, ClientError(refusal)), to: window)
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
    ///
    /// - Returns: why it is not taken in, where it is not.
    private func welcome(_ window: ConnectedWindow) -> ClientError.Code? {
        let (refusal, displaced) = state.withLock { state -> (ClientError.Code?, ConnectedWindow?) in
            guard !state.isStopping else { return (.ending, nil) }
            var displaced: ConnectedWindow?
            if state.windows.count >= ClientServer.maximumWindows {
                let idle = state.windows.compactMap { key, window in window.idleSince.map { (key, $0) } }
                guard let longest = idle.min(by: { $0.1 < $1.1 })?.0 else { return (.tooManyWindows, nil) }
                displaced = state.windows.removeValue(forKey: longest)
            }
            state.windows[ObjectIdentifier(window)] = window
            state.aloneSince = nil
            return (nil, displaced)
        }
        displaced?.close()
        return refusal
    }

    private func end(_ window: ConnectedWindow) {
        window.close()
        let (feed, desk) = (feed, desk)
        Task {
            await feed.unsubscribe(window.queue)
            await desk.giveBack(ObjectIdentifier(window))
        }
        state.withLock { state in
            state.windows[ObjectIdentifier(window)] = nil
            if state.windows.isEmpty { state.aloneSince = .now }
        }
    }

    private func serve(_ window: ConnectedWindow) {
        let hello = blocking { [self] in greeting(await stage()) }
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
        case .lend: return lend(to: window, id)
        case .giveBack: return takeBack(from: window, id)
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
        let result = blocking { [self] in await answered(ask) }
        switch result {
        case .success(.some(let answer)): return send(.ok(id: id, answer), to: window)
        case .success(.none): return send(.error(id: id, ClientError(.unknownAsk)), to: window)
        case .failure(let fault): return send(.error(id: id, ClientError(fault)), to: window)
        }
    }

    /// The answer to an ask, which waits while the profile is lent.
    private func answered(_ ask: ClientAsk) async -> Result<ClientAnswer?, RoomFault> {
        var ask = ask
        let deadline = ContinuousClock.now + patience
        while true {
            guard await desk.waitUntilHere(by: deadline) else { return .failure(.lent) }
            let (begun, lendings) = (ContinuousClock.now, await desk.lendings)
            do throws(RoomFault) {
                let answer = try await dispatcher.answer(ask)
                if let room = changed(by: ask, answer) { await feed.touch(room) }
                // Who waited for a wish was told early when the profile was lent.
                guard await desk.lendings > lendings, let rest = ask.rest(after: answer, since: begun) else {
                    return .success(answer)
                }
                ask = rest
            } catch {
                let isInterrupted = error.isInterruption ? await desk.lendings > lendings : error == .lent
                guard isInterrupted, ContinuousClock.now < deadline else { return .failure(error) }
            }
        }
    }

    // MARK: Lending

    private func lend(to window: ConnectedWindow, _ id: UInt64) -> Bool {
        window.note(isBorrower: true)
        let desk = desk
        let fault = blocking { () -> RoomFault? in
            do throws(RoomFault) {
                try await desk.borrow(ObjectIdentifier(window))
                return nil
            } catch {
                return error
            }
        }
        guard let fault else { return send(.ok(id: id, .done), to: window) }
        window.note(isBorrower: false)
        return send(.error(id: id, ClientError(fault)), to: window)
    }

    private func takeBack(from window: ConnectedWindow, _ id: UInt64) -> Bool {
        window.note(isBorrower: false)
        let desk = desk
        blocking { await desk.giveBack(ObjectIdentifier(window)) }
        return send(.ok(id: id, .done), to: window)
    }

    /// How far the profile is; while it is lent, or somebody works with it for longer than a moment, how far it was.
    private func stage() async -> ClientGreeting.Stage {
        let (state, desk, dispatcher) = (state, desk, dispatcher)
        let (stages, stage) = AsyncStream.makeStream(of: ClientGreeting.Stage.self)
        // Nobody cancels it: what is found late is for those who come next.
        Task {
            if await desk.isHere {
                let present = await dispatcher.stage()
                state.withLock { $0.stage = present }
                stage.yield(present)
            }
            stage.finish()
        }
        let patience = Task {
            try? await Task.sleep(for: ClientServer.greetingPatience)
            stage.finish()
        }
        defer { patience.cancel() }
        for await present in stages { return present }
        return state.withLock { $0.stage }
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
    case .accepted(let request)?: request.room
    default: nil
    }
}

extension ClientAsk {
    /// What of it is still to be asked, where it waits for what comes of a wish and its time is not over.
    fileprivate func rest(after answer: ClientAnswer?, since begun: ContinuousClock.Instant) -> ClientAsk? {
        guard case .outcome(let wish, let seconds) = self, case .outcome(.waiting)? = answer else { return nil }
        let left = seconds - Int((ContinuousClock.now - begun).components.seconds)
        return left > 0 ? .outcome(of: wish, seconds: left) : nil
    }
}

extension RoomFault {
    /// Whether the end of the connection is a reason for it: a profile that is lent has none.
    fileprivate var isInterruption: Bool { code == "behind" || code == "unreachable" }
}
