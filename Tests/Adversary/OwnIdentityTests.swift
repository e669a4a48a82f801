import Foundation
import HouseSupport
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

/// What is believed of this very account.
@Suite("A lie about oneself")
struct OwnIdentityTests {
    /// Somebody invites alice under a forged key of her own, and the relay helps: no new key goes to its devices.
    @Test(arguments: [false, true])
    func aForgedOwnKey(_ sameAccount: Bool) async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let mallory = try await house.people("mallory")[0]
        let alice = house.person("alice", at: proxy.url)
        try await house.settle(alice)
        let forger = try await Forger(imitating: alice)
        // From somebody she does not know it would wait unopened.
        try await alice.done("contact", "add", "mallory")
        try await mallory.done("room", "create", "trap")
        let room = try await mallory.room("trap")
        let lie = Member(
            account: sameAccount ? forger.account : .random(),
            handle: forger.handle,
            identityKey: forger.identity.publicKey
        )
        let envelope = try await mallory.invitation(of: alice, to: room, with: [], naming: lie)
        proxy.tamper { route, request, answer in
            guard case Routes.mailbox = route else { return answer }
            guard request.method == .get else { return HTTPResponse(status: 204) }
            guard request.target.query == "from=1" else { return answer }
            return try answer.changing(MailboxPage.self) { page in
                page.items = [MailboxItem(number: 1, kind: .envelope, room: room, body: envelope)]
            }
        }
        let list = try await alice.run("room", "list")
        #expect(list.status == 0 && !list.output.contains("trap"), "\(list)")
        // And what the relay shows of her is held against her own key.
        try await house.room("kitchen", of: [alice, mallory])
        let forged = forger.bundle
        proxy.tamper { route, _, answer in
            guard let handle = Routes.account.names(in: route), handle.text == "alice" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = forged }
        }
        expect(try await alice.run("room", "remove", "kitchen", "mallory"), 6, "the identity key of alice has changed")
        #expect(proxy.envelopes.allSatisfy { $0.device != forger.keys.device })
    }

    /// Whose key has changed is refused until a person accepts the fingerprint that they were told.
    @Test func accepting() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let bob = try await house.people("bob")[0]
        let alice = house.person("alice", at: proxy.url)
        try await house.settle(alice)
        try await house.room("kitchen", of: [alice, bob])
        let old = try await bob.account().fingerprint
        let forger = try await Forger(imitating: bob)
        let new = Member(account: forger.account, handle: forger.handle, identityKey: forger.identity.publicKey)
            .pin.fingerprint.description
        let bundle = forger.bundle
        proxy.tamper { route, _, answer in
            guard let handle = Routes.account.names(in: route), handle.text == "bob" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = bundle }
        }
        expect(try await alice.run("contact", "accept", "bob", old), 6, "another fingerprint", new)
        expect(try await alice.run("contact", "list"), 0, old)
        expect(try await alice.run("contact", "accept", "bob", new.replacingOccurrences(of: " ", with: "")), 0, new)
        let list = try await alice.run("contact", "list")
        // The room keeps the key that bob was brought in with: a key that was told, and is not his now.
        let lines = list.output.split(separator: "\n")
        #expect(lines.filter { $0.contains(new) }.map { $0.hasSuffix("compared") } == [true], "\(list)")
        #expect(lines.filter { $0.contains(old) }.map { $0.hasSuffix("told in kitchen, not the key seen") } == [true])
        expect(try await alice.run("contact", "accept", "nobody", new), 4)
        proxy.behave()
        // Whoever speaks there under the old key is not believed; the room goes on without them.
        try await bob.done("send", "kitchen", "it is me")
        let read = try await alice.run("read", "kitchen")
        expect(read, 5, "its sender was told under another key than the one seen")
        #expect(!read.output.contains("it is me"))
        try await alice.done("send", "kitchen", "who are you?")
        expect(try await alice.run("room", "show", "kitchen"), 0, old + "  not the key seen")
        // Nor does a new key of the room go to them.
        proxy.forget()
        try await alice.done("account", "renew-keys")
        #expect(try await proxy.envelopes.map(\.account) == [alice.account().account])
        try await alice.done("room", "create", "attic")
        expect(try await alice.run("room", "invite", "attic", "bob"), 6, "has changed", "`mildam contact accept`")
    }

    /// The relay says that bob is no member: what he wrote for later is kept, and so is his place.
    @Test func theRelaySaysSo() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let alice = try await house.people("alice")[0]
        let bob = house.person("bob", at: proxy.url)
        try await house.settle(bob)
        try await house.room("kitchen", of: [alice, bob])
        proxy.stop()
        expect(try await bob.run("send", "kitchen", "written in the dark"), 7)
        let lying = try TamperingProxy.start(before: house.relay.url)
        try await bob.move(to: lying.url)
        lying.tamper { route, _, answer in
            switch route {
            case Routes.messages, Routes.room:
                HTTPResponse(
                    status: 403,
                    body: Array(try JSONEncoder().encode(APIErrorBody(APIError(.notAMember, "no member"))))
                )
            default: answer
            }
        }
        expect(try await bob.run("read", "kitchen"), 6)
        expect(try await bob.run("outbox", "list"), 0, "written in the dark")
        lying.behave()
        try await bob.done("read", "kitchen")
        #expect(try await alice.texts("kitchen") == ["written in the dark"])
    }
}
