import Foundation
import HouseSupport
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

/// What is believed of this very account.
@Suite("A lie about oneself")
struct OwnIdentityTests {
    /// The relay shows a forged key in alice's name: it is held against her own, and nothing goes to the forger.
    @Test(arguments: Cases.drawn(1, of: [false, true], for: "forged own keys"))
    func aForgedOwnKey(_ sameAccount: Bool) async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let people = try await house.people("mallory", "bob")
        let (mallory, bob) = (people[0], people[1])
        let alice = house.person("alice", at: proxy.url)
        try await house.settle(alice)
        try await house.room("kitchen", of: [alice, mallory])
        try await mallory.done("send", "kitchen", "hello")
        let genuine = try await alice.account().fingerprint
        let forged = try await Forger(imitating: alice, as: sameAccount ? nil : .random()).bundle
        proxy.tamper { route, _, answer in
            guard let handle = Routes.account.names(in: route), handle.text == "alice" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = forged }
        }
        expect(try await alice.run("contact", "add", "alice"), 6, "the identity key of alice has changed", genuine)
        proxy.forget()
        expect(try await alice.run("room", "invite", "kitchen", "bob"), 0, "invited bob")
        #expect(proxy.welcomes.count == 1, "bob's, and nobody else's")
        try await bob.join("kitchen")
        try await alice.done("send", "kitchen", "among ourselves")
        for person in [alice, mallory, bob] {
            expect(try await person.run("room", "show", "kitchen"), 0, genuine)
            let before = person.name == "bob" ? [] : ["hello"]
            #expect(try await person.texts("kitchen") == before + ["among ourselves"])
        }
        proxy.stop()
    }

    /// Whose key has changed is refused until a person accepts the fingerprint that they were told.
    @Test func accepting() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let bob = try await house.people("bob")[0]
        let alice = house.person("alice", at: proxy.url)
        try await house.settle(alice)
        try await house.room("kitchen", of: [alice, bob])
        let room = try await alice.room("kitchen")
        let old = try await bob.account().fingerprint
        let forger = try await Forger(imitating: bob)
        let bundle = forger.bundle
        let new = bundle.account.claimed.fingerprint.description
        proxy.tamper { route, _, answer in
            guard let handle = Routes.account.names(in: route), handle.text == "bob" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = bundle }
        }
        expect(try await alice.run("contact", "accept", "bob", old), 6, "another fingerprint", new)
        expect(try await alice.run("contact", "list"), 0, old)
        expect(try await alice.run("contact", "accept", "bob", new.replacingOccurrences(of: " ", with: "")), 0, new)
        let list = try await alice.run("contact", "list")
        let lines = list.output.split(separator: "\n")
        #expect(lines.filter { $0.contains(new) }.map { $0.hasSuffix("compared") } == [true], "\(list)")
        let told = lines.filter { $0.contains(old) }.map { $0.hasSuffix("  told in kitchen, not the key seen") }
        #expect(told == [true], "\(list)")
        expect(try await alice.run("contact", "accept", "nobody", new), 4)
        proxy.behave()
        // The room keeps the key that bob was brought in with: what he says there is heard, and he is told nothing more.
        try await bob.done("send", "kitchen", "it is me")
        expect(try await alice.run("read", "kitchen"), 0, "it is me")
        proxy.forget()
        expect(try await alice.run("send", "kitchen", "who are you?"), 7, "kept", "key than")
        expect(try await alice.run("room", "show", "kitchen"), 0, old + "  not the key seen")
        expect(try await alice.run("room", "rename", "kitchen", "parlour"), 6, "key than", "contact accept")
        #expect(proxy.sends.isEmpty)
        // Once he is out, the others hear it; he does not.
        try await alice.done("room", "remove", "kitchen", "bob")
        try await RunningClient.until { try await alice.outboxTexts().isEmpty }
        #expect(try await alice.texts(room.description) == ["it is me", "who are you?"])
        #expect(!proxy.sends.isEmpty && proxy.welcomes.isEmpty)
        #expect(try await bob.texts("kitchen") == ["it is me"])
        try await alice.done("room", "create", "attic")
        expect(try await alice.run("room", "invite", "attic", "bob"), 6, "has changed", "`mildam contact accept`")
        proxy.stop()
    }

    /// The relay says that bob is no member: what he wrote for later is kept, and he comes in again when it is honest.
    @Test func theRelaySaysSo() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let alice = try await house.people("alice")[0]
        let bob = house.person("bob", at: proxy.url)
        try await house.settle(bob)
        try await house.room("kitchen", of: [alice, bob])
        let room = try await alice.room("kitchen")
        proxy.stop()
        expect(try await bob.run("send", "kitchen", "written in the dark"), 7)
        let lying = try TamperingProxy.start(before: house.relay.url)
        try await bob.move(to: lying.url)
        lying.tamper { route, _, answer in
            switch route {
            case Routes.messages, Routes.group, Routes.groupTree, Routes.sendToGroup:
                HTTPResponse(
                    status: 403,
                    body: Array(try JSONEncoder().encode(APIErrorBody(APIError(.notAMember, "no member"))))
                )
            case Routes.rooms: try answer.changing(RoomList.self) { $0.rooms = [] }
            default: answer
            }
        }
        try await bob.run("read", "kitchen")
        expect(try await bob.run("room", "list", "--offline"), 0, "removed")
        expect(try await bob.run("send", "kitchen", "is anybody there?"), 6)
        expect(try await bob.run("outbox", "list"), 0, "written in the dark")
        lying.behave()
        try await RunningClient.until { try await bob.done("room", "list").contains("room join") }
        try await bob.done("room", "join", room.description)
        expect(try await bob.run("outbox", "list"), 0, "written in the dark")
        try await bob.done("send", room.description, "here again")
        #expect(try await alice.texts("kitchen") == ["here again"])
        lying.stop()
    }
}
