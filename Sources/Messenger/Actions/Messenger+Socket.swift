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
        let found = try await passage(renewing: refreshing, forSocket: !refreshing)
        return (try await found.relay.openSocket(found.access), found.session)
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
                guard error.mayPass else {
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
        let found = try await passage(forSocket: true)
        try await say(try found.relay.renewal(found.access), on: socket)
        return found.session
    }
}

extension MessengerError {
    /// Whether to try again: the relay is away, or cannot say just now.
    fileprivate var mayPass: Bool {
        switch self {
        case .transport, .tooFast: true
        case .refused(let error): error.mayPass
        default: false
        }
    }
}
