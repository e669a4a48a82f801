import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport

extension RouteHandler {
    /// What an account says of those who send to it.
    static let consent = [
        RouteHandler(Routes.standings, .reading) { $0.standings(after: $1.query, $1.sender, $1.reply) },
        RouteHandler(Routes.putStanding, .consent) { service, call throws(APIError) in
            try service.putStanding(call)
        },
        RouteHandler(Routes.deleteStanding, .consent) {
            $0.perform(DeleteStanding(id: $1.names, sender: $1.sender), for: $1.turn, $1.reply)
        },
        RouteHandler(Routes.putLink, .consent) { service, call throws(APIError) in try service.putLink(call) },
        RouteHandler(Routes.deleteLink, .consent) {
            $0.perform(DeleteLink(link: $1.names, sender: $1.sender), for: $1.turn, $1.reply)
        },
        RouteHandler(Routes.acceptRoom, .consent) {
            $0.perform(AcceptRoom(room: $1.names, sender: $1.sender), for: $1.turn, $1.reply)
        },
    ]
}

extension RelayService {
    /// `GET /v1/account/standings`.
    func standings(after start: StandingID?, _ sender: Sender, _ reply: Answer) {
        parts.reads.perform(for: Turn(sender, reply)) { reader throws(StorageError) in
            .success(.json(StandingList(standings: try reader.standings(of: sender.account, after: start))))
        } then: {
            reply.send(HTTPResponse($0))
        }
    }

    /// `PUT /v1/account/standings/STANDING`.
    func putStanding(_ call: Call<Sender, StandingID, Void, StandingRequest>) throws(APIError) {
        try withBody(of: call, for: call.turn) { [self] body in
            perform(PutStanding(id: call.names, sender: call.sender, request: body), for: call.turn, call.reply)
        }
    }

    /// `PUT /v1/account/links/LINK`.
    func putLink(_ call: Call<Sender, LinkID, Void, LinkRequest>) throws(APIError) {
        try withBody(of: call, for: call.turn) { [self] body in
            perform(PutLink(link: call.names, sender: call.sender, expires: body.expires), for: call.turn, call.reply)
        }
    }

    /// Has an operation performed that is answered by nothing but that it is done.
    func perform(_ operation: some StoreOperation<Void>, for turn: Turn, _ reply: Answer) {
        parts.commits.perform(operation, for: turn) {
            reply.send(HTTPResponse($0.map { .done }))
        }
    }
}
