import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamTransport

extension Messenger {
    /// Opens the connection over which the relay tells what happens; where the relay no longer takes the access token, with
    /// a fresh one.
    ///
    /// - Returns: the connection, and the session whose access token it stands on.
    func openSocket() async throws(MessengerError) -> (WebSocketConnection, SessionState) {
        do throws(MessengerError) {
            return try await openSocket(refreshing: false)
        } catch .refused(let error) where error.code == .unauthorized {
            do throws(MessengerError) {
                return try await openSocket(refreshing: true)
            } catch .refused(let error) where error.code == .unauthorized {
                // A relay that has ended many sessions refuses fresh tokens, too, for a few seconds.
                throw .transport(.closed)
            }
        }
    }

    private func openSocket(
        refreshing: Bool
    ) async throws(MessengerError) -> (WebSocketConnection, SessionState) {
        let (relay, access, session) = try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let access =
                if refreshing {
                    try await messenger.renewAccess(account, store)
                } else {
                    try await messenger.access(account, store, forSocket: true)
                }
            return (try messenger.relay(account), access, try messenger.session(store))
        }
        return (try await relay.openSocket(access), session)
    }

    /// Says something on a socket.
    func say(_ request: LiveRequest, on socket: WebSocketConnection) async throws(MessengerError) {
        do {
            try await socket.send(text: String(decoding: try JSONEncoder().encode(request), as: UTF8.self))
        } catch {
            throw MessengerError(error)
        }
    }

    /// Renews an open socket before its access token ends, again and again, until the task is cancelled. What the relay
    /// answers comes with what it tells on the socket.
    ///
    /// A refresh that fails for now is tried again; the relay closes the socket when it is too late.
    ///
    /// - Parameter session: whose access token the socket stands on.
    /// - Returns: what another attempt cannot mend; then the socket is closed. `nil` when the task was cancelled.
    func keepOpen(_ socket: WebSocketConnection, since session: SessionState) async -> MessengerError? {
        var session = session
        var pause = Backoff()
        var wait = session.untilRenewal(at: clock.milliseconds)
        while true {
            do { try await Task.sleep(for: wait) } catch { return nil }
            do throws(MessengerError) {
                session = try await renew(socket)
                pause.reset()
                wait = session.untilRenewal(at: clock.milliseconds)
            } catch {
                if Task.isCancelled { return nil }
                guard error.mayPassWhileWatching else {
                    socket.close()
                    return error
                }
                wait = .seconds(pause.next())
            }
        }
    }

    /// Shows the relay, on an open socket, an access token that outlives the one it stands on; perhaps another program of
    /// this profile has got it already.
    ///
    /// - Returns: the session with that token.
    func renew(_ socket: WebSocketConnection) async throws(MessengerError) -> SessionState {
        let (request, renewed) = try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let access = try await messenger.access(account, store, forSocket: true)
            return (try messenger.relay(account).renewal(access), try messenger.session(store))
        }
        try await say(request, on: socket)
        return renewed
    }

    // MARK: Rooms

    /// Has the relay tell what is new in a room.
    func subscribe(_ room: RoomLedger, on socket: WebSocketConnection) async throws(MessengerError) {
        let request = LiveRequest.subscribe(room: room.room, from: room.seen.number + 1)
        try await say(request, on: socket)
    }

    /// Subscribes to rooms that other programs of this profile join meanwhile, until the task is cancelled. Of those, the
    /// relay tells nothing by itself: a request is not followed before a person has accepted it.
    ///
    /// - Parameter followed: the rooms that are followed already.
    func followJoined(on socket: WebSocketConnection, beside followed: Set<RoomID>) async {
        var rooms = followed
        var seen = traces
        while true {
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
            guard traces != seen else { continue }
            let present = try? await alone { (_, store) throws(MessengerError) in try store.records(.room) }
            seen = traces
            for room in present ?? [] where room.standing == .member || room.standing == .invited {
                guard rooms.insert(room.room).inserted else { continue }
                try? await subscribe(room, on: socket)
            }
        }
    }

    /// What changes when another program writes to this profile.
    private var traces: [Date?] {
        let path = profile.place.messages
        return [path, path + "-wal"].map { path in
            (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
        }
    }

    private func session(_ store: ClientStore) throws(MessengerError) -> SessionState {
        guard let session = try store.record(.session, []) else { throw .notLoggedIn }
        return session
    }
}
