import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("Bad input: every field of every request")
struct RefusalTests {
    /// A request that would be carried out, as JSON that can be spoiled.
    private struct Valid {
        let name: String
        let method: HTTPMethod
        let path: String
        let token: String?
        let body: [String: Any]

        init<Content, Value>(
            _ name: String,
            _ place: RouteTarget<Content, Value>,
            _ token: String?,
            _ body: some Encodable
        ) throws {
            self.name = name
            method = place.http
            path = place.text
            self.token = token
            let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(body))
            self.body = try #require(object as? [String: Any])
        }
    }

    /// A spoiled body, and what it is answered with.
    private struct Spoiled {
        let what: String
        let bytes: [UInt8]
        var codes: Set<APIErrorCode> = [.badRequest]
    }

    @Test("a field that is missing, of another type, null, absurd or not UTF-8; bodies that are no JSON")
    func fields() async throws {
        let world = try await World()
        var count = 0
        for valid in try world.valid() {
            for spoiled in try Self.spoil(valid.body) {
                let answer = try await world.relay.ask(
                    valid.method,
                    valid.path,
                    token: valid.token,
                    body: spoiled.bytes
                )
                let error = answer.apiError
                #expect(
                    error.map { spoiled.codes.contains($0.code) } == true,
                    "\(valid.name): \(spoiled.what): \(answer.status) \(String(describing: error))"
                )
                #expect(answer.status == error?.code.status)
                count += 1
            }
            #expect(try world.relay.dump() == world.before, "\(valid.name)")
        }
        #expect(count > 150)
        // What was spoiled is otherwise in order: each is carried out when it is left as it is.
        for valid in try world.valid() {
            let answer = try await world.relay.ask(
                valid.method,
                valid.path,
                token: valid.token,
                body: [UInt8](JSONSerialization.data(withJSONObject: valid.body))
            )
            #expect(answer.status < 300, "\(valid.name): \(String(describing: answer.apiError))")
        }
        await world.relay.server.stop()
    }

    private static func spoil(_ body: [String: Any]) throws -> [Spoiled] {
        let whole = [UInt8](try JSONSerialization.data(withJSONObject: body))
        var spoiled = [
            Spoiled(what: "nothing", bytes: []),
            Spoiled(what: "not JSON", bytes: Array("hello".utf8)),
            Spoiled(what: "an array", bytes: Array("[]".utf8)),
            Spoiled(what: "a string", bytes: Array("\"{}\"".utf8)),
            Spoiled(what: "an empty object", bytes: Array("{}".utf8)),
            Spoiled(what: "cut short", bytes: Array(whole.dropLast())),
            Spoiled(what: "something behind it", bytes: whole + Array("{}".utf8)),
            Spoiled(what: "a byte order mark", bytes: [0xEF, 0xBB, 0xBF] + whole),
            Spoiled(what: "UTF-16", bytes: whole.flatMap { [$0, 0] }),
            Spoiled(
                what: "a byte that is not UTF-8",
                bytes: [UInt8(ascii: "{"), UInt8(ascii: "\""), 0xFF, UInt8(ascii: "\""), UInt8(ascii: ":")]
                    + Array("1,".utf8) + whole.dropFirst()
            ),
            Spoiled(
                what: "nested too deeply",
                bytes: Array("{\"x\":".utf8) + [UInt8](repeating: UInt8(ascii: "["), count: 10_000)
            ),
            Spoiled(
                what: "a name twice, far in",
                bytes: Array("{\"x\":[{\"y\":1,\"\\u0079\":1}],".utf8) + whole.dropFirst()
            ),
            Spoiled(
                what: "oversized",
                bytes: whole + [UInt8](repeating: 0x20, count: Limits.groupBody),
                codes: [.tooLarge]
            ),
        ]
        for (name, value) in body {
            let first = [UInt8](try JSONSerialization.data(withJSONObject: [name: value])).dropLast()
            spoiled.append(Spoiled(what: "\(name) twice", bytes: first + Array(",".utf8) + whole.dropFirst()))
        }
        for path in paths(in: body, above: []) {
            let name = path.map { "\($0)" }.joined(separator: ".")
            func add(_ what: String, _ value: Any?, _ codes: Set<APIErrorCode> = [.badRequest]) throws {
                let object = set(body, path[...], to: value)
                spoiled.append(
                    Spoiled(
                        what: "\(name) \(what)",
                        bytes: [UInt8](try JSONSerialization.data(withJSONObject: object)),
                        codes: codes
                    )
                )
            }
            if path.last is String { try add("missing", nil) }
            try add("null", NSNull())
            try add("of another type", value(at: path[...], in: body) is String ? 7 : "seven")
            try add("an object", ["a": ["b": 1]])
            try add("true", true)
            try add("absurdly long", String(repeating: "~", count: 5000))
            if value(at: path[...], in: body) is NSNumber {
                try add("negative", -1, [.badRequest, .wrongCredentials])
                try add("a fraction", 1.5)
                try add("beyond every integer", Decimal(string: "99999999999999999999") ?? 0)
            }
        }
        return spoiled
    }

    private static func paths(in value: Any, above path: [AnyHashable]) -> [[AnyHashable]] {
        let here = path.isEmpty ? [] : [path]
        if let object = value as? [String: Any] {
            return here + object.keys.sorted().flatMap { paths(in: object[$0] ?? 0, above: path + [$0]) }
        }
        if let array = value as? [Any] {
            return here + array.indices.flatMap { paths(in: array[$0], above: path + [$0]) }
        }
        return here
    }

    private static func value(at path: ArraySlice<AnyHashable>, in whole: Any) -> Any? {
        guard let step = path.first else { return whole }
        let next: Any? =
            if let key = step as? String { (whole as? [String: Any])?[key] } else {
                (whole as? [Any])?[step as? Int ?? 0]
            }
        return next.flatMap { value(at: path.dropFirst(), in: $0) }
    }

    private static func set(_ whole: Any, _ path: ArraySlice<AnyHashable>, to value: Any?) -> Any {
        guard let step = path.first else { return value ?? NSNull() }
        if let key = step as? String, var object = whole as? [String: Any] {
            if path.count == 1 {
                object[key] = value
            } else {
                object[key] = set(object[key] ?? 0, path.dropFirst(), to: value)
            }
            return object
        }
        if let index = step as? Int, var array = whole as? [Any] {
            array[index] = set(array[index], path.dropFirst(), to: value)
            return array
        }
        return whole
    }

    @Test("routes, methods, tokens, rooms and queries that are wrong")
    func requests() async throws {
        let world = try await World()
        let (alice, carol, room) = (world.alice, world.carol, world.room)
        let unmade = try LoneRoom(of: alice)
        let none = unmade.id
        let cases: [(HTTPMethod, String, String?, APIErrorCode)] = [
            (.get, "/", nil, .unknownRoute),
            (.get, "/v1", nil, .unknownRoute),
            (.get, "/v2/relay", nil, .unknownRoute),
            (.get, "/v1/relay/", nil, .unknownRoute),
            (.get, "/v1/relay?x=1", nil, .badRequest),
            (.post, "/v1/relay", nil, .methodNotAllowed),
            (.put, "/v1/rooms", alice.token, .methodNotAllowed),
            (.post, "/v1/rooms", alice.token, .methodNotAllowed),
            (.post, "/v1/rooms/\(room)/messages", alice.token, .methodNotAllowed),
            (.get, "/v1/login/Alice", nil, .badRequest),
            (.get, "/v1/login/al", nil, .badRequest),
            (.get, "/v1/login/" + String(repeating: "a", count: 33), nil, .badRequest),
            (.get, "/v1/accounts/alice", nil, .unauthorized),
            (.get, "/v1/rooms", nil, .unauthorized),
            (.get, "/v1/rooms", "nonsense", .unauthorized),
            (.get, "/v1/rooms", String(repeating: "a.", count: 4000), .unauthorized),
            (.get, "/v1/rooms", alice.token + "x", .unauthorized),
            (.get, "/v1/rooms/\(room)", carol.token, .notAMember),
            (.get, "/v1/rooms/\(none)", alice.token, .unknownRoom),
            (.get, "/v1/rooms/nonsense", alice.token, .badRequest),
            (.get, "/v1/rooms/\(room.description.uppercased())", alice.token, .badRequest),
            (.get, "/v1/rooms/\(room)/messages", alice.token, .badRequest),
            (.get, "/v1/rooms/\(room)/messages?from=", alice.token, .badRequest),
            (.get, "/v1/rooms/\(room)/messages?from=x", alice.token, .badRequest),
            (.get, "/v1/rooms/\(room)/messages?from=-1", alice.token, .badRequest),
            (.get, "/v1/rooms/\(room)/messages?from=%2B1", alice.token, .badRequest),
            (.get, "/v1/rooms/\(room)/messages?from=01", alice.token, .badRequest),
            (.get, "/v1/rooms/\(room)/messages?from=1&from=1", alice.token, .badRequest),
            (.get, "/v1/rooms/\(room)/messages?from=1&to=2", alice.token, .badRequest),
            (.get, "/v1/rooms/\(room)/messages?from=%FF", alice.token, .badRequest),
            (.get, "/v1/rooms/\(room)/messages?from=18446744073709551616", alice.token, .badRequest),
            (.get, "/v1/rooms/\(room)/messages?from=0", alice.token, .gone),
            (.get, "/v1/rooms/\(room)/messages?from=1", carol.token, .notAMember),
            (.get, "/v1/rooms/\(none)/messages?from=1", alice.token, .unknownRoom),
            (.get, "/v1/rooms/\(room)/messages?from=1", nil, .unauthorized),
            (.get, "/v1/mailbox", alice.token, .badRequest),
            (.get, "/v1/mailbox?from=1", nil, .unauthorized),
            (.get, "/v1/mailbox?from=0", alice.token, .gone),
            (.delete, "/v1/mailbox", alice.token, .badRequest),
            (.delete, "/v1/mailbox?through=1", nil, .unauthorized),
            (.delete, "/v1/mailbox?through=99", alice.token, .badRequest),
            (.delete, "/v1/mailbox?through=18446744073709551615", alice.token, .badRequest),
            (.delete, "/v1/sessions/current", nil, .unauthorized),
            (.get, "/v1/socket", alice.token, .badRequest),
        ]
        for (method, target, token, code) in cases {
            let answer = try await world.relay.ask(method, target, token: token)
            #expect(answer.apiError?.code == code, "\(method) \(target.prefix(80))")
            #expect(answer.status == code.status)
            #expect(answer.fields["Content-Type"] == "application/json")
        }
        for (room, person, code) in [(unmade, alice, APIErrorCode.unknownRoom), (world.lone, carol, .notAMember)] {
            #expect(try await person.say("x", in: room).apiError?.code == code)
        }
        var stranger = alice
        stranger.tokens.access = ""
        #expect(try await stranger.say("x", in: world.lone).apiError?.code == .unauthorized)
        let long = String(repeating: "x", count: Limits.message + 1)
        #expect(try await alice.say(long, in: world.lone).apiError?.code == .badRequest)
        #expect(try world.relay.dump() == world.before)
        world.relay.advance(seconds: 301)
        #expect(try await alice.say("x", in: world.lone).apiError?.code == .unauthorized)
        #expect(try world.relay.dump() == world.before)
        await world.relay.server.stop()
    }

    /// Alice has a room; Carol is not in it. Bob can be brought into rooms.
    private struct World {
        let relay: TestRelay
        let alice: Person
        let bob: Person
        let carol: Person
        let lone: LoneRoom
        let before: [String]

        var room: RoomID { lone.id }

        init() async throws {
            relay = try TestRelay { $0.limitsRates = false }
            alice = try await Person("alice", on: relay)
            let member = try await GroupMember("bob", on: relay)
            bob = member.person
            carol = try await Person("carol", on: relay)
            lone = try await alice.makeRoom()
            _ = try await member.publish([try member.bundle(isLastResort: true)])
            before = try relay.dump()
        }

        func valid() throws -> [Valid] {
            let registration = try Person.registration("dave", relay: relay.server.relay).body
            return [
                try Valid("register", Routes.register.at(), nil, registration),
                try Valid(
                    "ask for records",
                    Routes.bundles.at(),
                    alice.token,
                    AccountQuery(accounts: [bob.account])
                ),
                try Valid(
                    "say of another",
                    Routes.putStanding.at(.random()),
                    alice.token,
                    StandingRequest(account: bob.account, standing: .known)
                ),
                try Valid(
                    "make a link",
                    Routes.putLink.at(.random()),
                    alice.token,
                    LinkRequest(expires: relay.now + 600)
                ),
                try Valid(
                    "claim key packages",
                    Routes.claimKeyPackages.at(bob.handle),
                    alice.token,
                    ClaimRequest(id: .random(), room: room)
                ),
            ]
        }
    }
}
