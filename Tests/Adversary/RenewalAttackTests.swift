import Foundation
import HouseSupport
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

/// `mildam account renew-keys`: what whoever has the old keys, or the relay, can still do.
@Suite("Attacks on new keys of a device")
struct RenewalAttackTests {
    /// Somebody who has a copy of the whole profile, as it is on the disk now.
    private func thief(of person: Person, in house: House) async throws -> Person {
        let thief = Person(name: person.name, home: house.folder.file("thief"), relay: person.relay)
        try await person.done("client", "stop")
        try FileManager.default.createDirectory(
            atPath: thief.home,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try FileManager.default.copyItem(atPath: person.folder, toPath: thief.folder)
        return thief
    }

    /// Whoever copied the whole profile before: it opens no session, reads nothing that is said since, and is not heard.
    @Test func theCopy() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: [alice, bob])
        try await alice.done("send", "kitchen", "before")
        let thief = try await self.thief(of: alice, in: house)
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "after")
        try await bob.done("room", "invite", "kitchen", "carol")
        try await carol.join("kitchen")

        // The access token lives for some minutes; what it fetches cannot be opened, and what is said by it does not count.
        #expect(try await thief.run("read", "kitchen").output.contains("after") == false)
        #expect(try await thief.run("send", "kitchen", "it is me").status != 0)
        #expect(try await thief.run("read", "kitchen", "--offline").output.contains("after") == false)
        expect(try await thief.run("account", "renew-keys"), 6, "another device list 2")
        try await thief.letAccessEnd()
        expect(try await thief.run("account", "login", "--password-file", "-", input: thief.password + "\n"), 3)
        #expect(try await thief.run("read", "kitchen").output.contains("after") == false)
        try await thief.done("client", "stop")

        // The first session of the genuine device goes on by itself.
        try await alice.letAccessEnd()
        try await alice.done("send", "kitchen", "still here")
        #expect(try await carol.texts("kitchen") == ["still here"])
        for person in [alice, bob] {
            #expect(try await person.texts("kitchen") == ["before", "after", "still here"], "\(person.name)")
        }
    }

    /// The relay shows bob her records from before, each properly signed. Once he has seen newer ones, they are refused.
    @Test func theOldList() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        try await house.settle(alice, bob)
        try await house.room("kitchen", of: [alice, bob])
        let old = try await alice.secrets().bundle
        // Whoever has said nothing changes their keys there at a moment of its own.
        try await bob.done("send", "kitchen", "hello")
        try await alice.done("send", "kitchen", "before")
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "after")
        try await bob.done("contact", "add", "alice")
        try await bob.done("room", "create", "loft")
        try await bob.done("send", "loft", "to myself")
        proxy.tamper { route, _, answer in
            guard let handle = Routes.account.names(in: route), handle.text == "alice" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = old }
        }
        proxy.forget()
        expect(
            try await bob.run("room", "invite", "loft", "alice"),
            6,
            "the relay has device list 1 of alice, and this profile has seen 2",
            "nothing was sent"
        )
        #expect(proxy.sends.isEmpty)
        // The room has the new keys from her own word in it, whatever the relay shows.
        #expect(try await bob.texts("kitchen") == ["hello", "before", "after"])
        proxy.behave()
        try await bob.done("room", "invite", "loft", "alice")
        #expect(proxy.welcomes.count == 1)
        proxy.stop()
    }

    /// Whoever has a copy of the identity key, and the relay, makes a list 3: nobody who has seen list 2 believes it.
    @Test func aListOfTheThief() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        try await house.settle(alice, bob)
        try await house.room("kitchen", of: [alice, bob])
        try await bob.done("send", "kitchen", "hello")
        let stolen = try await alice.secrets()
        let summary = try await alice.account()
        try await alice.done("account", "renew-keys")
        try await bob.done("contact", "add", "alice")
        let forged = DeviceKeys(device: summary.device, signing: .init(), agreement: .init())
        let record = forged.record(relay: summary.relay, account: summary.account, notAfter: Forger.later)
        let present = try await alice.secrets().bundle
        let next = try #require(
            present.renewing(record, handedOverBy: stolen.keys.signing, identity: stolen.identity)
        )
        let alone = AccountBundle(account: next.account, list: next.list, devices: next.devices)
        try await bob.done("room", "create", "attic")
        try await bob.done("send", "attic", "to myself")
        proxy.forget()
        for (bundle, words) in [
            (next, "the signature on \"mildam/1 device handover\""),
            (alone, "the relay shows device list 3 of alice, and no device of list 2"),
        ] {
            proxy.tamper { route, _, answer in
                guard let handle = Routes.account.names(in: route), handle.text == "alice" else { return answer }
                return try answer.changing(AccountBundle.self) { $0 = bundle }
            }
            expect(try await bob.run("room", "invite", "attic", "alice"), 6, "refused", words)
        }
        #expect(proxy.sends.isEmpty)
        proxy.behave()
        try await bob.done("room", "invite", "attic", "alice")
        #expect(proxy.welcomes.count == 1)
        proxy.stop()
    }

    /// Invitations under the old key, to a room of the thief's own.
    @Test func aTrap() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        let thief = try await self.thief(of: alice, in: house)
        // From somebody he does not know it would be a request.
        try await bob.done("contact", "add", "alice")
        try await alice.done("account", "renew-keys")
        // Within the life of the access token.
        try await thief.run("room", "create", "trap")
        try await thief.run("room", "invite", "trap", "bob")
        let list = try await bob.run("room", "list")
        expect(list, 0)
        #expect(!list.output.contains("trap"))
        try await thief.done("client", "stop")
    }
}
