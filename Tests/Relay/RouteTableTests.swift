import MildamIdentity
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("PROTOCOL: paths of the relay")
struct RouteTableTests {
    private static let room = "irceirceirceirceirceirceiq"
    private static let blob = "mztgmztgmztgmztgmztgmztgmy"

    /// Every path, with names in the braces' places.
    private static let paths = RouteTable.places.map { place in
        place.path.text.replacing("{handle}", with: "a.b_c-9").replacing("{blob}", with: blob)
            .replacing(/\{(room|session|standing|link)\}/, with: room)
    }

    @Test("a path is found, with the routes that have it; a word goes before a name")
    func found() throws {
        #expect(Self.paths.count == 38)
        for (place, path) in zip(RouteTable.places, Self.paths) {
            #expect(try RouteTable.find(path).place === place, "\(path)")
        }
        #expect(try RouteTable.find(Routes.logOut.path).place.path == Routes.logOut.outline.path)
    }

    @Test("each method of a path has one route")
    func methods() throws {
        for place in RouteTable.places {
            #expect(Set(place.methods).count == place.methods.count, "\(place.path.text)")
            for method in HTTPMethod.allCases {
                let route = place.handler(of: method)?.route
                #expect((route != nil) == place.methods.contains(method))
                if let route { #expect(route.path == place.path && route.method.rawValue == method.rawValue) }
            }
        }
        #expect(RouteTable.places.map(\.methods.count).reduce(0, +) == RouteTable.handlers.count)
    }

    @Test("no path has a second spelling")
    func spellings() {
        for path in Self.paths {
            for other in [
                path + "/", path + "/x/y/z", "/" + path, path.uppercased(), String(path.dropFirst()),
                path.replacing("/v1/", with: "/v1//"), path.replacing("/v1", with: "/v2"),
                path.replacing("/v1", with: "/x/../v1"), path.replacing("/v1", with: "/./v1"), " " + path, path + "?",
                path + "#", path + "\0", path + "%00", path + " ",
            ] where other != path {
                #expect(throws: APIError.self, "\(other)") { try RouteTable.find(other) }
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
            "/v1/rooms/../relay", "/V1/relay", String(repeating: "/", count: 100_000), "/.well-known",
            "/.well-known/openid-configuration", "/v1/.well-known/oauth-authorization-server", "/v1/login/{handle}/x",
        ]
    )
    func unknown(_ path: String) {
        #expect {
            try RouteTable.find(path)
        } throws: {
            ($0 as? APIError)?.code == .unknownRoute
        }
    }

    @Test(
        "A route, with an id or handle that is none",
        arguments: [
            "/v1/login/", "/v1/login/al", "/v1/login/Alice", "/v1/login/..", "/v1/login/al%69ce", "/v1/login/älice",
            "/v1/accounts/", "/v1/accounts/a b", "/v1/accounts//devices", "/v1/sessions/other", "/v1/sessions/",
            "/v1/rooms/", "/v1/rooms/x", "/v1/rooms/..", "/v1/rooms/{room}",
            "/v1/rooms/IRCEIRCEIRCEIRCEIRCEIRCEIQ", "/v1/rooms/irceirceirceirceirceirceir",
            "/v1/rooms/\(room)x", "/v1/rooms/x/messages", "/v1/rooms/\(room)/blobs/x", "/v1/rooms/\(room)/blobs/",
            "/v1/rooms/x/blobs/\(blob)", "/v1/rooms/\(room)/blobs/x/content",
        ]
    )
    func badPart(_ path: String) {
        #expect {
            try RouteTable.find(path)
        } throws: {
            ($0 as? APIError)?.code == .badRequest
        }
    }
}
