import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport

extension RelayService {
    /// `GET /v1/sessions`.
    func sessions(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .reading)
        _ = try Query(request.target, names: [])
        parts.reads.perform { reader throws(StorageError) in
            .success(.json(SessionList(sessions: try reader.sessions(of: sender.account, current: sender.session))))
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `DELETE /v1/sessions/SESSION`.
    func endSession(_ session: SessionID, _ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .change)
        _ = try Query(request.target, names: [])
        parts.commits.perform(EndSession(session: session, sender: sender)) {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }

    /// `DELETE /v1/sessions/others`.
    func endOtherSessions(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try sender(of: request, for: .change)
        _ = try Query(request.target, names: [])
        parts.commits.perform(EndOtherSessions(sender: sender)) {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }

    /// `DELETE /v1/sessions/current`. The same again is answered alike, although the access token is refused elsewhere by
    /// then.
    func logOut(_ request: HTTPRequest, _ reply: Answer) throws(APIError) {
        let sender = try parts.tokens.senderOfAnySession(
            authorization: request.fields.onlyValue(of: "Authorization"),
            proving(request)
        )
        _ = try Query(request.target, names: [])
        let address = MailboxAddress(account: sender.account, device: sender.device)
        parts.commits.perform(LogOut(session: sender.session, address: address)) {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }
}
