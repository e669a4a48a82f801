import Foundation
import HouseSupport
import MildamCrypto
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport
import MildamWire
import TestSupport
import Testing

/// What a mailbox can be filled with: it costs no request, and holds up nothing.
@Suite("Mail from strangers, and in others' names")
struct StrangersMailTests {
    /// bob behind a proxy that counts how often accounts are looked up; he knows alice and carol.
    private struct Scene {
        let house: House
        let proxy: TamperingProxy
        let alice: Person
        let bob: Person
        let carol: Person
        /// How often bob's client looked an account up, and from where it read its mailbox.
        let asked: Lock<(accounts: Int, mailbox: [String])> = Lock((0, []))

        init() async throws {
            house = try await House.open()
            proxy = try TamperingProxy.start(before: house.relay.url)
            let people = try await house.people("alice", "carol")
            (alice, carol) = (people[0], people[1])
            bob = house.person("bob", at: proxy.url)
            try await house.settle(bob)
            for known in people { try await bob.done("contact", "add", known.name) }
        }

        /// An envelope for bob that nobody with the sender's keys has made.
        func forged(as sender: (AccountID, Handle), for room: RoomID = .random()) async throws -> (RoomID, Data) {
            let summary = try await bob.account()
            let own = try await bob.secrets()
            let keys = DeviceKeys()
            let record = AccountRecord(
                relay: summary.relay,
                account: sender.0,
                handle: sender.1,
                identityKey: Curve25519.Signing.PrivateKey().publicKey
            )
            let invitation = RoomInvitation(
                key: RoomKey(room: room, generation: 1),
                name: "trap",
                history: .start,
                members: [Member(record)]
            )
            let device = own.keys.record(relay: summary.relay, account: summary.account, notAfter: Forger.later)
            return (room, Data(try KeyEnvelope(invitation, from: record, keys: keys, to: device).wireBytes))
        }

        /// From here on, this lies in bob's mailbox before what is there.
        func fill(_ junk: [(RoomID, Data)], _ more: TamperingProxy.Rule? = nil) {
            asked.withLock { $0 = (0, []) }
            proxy.tamper { route, request, answer in
                if Routes.account.names(in: route) != nil { asked.withLock { $0.accounts += 1 } }
                guard case Routes.mailbox = route else { return try more?(route, request, answer) ?? answer }
                guard request.method == .get else { return HTTPResponse(status: 204) }
                asked.withLock { $0.mailbox.append(request.target.query ?? "") }
                return try answer.changing(MailboxPage.self) { page in
                    // As from a relay whose numbers these are.
                    page.next += UInt64(junk.count)
                    guard request.target.query == "from=1" else { return }
                    var items = junk.map { MailboxItem(number: 0, kind: .envelope, room: $0.0, body: $0.1) }
                    items += page.items
                    for index in items.indices { items[index].number = UInt64(index + 1) }
                    page.items = items
                }
            }
        }
    }

    /// Rubbish, strangers, and a few in alice's name: none is looked up but alice, once, and her own invitation is there.
    @Test func aFullMailbox() async throws {
        let scene = try await Scene()
        let alice = try await scene.alice.account()
        var junk: [(RoomID, Data)] = [(.random(), Data([1, 2, 3])), (.random(), Data())]
        for number in 0..<60 { junk.append(try await scene.forged(as: (.random(), try Handle("nobody-\(number)")))) }
        for _ in 0..<2 { junk.append(try await scene.forged(as: (alice.account, alice.handle))) }
        junk.append((.random(), try await scene.forged(as: (.random(), try Handle("elsewhere"))).1))
        try await scene.alice.done("room", "create", "attic")
        try await scene.alice.done("room", "invite", "attic", "bob")
        scene.fill(junk)
        let list = try await scene.bob.run("room", "list")
        expect(list, 0, "attic", "invited by alice", "60 requests of people you do not know")
        #expect(!list.output.contains("trap"))
        #expect(scene.asked.withLock { $0.accounts } == 1)
        // Nothing is taken twice.
        #expect(scene.asked.withLock { $0.mailbox } == ["from=1", "from=67"])
        // A malformed one, an empty one, two forged ones and one that came with another room's change.
        expect(
            try await scene.bob.run("doctor"),
            0,
            "requests that wait: 60; mail set aside: 5, the last one because made"
        )
        // A person who looks is told that nobody is behind it; it is gone then.
        expect(try await scene.bob.run("request", "show", "nobody-7"), 6, "nobody-7", "from nobody on this relay")
        expect(try await scene.bob.run("request", "show", "nobody-7"), 4)
        expect(try await scene.bob.run("request", "decline", "--all"), 0, "dropped 59")
        scene.proxy.behave()
    }

    /// Much in the name of somebody known: they are looked up once, and what is too much waits, bounded, as requests.
    @Test func muchInAFriendsName() async throws {
        let scene = try await Scene()
        let alice = try await scene.alice.account()
        var junk: [(RoomID, Data)] = []
        for _ in 0..<20 { junk.append(try await scene.forged(as: (alice.account, alice.handle))) }
        try await scene.carol.done("room", "create", "cellar")
        try await scene.carol.done("room", "invite", "cellar", "bob")
        scene.fill(junk)
        expect(try await scene.bob.run("room", "list"), 0, "invited by carol", "8 requests")
        #expect(scene.asked.withLock { $0.accounts } == 2)
        scene.proxy.behave()
    }

    /// The relay shows another key for alice, who is pinned: her invitation waits, carol's is taken, and watching goes on.
    @Test func anotherKeyOfAFriend() async throws {
        let scene = try await Scene()
        try await scene.alice.done("room", "create", "attic")
        try await scene.alice.done("room", "invite", "attic", "bob")
        try await scene.carol.done("room", "create", "cellar")
        try await scene.carol.done("room", "invite", "cellar", "bob")
        let forged = try await Forger(imitating: scene.alice).bundle
        scene.proxy.tamper { route, _, answer in
            guard Routes.account.names(in: route)?.text == "alice" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = forged }
        }
        let watch = try scene.bob.watch()
        #expect(try await watch.line(with: "1 request of people you do not know") != nil)
        #expect(try await watch.line(with: "carol invited you to cellar") != nil)
        watch.signal(SIGTERM)
        _ = try await watch.end()
        expect(try await scene.bob.run("room", "list"), 0, "invited by carol", "1 request")
        expect(try await scene.bob.run("request", "accept", "alice"), 6, "the identity key of alice has changed")
        scene.proxy.behave()
        try await scene.bob.done("request", "accept", "alice", "--join")
        try await scene.alice.done("send", "attic", "here at last")
        #expect(try await scene.bob.texts("attic") == ["here at last"])
    }

    /// The relay cannot say who carol is just now: what came before her invitation is not taken again.
    @Test func cutShort() async throws {
        let scene = try await Scene()
        for (person, room) in [(scene.alice, "attic"), (scene.carol, "cellar")] {
            try await person.done("room", "create", room)
            try await person.done("room", "invite", room, "bob")
        }
        scene.fill([]) { route, _, answer in
            guard Routes.account.names(in: route)?.text == "carol" else { return answer }
            let error = APIErrorBody(APIError(.unavailable, "later"))
            return HTTPResponse(status: 503, body: Array(try JSONEncoder().encode(error)))
        }
        #expect(try await scene.bob.run("room", "list").status == 7)
        expect(try await scene.bob.run("room", "list", "--offline"), 0, "invited by alice")
        scene.fill([])
        expect(try await scene.bob.run("room", "list"), 0, "invited by alice", "invited by carol")
        #expect(scene.asked.withLock { $0.mailbox.first } == "from=2" && scene.asked.withLock { $0.accounts } == 1)
        scene.proxy.behave()
    }
}
