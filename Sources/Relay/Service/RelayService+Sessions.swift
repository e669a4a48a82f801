import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport

extension RouteHandler {
    /// An account's sessions.
    static let sessions = [
        RouteHandler(Routes.sessions, .reading) { $0.sessions($1.sender, $1.reply) },
        RouteHandler(
            Routes.logOut,
            sender: { service, request throws(APIError) in try service.senderOfAnySession(of: request) },
            { $0.logOut($1.sender, $1.reply) }
        ),
        RouteHandler(Routes.endOtherSessions, .change) { $0.endOtherSessions($1.sender, $1.reply) },
        RouteHandler(Routes.endSession, .change) { $0.endSession($1.names, $1.sender, $1.reply) },
    ]
}

extension RelayService {
    /// `GET /v1/sessions`.
    func sessions(_ sender: Sender, _ reply: Answer) {
        parts.reads.perform(for: Turn(sender, reply)) { reader throws(StorageError) in
            .success(.json(SessionList(sessions: try reader.sessions(of: sender.account, current: sender.session))))
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `DELETE /v1/sessions/SESSION`.
    func endSession(_ session: SessionID, _ sender: Sender, _ reply: Answer) {
        parts.commits.perform(EndSession(session: session, sender: sender), for: Turn(sender, reply)) {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }

    /// `DELETE /v1/sessions/others`.
    func endOtherSessions(_ sender: Sender, _ reply: Answer) {
        parts.commits.perform(EndOtherSessions(sender: sender), for: Turn(sender, reply)) {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }

    /// `DELETE /v1/sessions/current`. The same again is answered alike, although the access token is refused elsewhere by
    /// then.
    func logOut(_ sender: Sender, _ reply: Answer) {
        let address = sender.address
        parts.commits.perform(LogOut(session: sender.session, address: address), for: Turn(sender, reply)) {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }

    /// Who asks, be the session over or not.
    fileprivate func senderOfAnySession(of request: HTTPRequest) throws(APIError) -> Sender {
        try parts.tokens.senderOfAnySession(
            authorization: request.fields.onlyValue(of: "Authorization"),
            proving(request)
        )
    }
}
