import Foundation
import HouseSupport
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
    /// bob behind a proxy that counts how often accounts are looked up; he knows alice and carol, and his client has ended.
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
            try await bob.done("client", "stop")
        }

        /// Somebody makes a room and asks bob in.
        func invite(by person: Person, to room: String) async throws {
            try await person.done("room", "create", room)
            try await person.done("room", "invite", room, "bob")
        }

        /// A Welcome that nobody has made, for a room that is not there.
        static func rubbish(from account: AccountID?) -> MailboxItem {
            let bytes = (0..<400).map { _ in UInt8.random(in: 0...255) }
            let item = WelcomeItem(generation: 0, epoch: 1, number: 2, welcome: bytes)
            return MailboxItem(
                number: 0,
                kind: .welcome,
                room: .random(),
                body: Data(item.wireBytes),
                from: account,
                isRequest: true
            )
        }

        /// From here on, this lies in bob's mailbox before what is there.
        func fill(_ junk: [MailboxItem]) {
            asked.withLock { $0 = (0, []) }
            proxy.tamper { [asked] route, request, answer in
                if Routes.account.names(in: route) != nil { asked.withLock { $0.accounts += 1 } }
                guard case Routes.mailbox = route else { return answer }
                guard request.method == .get else { return HTTPResponse(status: 204) }
                asked.withLock { $0.mailbox.append(request.target.query ?? "") }
                return try answer.changing(MailboxPage.self) { page in
                    // As from a relay whose numbers these are.
                    page.next += UInt64(junk.count)
                    guard request.target.query == "from=1" else { return }
                    var items = junk + page.items
                    for index in items.indices { items[index].number = UInt64(index + 1) }
                    page.items = items
                }
            }
        }
    }

    /// Rubbish, strangers, and a few in the name of alice: nobody is looked up for it, and what she and carol sent is there.
    @Test func aFullMailbox() async throws {
        let scene = try await Scene()
        let alice = try await scene.alice.account()
        var junk = [Data([1, 2, 3]), Data()].map { body in
            MailboxItem(number: 0, kind: .welcome, room: .random(), body: body, from: .random(), isRequest: true)
        }
        junk.append(Scene.rubbish(from: nil))
        for _ in 0..<60 { junk.append(Scene.rubbish(from: .random())) }
        for _ in 0..<2 { junk.append(Scene.rubbish(from: alice.account)) }
        try await scene.invite(by: scene.alice, to: "attic")
        try await scene.invite(by: scene.carol, to: "cellar")
        scene.fill(junk)
        let list = try await scene.bob.run("room", "list")
        expect(list, 0, "attic", "invited by alice", "cellar", "invited by carol")
        // What a stranger's Welcome holds is not looked at before it is accepted: it waits beside the rooms, in a line of its own.
        #expect(list.output.split(separator: "\n").count == 3, "\(list)")
        expect(list, 0, "60 requests of people you do not know")
        let requests = try await scene.bob.run("request", "list")
        let unverified = requests.output.split(separator: "\n").count { $0.contains("somebody (unverified)") }
        #expect(unverified == 60, "\(requests)")
        #expect(scene.asked.withLock { $0.accounts } <= 2)
        // Nothing is taken twice.
        #expect(scene.asked.withLock { $0.mailbox.count { $0 == "from=1" } } == 1)
        try await scene.bob.done("room", "join", "attic")
        try await scene.alice.done("send", "attic", "here at last")
        #expect(try await scene.bob.texts("attic") == ["here at last"])
        scene.proxy.stop()
    }

    /// Much in the name of somebody known: nobody is looked up for it, it is no request, and others are heard.
    @Test func muchInAFriendsName() async throws {
        let scene = try await Scene()
        let alice = try await scene.alice.account()
        try await scene.invite(by: scene.carol, to: "cellar")
        scene.fill((0..<20).map { _ in Scene.rubbish(from: alice.account) })
        let list = try await scene.bob.run("room", "list")
        expect(list, 0, "cellar", "invited by carol")
        #expect(list.output.split(separator: "\n").count == 1, "\(list)")
        expect(try await scene.bob.run("request", "list"), 0, "no requests")
        #expect(scene.asked.withLock { $0.accounts } <= 2)
        scene.proxy.stop()
    }

    /// The relay shows another key for alice, who is pinned: by her Welcome she is who she was, and by the relay she is not.
    @Test func anotherKeyOfAFriend() async throws {
        let scene = try await Scene()
        try await scene.invite(by: scene.alice, to: "attic")
        try await scene.invite(by: scene.carol, to: "cellar")
        let forged = try await Forger(imitating: scene.alice).bundle
        scene.proxy.tamper { route, _, answer in
            guard Routes.account.names(in: route)?.text == "alice" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = forged }
        }
        expect(try await scene.bob.run("room", "list"), 0, "invited by carol", "invited by alice")
        expect(try await scene.bob.run("contact", "add", "alice"), 6, "the identity key of alice has changed")
        try await scene.bob.done("room", "join", "attic")
        let genuine = try await scene.alice.account().fingerprint
        expect(try await scene.bob.run("room", "show", "attic"), 0, genuine)
        try await scene.alice.done("send", "attic", "here at last")
        #expect(try await scene.bob.texts("attic") == ["here at last"])
        scene.proxy.stop()
    }

    /// The relay cannot show carol's room just now: what came before her invitation is not taken again, and hers is later.
    @Test func cutShort() async throws {
        let scene = try await Scene()
        try await scene.invite(by: scene.alice, to: "attic")
        try await scene.invite(by: scene.carol, to: "cellar")
        let room = try await scene.carol.room("cellar")
        scene.proxy.tamper { route, _, answer in
            guard Routes.groupTree.names(in: route) == room else { return answer }
            let error = APIErrorBody(APIError(.unavailable, "later"))
            return HTTPResponse(status: 503, body: Array(try JSONEncoder().encode(error)))
        }
        let cut = try await scene.bob.run("room", "list")
        #expect(!cut.output.contains("invited by carol"), "\(cut)")
        scene.proxy.behave()
        try await RunningClient.until { try await scene.bob.done("room", "list").contains("invited by carol") }
        let list = try await scene.bob.done("room", "list")
        #expect(list.split(separator: "\n").count == 2 && list.contains("invited by alice"), "\(list)")
        for name in ["attic", "cellar"] { try await scene.bob.done("room", "join", name) }
        scene.proxy.stop()
    }
}
