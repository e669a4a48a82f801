import MildamIdentity
import Testing

@testable import MildamRelayAPI

@Suite("protocol.md, Requests: routes")
struct RouteTests {
    private static let room = "irceirceirceirceirceirceiq"
    private static let blob = "mztgmztgmztgmztgmztgmztgmy"

    /// Every route, and the path clients and relays of every version use for it.
    private static func routes() throws -> [(Route, String)] {
        let handle = try Handle("a.b_c-9")
        let (room, blob) = (try RoomID(room), try BlobID(blob))
        return [
            (.relay, "/v1/relay"), (.document, "/v1/openapi.json"), (.login(handle), "/v1/login/a.b_c-9"),
            (.accounts, "/v1/accounts"),
            (.account(handle), "/v1/accounts/a.b_c-9"), (.devices(handle), "/v1/accounts/a.b_c-9/devices"),
            (.sessions, "/v1/sessions"),
            (.token, "/v1/token"), (.revocation, "/v1/revocation"), (.currentSession, "/v1/sessions/current"),
            (.otherSessions, "/v1/sessions/others"),
            (.session(try SessionID(Self.room)), "/v1/sessions/\(Self.room)"), (.password, "/v1/account/password"),
            (.deletion, "/v1/account/deletion"), (.secondFactor, "/v1/account/second-factor"),
            (.secondFactorRemoval, "/v1/account/second-factor/removal"), (.accountLog, "/v1/account/log"),
            (.rooms, "/v1/rooms"),
            (.room(room), "/v1/rooms/\(room)"), (.messages(room), "/v1/rooms/\(room)/messages"),
            (.blob(room, blob), "/v1/rooms/\(room)/blobs/\(blob)"),
            (.blobContent(room, blob), "/v1/rooms/\(room)/blobs/\(blob)/content"), (.mailbox, "/v1/mailbox"),
            (.socket, "/v1/socket"),
        ]
    }

    @Test func eachPathIsMadeAndRead() throws {
        for (route, path) in try Self.routes() {
            #expect(route.path == path)
            #expect(try Route(path: path) == route)
        }
    }

    @Test("RFC 8414, section 3: where an authorization server says what it is")
    func metadata() throws {
        let path = "/.well-known/oauth-authorization-server"
        #expect(Route.metadata.path == path)
        #expect(try Route(path: path) == .metadata)
        for other in [path + "/", "/v1" + path, "/.well-known", "/.well-known/openid-configuration", path.uppercased()]
        {
            #expect(throws: APIError.self, "\(other)") { try Route(path: other) }
        }
    }

    @Test func noPathHasASecondSpelling() throws {
        for (_, path) in try Self.routes() {
            for other in [
                path + "/", path + "/x/y/z", "/" + path, path.uppercased(), String(path.dropFirst()),
                path.replacing("/v1/", with: "/v1//"), path.replacing("/v1", with: "/v2"),
                path.replacing("/v1", with: "/x/../v1"), path.replacing("/v1", with: "/./v1"), " " + path, path + "?",
                path + "#", path + "\0", path + "%00", path + " ",
            ] {
                #expect(throws: APIError.self, "\(other)") { try Route(path: other) }
            }
        }
    }

    @Test(
        "No route",
        arguments: [
            "", "/", "//", "/v1", "/v1/", "/v1/nothing", "/v1/relay/x", "/v1/login", "/v1/login/alice/x",
            "/v1/accounts/alice/device", "/v1/accounts/alice/devices/x", "/v1/sessions/current/x", "/v1/account",
            "/v1/account/x", "/v1/rooms/\(room)/",
            "/v1/rooms/\(room)/blobs", "/v1/rooms/\(room)/members",
            "/v1/rooms/\(room)/blobs/\(blob)/other", "/v1/rooms/\(room)/blobs/\(blob)/content/x",
            "/v1/rooms/../relay", "/V1/relay", String(repeating: "/", count: 100_000),
        ]
    )
    func unknown(_ path: String) {
        #expect {
            try Route(path: path)
        } throws: {
            ($0 as? APIError)?.code == .unknownRoute
        }
    }

    @Test(
        "A route, with an id or handle that is none",
        arguments: [
            "/v1/login/", "/v1/login/al", "/v1/login/Alice", "/v1/login/..", "/v1/login/al%69ce", "/v1/login/älice",
            "/v1/accounts/", "/v1/accounts/a b", "/v1/accounts//devices", "/v1/sessions/other", "/v1/sessions/",
            "/v1/rooms/", "/v1/rooms/x", "/v1/rooms/..",
            "/v1/rooms/IRCEIRCEIRCEIRCEIRCEIRCEIQ", "/v1/rooms/irceirceirceirceirceirceir",
            "/v1/rooms/\(room)x", "/v1/rooms/x/messages", "/v1/rooms/\(room)/blobs/x", "/v1/rooms/\(room)/blobs/",
            "/v1/rooms/x/blobs/\(blob)", "/v1/rooms/\(room)/blobs/x/content",
        ]
    )
    func badPart(_ path: String) {
        #expect {
            try Route(path: path)
        } throws: {
            ($0 as? APIError)?.code == .badRequest
        }
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
            ("unknown_session", 404), ("unknown_account", 404), ("unknown_room", 404),
            ("room_taken", 409),
            ("not_a_member", 403), ("already_a_member", 409), ("stale_epoch", 409), ("stale_number", 409),
            ("id_reused", 409), ("gone", 410), ("unknown_blob", 404), ("wrong_offset", 409), ("rate_limited", 429),
            ("quota_exceeded", 507), ("storage_full", 507),
            ("unavailable", 503), ("internal_error", 500),
        ]
        #expect(APIErrorCode.allCases.map(\.rawValue) == table.map(\.0))
        #expect(APIErrorCode.allCases.map(\.status) == table.map(\.1))
    }
}
