import MildamIdentity
import Testing

@testable import MildamRelayAPI

@Suite("protocol.md, Requests: routes")
struct RouteTests {
    private static let id = "irceirceirceirceirceirceiq"
    private static let other = "mztgmztgmztgmztgmztgmztgmy"

    @Test("each path is the one that clients and relays of every version use, and says what it names")
    func paths() throws {
        let handle = try Handle("a.b_c-9")
        let (session, room) = (try SessionID(Self.id), try RoomID(Self.id))
        let place = BlobPlace(room, try BlobID(Self.other))
        try check(Routes.relay, NoNames(), "GET /v1/relay")
        try check(Routes.document, NoNames(), "GET /v1/openapi.json")
        try check(Routes.login, handle, "GET /v1/login/a.b_c-9")
        try check(Routes.register, NoNames(), "POST /v1/accounts")
        try check(Routes.account, handle, "GET /v1/accounts/a.b_c-9")
        try check(Routes.bundles, NoNames(), "POST /v1/bundles")
        try check(Routes.renewDevice, handle, "PUT /v1/accounts/a.b_c-9/devices")
        try check(Routes.token, NoNames(), "POST /v1/token")
        try check(Routes.revocation, NoNames(), "POST /v1/revocation")
        try check(Routes.metadata, NoNames(), "GET /.well-known/oauth-authorization-server")
        try check(Routes.sessions, NoNames(), "GET /v1/sessions")
        try check(Routes.logOut, NoNames(), "DELETE /v1/sessions/current")
        try check(Routes.endOtherSessions, NoNames(), "DELETE /v1/sessions/others")
        try check(Routes.endSession, session, "DELETE /v1/sessions/\(Self.id)")
        try check(Routes.changePassword, NoNames(), "PUT /v1/account/password")
        try check(Routes.deleteAccount, NoNames(), "POST /v1/account/deletion")
        try check(Routes.secondFactor, NoNames(), "GET /v1/account/second-factor")
        try check(Routes.takeSecondFactor, NoNames(), "POST /v1/account/second-factor")
        try check(Routes.confirmSecondFactor, NoNames(), "PUT /v1/account/second-factor")
        try check(Routes.removeSecondFactor, NoNames(), "POST /v1/account/second-factor/removal")
        try check(Routes.accountLog, NoNames(), "GET /v1/account/log")
        try check(Routes.standings, NoNames(), "GET /v1/account/standings", query: nil)
        let (standing, link) = (try StandingID(Self.id), try LinkID(Self.id))
        try check(Routes.standings, NoNames(), "GET /v1/account/standings?after=\(Self.id)", query: standing)
        try check(Routes.putStanding, standing, "PUT /v1/account/standings/\(Self.id)")
        try check(Routes.deleteStanding, standing, "DELETE /v1/account/standings/\(Self.id)")
        try check(Routes.putLink, link, "PUT /v1/account/links/\(Self.id)")
        try check(Routes.deleteLink, link, "DELETE /v1/account/links/\(Self.id)")
        try check(Routes.acceptRoom, room, "PUT /v1/rooms/\(Self.id)/acceptance")
        try check(Routes.rooms, NoNames(), "GET /v1/rooms", query: nil)
        try check(Routes.rooms, NoNames(), "GET /v1/rooms?after=\(Self.id)", query: room)
        try check(Routes.room, room, "GET /v1/rooms/\(Self.id)")
        try check(Routes.messages, room, "GET /v1/rooms/\(Self.id)/messages?from=7", query: 7)
        try check(Routes.createGroup, room, "PUT /v1/rooms/\(Self.id)/group")
        try check(Routes.group, room, "GET /v1/rooms/\(Self.id)/group")
        let tree = "GET /v1/rooms/\(Self.id)/group/tree?generation=1&epoch=9007199254740991"
        try check(Routes.groupTree, room, tree, query: (1, Limits.epoch))
        try check(Routes.sendToGroup, room, "POST /v1/rooms/\(Self.id)/group/messages")
        try check(Routes.refill, room, "POST /v1/rooms/\(Self.id)/group/refill")
        try check(Routes.putGroupInfo, room, "PUT /v1/rooms/\(Self.id)/group-info")
        try check(Routes.renewRoom, room, "POST /v1/rooms/\(Self.id)/generations")
        try check(Routes.keyPackages, NoNames(), "GET /v1/key-packages")
        try check(Routes.putKeyPackages, NoNames(), "PUT /v1/key-packages")
        try check(Routes.claimKeyPackages, handle, "POST /v1/accounts/a.b_c-9/key-packages")
        let blob = "/v1/rooms/\(Self.id)/blobs/\(Self.other)"
        try check(Routes.blob, place, "GET \(blob)")
        try check(Routes.putPiece, place, "PUT \(blob)?size=9&offset=0", query: (9, 0))
        try check(Routes.blobContent, place, "GET \(blob)/content?offset=1&length=8", query: (1, 8))
        try check(Routes.mailbox, NoNames(), "GET /v1/mailbox?from=\(UInt64.max)", query: .max)
        try check(Routes.dropMailbox, NoNames(), "DELETE /v1/mailbox?through=0", query: 0)
        try check(Routes.socket, NoNames(), "GET /v1/socket")
    }

    private func check<Asker, Names, Body, Answer>(
        _ route: Route<Asker, Names, Void, Body, Answer>,
        _ names: Names,
        _ line: String
    ) throws {
        try check(route, names, line, query: ())
    }

    private func check<Asker, Names, Query, Body, Answer>(
        _ route: Route<Asker, Names, Query, Body, Answer>,
        _ names: Names,
        _ line: String,
        query: Query
    ) throws {
        let place = route.at(names, query: query)
        #expect("\(place.method.rawValue) \(place.text)" == line)
        #expect(route.names(in: place.path)?.texts == names.texts, "\(line)")
        #expect(route.names(in: place.path + "/") == nil, "\(line)")
        let items = place.query?.split(separator: "&").map { item in
            let parts = item.split(separator: "=").map(String.init)
            return (name: parts[0], value: parts[1])
        }
        #expect("\(try route.query.read(items ?? []))" == "\(query)", "\(line)")
    }

    /// Codes and statuses never change their meaning.
    @Test func errorCodes() {
        let table: [(String, Int)] = [
            ("bad_request", 400), ("too_large", 413), ("unknown_route", 404), ("method_not_allowed", 405),
            ("unauthorized", 401), ("wrong_credentials", 401),
            ("second_factor_required", 401), ("wrong_code", 401), ("session_ended", 401),
            ("unsupported_grant_type", 400),
            ("invalid_dpop_proof", 401), ("use_dpop_nonce", 401), ("handle_taken", 409),
            ("bad_identity", 400), ("second_factor_active", 409), ("no_second_factor", 409), ("stale_list", 409),
            ("invitation_required", 403), ("registration_closed", 403), ("link_required", 403),
            ("unknown_session", 404), ("unknown_account", 404), ("unknown_room", 404),
            ("room_taken", 409),
            ("not_a_member", 403), ("stale_epoch", 409), ("proposals_due", 409),
            ("invalid_commit", 400), ("commit_rate", 429), ("no_key_package", 404),
            ("id_reused", 409), ("gone", 410), ("unknown_blob", 404), ("wrong_offset", 409), ("rate_limited", 429),
            ("quota_exceeded", 507), ("storage_full", 507),
            ("unavailable", 503), ("internal_error", 500),
        ]
        #expect(APIErrorCode.allCases.map(\.rawValue) == table.map(\.0))
        #expect(APIErrorCode.allCases.map(\.status) == table.map(\.1))
    }
}
