import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport

/// Live delivery: what was committed goes to the sockets that follow it. Lives on the server's loop.
///
/// A subscription first catches up from the store, then takes what commits bring, number by number: a message goes out
/// only when its number is the one due, so that no cursor ever moves past a gap.
actor LiveHub {
    typealias SocketID = ObjectIdentifier

    /// Sockets that one account may have open.
    static let maximumSockets = 64
    /// Rooms that one socket may follow.
    private static let maximumSubscriptions = 1000

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private let reads: ReadQueue
    private let clock: WallClock
    private let tokens: AccessTokens
    private let proofs: ProofCheck
    private let gate: Gate
    private let metrics: RelayMetrics
    /// Which store the relay has.
    private let incarnation: IncarnationID
    private let cursors: GatheredCursors
    /// Who has a socket open.
    nonisolated let online = OnlineAccounts()
    private var connections: [SocketID: LiveConnection] = [:]
    private var followers: [RoomID: Set<SocketID>] = [:]
    private var ofAccount: [AccountID: Set<SocketID>] = [:]
    private var lastSerial: UInt64 = 0

    init(
        loop: EventLoop,
        reads: ReadQueue,
        tokens: AccessTokens,
        proofs: ProofCheck,
        gate: Gate,
        metrics: RelayMetrics,
        incarnation: IncarnationID,
        cursors: GatheredCursors,
        clock: WallClock
    ) {
        self.loop = loop
        self.reads = reads
        self.tokens = tokens
        self.proofs = proofs
        self.gate = gate
        self.metrics = metrics
        self.incarnation = incarnation
        self.cursors = cursors
        self.clock = clock
    }

    /// Whether the socket's account may ask for something now.
    func admit(_ handler: LiveSocket) throws(APIError) {
        try gate.admit(.reading, .account(handler.sender.account))
    }

    /// The handler of a socket that is about to be opened.
    nonisolated func socket(for sender: Sender) -> LiveSocket { LiveSocket(for: sender, hub: self) }

    /// How many sockets are open.
    var socketCount: Int { connections.count }

    // MARK: Sockets

    /// A socket is open.
    func add(_ handler: LiveSocket, _ socket: WebSocket) {
        guard ofAccount[handler.sender.account]?.count ?? 0 < Self.maximumSockets else {
            return socket.close(code: LiveSocket.Code.tooMany, reason: "this account has too many sockets open")
        }
        // It may have ended between the look at its token and now, when nobody told a socket that was not open yet.
        guard !tokens.ended.refuses(handler.sender) else { return Self.close(ended: socket) }
        let expires = handler.sender.expires
        connections[SocketID(handler)] = LiveConnection(
            sender: handler.sender,
            socket: socket,
            expires: expires,
            expiry: expiry(of: socket, at: expires)
        )
        ofAccount[handler.sender.account, default: []].insert(SocketID(handler))
        online.insert(handler.sender.account)
        tell(.hello(incarnation: incarnation), SocketID(handler))
    }

    private func expiry(of socket: WebSocket, at expires: Int64) -> TimerToken {
        let remaining = max(0, expires * 1000 - clock.milliseconds)
        return loop.schedule(after: .milliseconds(remaining)) {
            socket.close(code: LiveSocket.Code.unauthorized, reason: "the access token has run out")
        }
    }

    private static func close(ended socket: WebSocket) {
        socket.close(code: LiveSocket.Code.unauthorized, reason: "the session has ended")
    }

    /// Lets a socket stay for as long as a fresh access token of its own session lives. A token that is bound to a key is
    /// worth nothing here, as anywhere, to whoever does not prove that key.
    ///
    /// - Throws: `unauthorized` for a token that is wrong, another session's, or older than the one it has; what
    ///   ``ProofCheck`` throws for its proof. Nothing changes then.
    private func renew(_ id: SocketID, with access: String, _ proof: String?) throws(APIError) {
        guard let connection = connections[id] else { return }
        let renewed = try tokens.sender(access: access.utf8.span) { [proofs] token, known throws(APIError) in
            guard let proof else { return nil }
            return try proofs.proof(onSocket: proof, token: token, knowing: known)
        }
        let owner = connection.sender
        guard renewed.session == owner.session, renewed.account == owner.account, renewed.device == owner.device else {
            throw APIError(.unauthorized, "the access token is of another session than this socket")
        }
        guard renewed.expires >= connection.expires else {
            throw APIError(.unauthorized, "the access token is older than the one that this socket has")
        }
        if renewed.expires > connection.expires {
            connection.expiry.cancel()
            connections[id]?.expires = renewed.expires
            connections[id]?.expiry = expiry(of: connection.socket, at: renewed.expires)
        }
        tell(.renewed(until: renewed.expires), id)
    }

    /// A socket is closed.
    func remove(_ handler: LiveSocket) {
        let id = SocketID(handler)
        guard let connection = connections.removeValue(forKey: id) else { return }
        connection.expiry.cancel()
        for room in connection.subscriptions.keys { unfollow(room, id) }
        ofAccount[connection.sender.account]?.remove(id)
        if ofAccount[connection.sender.account]?.isEmpty == true {
            ofAccount[connection.sender.account] = nil
            online.remove(connection.sender.account)
        }
    }

    /// A socket asks for something.
    func take(_ request: LiveRequest, from handler: LiveSocket) {
        let id = SocketID(handler)
        switch request {
        case .subscribe(let room, let from):
            guard let connection = connections[id] else { return }
            guard connection.subscriptions.count < Self.maximumSubscriptions || connection.subscriptions[room] != nil
            else { return tell(.refused(error: APIError(.badRequest, "too many subscriptions")), to: handler) }
            lastSerial += 1
            connections[id]?.subscriptions[room] = LiveConnection.Subscription(serial: lastSerial, next: from)
            followers[room, default: []].insert(id)
            catchUp(room, id)
        case .unsubscribe(let room):
            unfollow(room, id)
        case .acknowledge(let room, let number):
            // Who is no member, or has no such number, is passed over where it is written down.
            cursors.add(number, by: CursorName(room: room, address: handler.sender.address))
        case .renew(let access, let proof):
            do throws(APIError) {
                try renew(id, with: access, proof)
            } catch {
                tell(.refused(error: error), id)
            }
        }
    }

    /// Says something to one socket.
    func tell(_ event: LiveEvent, to handler: LiveSocket) {
        tell(event, SocketID(handler))
    }

    // MARK: What commits bring

    /// Tells what a transaction meant, now that it is on the disk.
    func deliver(_ notices: [LiveNotice]) {
        guard !connections.isEmpty else { return }
        for notice in notices {
            switch notice {
            case .message(let room, let message): deliver(message, in: room)
            case .removed(let room, let accounts): remove(accounts, from: room)
            case .mailbox(let address, let next): deliver(mailbox: next, of: address)
            case .sessionEnded(let session, let account), .keysRenewed(let session, let account):
                end(session, of: account)
            case .generation(let room, let accounts):
                for id in accounts.compactMap({ ofAccount[$0] }).joined() { tell(.generation(room: room), id) }
            case .groupInfo(let room): for id in followers[room] ?? [] { tell(.groupInfo(room: room), id) }
            case .blobsDropped: break
            }
        }
    }

    private func deliver(_ message: RoomMessage, in room: RoomID) {
        guard let ids = followers[room] else { return }
        // Encoded once for all who follow.
        let text = Self.encode(.message(room: room, message: message))
        for id in ids {
            guard let subscription = connections[id]?.subscriptions[room] else { continue }
            if subscription.isLive, subscription.next == message.number {
                send(text, number: message.number, room, id)
                continue
            }
            connections[id]?.subscriptions[room]?.passed = message.number
            guard subscription.isLive, subscription.next < message.number else { continue }
            connections[id]?.subscriptions[room]?.isLive = false
            catchUp(room, id)
        }
    }

    private func remove(_ accounts: [AccountID], from room: RoomID) {
        for id in accounts.compactMap({ ofAccount[$0] }).joined() {
            unfollow(room, id)
            tell(.removed(room: room), id)
        }
    }

    private func deliver(mailbox next: UInt64, of address: MailboxAddress) {
        for id in ofAccount[address.account] ?? [] where connections[id]?.sender.device == address.device {
            tell(.mailbox(next: next), id)
        }
    }

    private func end(_ session: SessionID, of account: AccountID) {
        for id in ofAccount[account] ?? [] where connections[id]?.sender.session == session {
            if let socket = connections[id]?.socket { Self.close(ended: socket) }
        }
    }

    // MARK: Catching up

    /// Reads the room for the socket, when it is its turn.
    private func catchUp(_ room: RoomID, _ id: SocketID) {
        guard connections[id]?.toRead.contains(room) == false else { return }
        connections[id]?.toRead.append(room)
        readNext(id)
    }

    private func readNext(_ id: SocketID) {
        guard let connection = connections[id], connection.reading == nil else { return }
        guard let index = connection.toRead.firstIndex(where: { connection.subscriptions[$0] != nil }),
            let subscription = connection.subscriptions[connection.toRead[index]]
        else {
            connections[id]?.toRead = []
            return
        }
        let room = connection.toRead[index]
        let account = connection.sender.account
        connections[id]?.toRead.removeSubrange(...index)
        connections[id]?.reading = subscription.serial
        reads.perform(for: Turn(account)) { reader throws(StorageError) in
            let found = try reader.messages(of: room, from: subscription.next, for: account)
            return ReadRules.judge(found, from: subscription.next)
        } then: { [self] result in
            assumeIsolated { hub in
                // Another socket may have the place of one that has gone.
                guard hub.connections[id]?.reading == subscription.serial else { return }
                hub.connections[id]?.reading = nil
                hub.caughtUp(room, id, serial: subscription.serial, result)
                hub.readNext(id)
            }
        }
    }

    private func caughtUp(_ room: RoomID, _ id: SocketID, serial: UInt64, _ result: Result<MessagePage, APIError>) {
        guard connections[id]?.subscriptions[room]?.serial == serial else { return }
        switch result {
        case .failure(let error):
            unfollow(room, id)
            tell(Self.told(error, of: room), id)
        case .success(let page):
            for message in page.messages {
                guard passOver(room, id, to: message.number) else { return }
                let text = Self.encode(.message(room: room, message: message))
                guard send(text, number: message.number, room, id) else { return }
            }
            // What was lost may be all that is left.
            guard !page.messages.isEmpty || passOver(room, id, to: page.next) else { return }
            guard let subscription = connections[id]?.subscriptions[room] else { return }
            // Beyond the room's end there is nothing to wait for but the numbers that come.
            if subscription.next >= page.next, subscription.passed < subscription.next {
                connections[id]?.subscriptions[room]?.isLive = true
            } else {
                catchUp(room, id)
            }
        }
    }

    /// What a socket hears of a room that is not read for it: of that one alone, for it serves the others.
    private static func told(_ error: APIError, of room: RoomID) -> LiveEvent {
        switch (error.code, error.number) {
        case (.notAMember, _), (.unknownRoom, _): .removed(room: room)
        case (.gone, let first?): .behind(room: room, from: first)
        default: .refused(error: error)
        }
    }

    /// Says that numbers are lost, where a subscription is due for one below the next that there is.
    ///
    /// - Returns: whether the subscription goes on.
    private func passOver(_ room: RoomID, _ id: SocketID, to number: UInt64) -> Bool {
        guard let due = connections[id]?.subscriptions[room]?.next, due < number else { return true }
        return send(Self.encode(.lost(room: room, first: due, last: number - 1)), number: number - 1, room, id)
    }

    // MARK: Sending

    /// Sends a message whose number is due.
    ///
    /// - Returns: whether the subscription goes on.
    @discardableResult
    private func send(_ text: String, number: UInt64, _ room: RoomID, _ id: SocketID) -> Bool {
        switch connections[id]?.socket.send(text: text) {
        case .queued:
            connections[id]?.subscriptions[room]?.next = number + 1
            return true
        case .behind:
            metrics.behind.add()
            unfollow(room, id)
            tell(.behind(room: room, from: number), id)
            return false
        case .closed, nil:
            return false
        }
    }

    private func tell(_ event: LiveEvent, _ id: SocketID) {
        guard let socket = connections[id]?.socket else { return }
        if socket.send(text: Self.encode(event)) == .behind {
            socket.close(code: LiveSocket.Code.behind, reason: "read faster, or fetch")
        }
    }

    private func unfollow(_ room: RoomID, _ id: SocketID) {
        connections[id]?.subscriptions[room] = nil
        followers[room]?.remove(id)
        if followers[room]?.isEmpty == true { followers[room] = nil }
    }

    private static func encode(_ event: LiveEvent) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(event) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}
