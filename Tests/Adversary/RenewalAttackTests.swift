import Foundation
import Glibc
import HouseSupport
import MildamCrypto
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

/// `mildam account renew-keys`: what whoever has the old keys, or the relay, can still do.
@Suite("Attacks on new keys of a device")
struct RenewalAttackTests {
    /// Whoever copied the whole profile before: it opens no session, and nothing that is signed by it counts.
    @Test func theCopy() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: [alice, bob])
        try await alice.done("send", "kitchen", "before")
        let thief = Person(name: "alice", home: house.folder.file("thief"), relay: alice.relay)
        try FileManager.default.createDirectory(atPath: thief.home, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: alice.folder, toPath: thief.folder)
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "after")
        try await bob.done("room", "invite", "kitchen", "carol")
        try await carol.join("kitchen")

        // The access token lives for some minutes; what it fetches cannot be opened, and nothing is sent.
        expect(try await thief.run("read", "kitchen"), 6)
        #expect(try await thief.run("read", "kitchen", "--offline").output.contains("after") == false)
        expect(try await thief.run("send", "kitchen", "it is me"), 6, "nothing was sent")
        expect(try await thief.run("account", "renew-keys"), 6, "another device list 2")
        try await thief.letAccessEnd()
        expect(try await thief.run("account", "login", "--password-file", "-", input: thief.password + "\n"), 3)
        expect(try await thief.run("read", "kitchen"), 6, "the relay refused")

        // Even with the room's key, from a member who helps, and with the relay's leave.
        let stolen = try await thief.secrets().keys
        let room = try await bob.room("kitchen")
        for (keys, text) in [(stolen, "it is me"), (try await alice.secrets().keys, "it is really me")] {
            try await RelayCaller(alice).send(
                try await bob.sealed(text, in: room, as: alice.account(), by: keys),
                to: room
            )
        }
        for person in [alice, bob, carol] {
            let messages = try await person.messages("kitchen").suffix(2)
            #expect(messages.map(\.refused) == ["not signed by the device it is from", nil], "\(person.name)")
            #expect(messages.last?.text == "it is really me")
        }
        // The first session of the genuine device goes on by itself.
        try await alice.letAccessEnd()
        try await alice.done("send", "kitchen", "still here")
        #expect(try await carol.texts("kitchen").last == "still here")
    }

    /// A message that nobody's keys explain has its sender looked up; many such messages, a few times.
    @Test func rubbishKeepsNobodyBusy() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (mallory, bob) = (house.person("mallory"), house.person("bob", at: proxy.url))
        try await house.settle(mallory, bob)
        try await house.room("kitchen", of: [mallory, bob])
        let room = try await mallory.room("kitchen")
        let caller = try await RelayCaller(mallory)
        let others = DeviceKeys()
        for _ in 0..<15 {
            try await caller.send(
                try await mallory.sealed("rubbish", in: room, as: mallory.account(), by: others),
                to: room
            )
        }
        let lookups = Lock(0)
        proxy.tamper { route, _, answer in
            if let handle = Routes.account.names(in: route), handle.text == "mallory" { lookups.withLock { $0 += 1 } }
            return answer
        }
        expect(try await bob.run("read", "kitchen"), 5)
        #expect((11...12).contains(lookups.withLock { $0 }))
        // Another program begins anew, and new keys of hers are seen.
        try await mallory.done("account", "renew-keys")
        try await mallory.done("send", "kitchen", "now in earnest")
        #expect(try await bob.texts("kitchen") == ["now in earnest"])
    }

    /// bob's relay shows him alice's records from before, each properly signed.
    @Test func theOldList() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        try await house.settle(alice, bob)
        try await house.room("kitchen", of: [alice, bob])
        try await alice.done("room", "create", "attic")
        let old = try await alice.secrets().bundle
        try await alice.done("send", "kitchen", "before")
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "after")
        proxy.tamper { route, _, answer in
            guard let handle = Routes.account.names(in: route), handle.text == "alice" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = old }
        }
        // He has not seen the new one: what is signed by it is not believed, and he gives nothing away.
        proxy.forget()
        expect(try await bob.run("send", "kitchen", "for whom?"), 6, "nothing was sent")
        #expect(proxy.sends.isEmpty && proxy.envelopes.isEmpty)
        let known = try await bob.messages("kitchen", "--offline")
        #expect(known.contains { $0.refused != nil } && !known.contains { $0.text == "after" })
        // Once he has, the old one is refused.
        proxy.behave()
        try await bob.done("room", "create", "cellar")
        try await bob.done("room", "invite", "cellar", "alice")
        proxy.tamper { route, _, answer in
            guard let handle = Routes.account.names(in: route), handle.text == "alice" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = old }
        }
        try await bob.done("room", "create", "loft")
        expect(
            try await bob.run("room", "invite", "loft", "alice"),
            6,
            "the relay has device list 1 of alice, and this profile has seen 2",
            "nothing was sent"
        )
    }

    /// Whoever has a copy of the identity key, and the relay, makes a list 3: nobody who has seen list 2 believes it.
    @Test func aListOfTheThief() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        try await house.settle(alice, bob)
        try await house.room("kitchen", of: [alice, bob])
        let stolen = try await alice.secrets()
        let summary = try await alice.account()
        try await alice.done("account", "renew-keys")
        try await bob.done("read", "kitchen")
        let forged = DeviceKeys(device: summary.device, signing: .init(), agreement: .init())
        let record = forged.record(relay: summary.relay, account: summary.account, notAfter: Forger.later)
        let present = try await alice.secrets().bundle
        let next = try #require(
            present.renewing(record, handedOverBy: stolen.keys.signing, identity: stolen.identity)
        )
        let alone = AccountBundle(account: next.account, list: next.list, devices: next.devices)
        try await bob.done("room", "create", "attic")
        for (bundle, words) in [
            (next, "the signature on \"mildam/1 device handover\""),
            (alone, "the relay shows device list 3 of alice, and no device of list 2"),
        ] {
            proxy.tamper { route, _, answer in
                guard let handle = Routes.account.names(in: route), handle.text == "alice" else { return answer }
                return try answer.changing(AccountBundle.self) { $0 = bundle }
            }
            proxy.forget()
            expect(try await bob.run("room", "invite", "attic", "alice"), 6, "refused", words)
            #expect(proxy.sends.isEmpty)
        }
        proxy.behave()
        try await bob.done("room", "invite", "attic", "alice")
    }

    /// Invitations under the old key, to a room of the thief's own.
    @Test func aTrap() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        let thief = Person(name: "alice", home: house.folder.file("thief"), relay: alice.relay)
        try FileManager.default.createDirectory(atPath: thief.home, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: alice.folder, toPath: thief.folder)
        // From somebody he does not know it would wait unopened.
        try await bob.done("contact", "add", "alice")
        try await alice.done("account", "renew-keys")
        // Within the life of the access token.
        try await thief.run("room", "create", "trap")
        try await thief.run("room", "invite", "trap", "bob")
        let list = try await bob.run("room", "list")
        expect(list, 0)
        #expect(!list.output.contains("trap"))
    }

    /// A room that somebody tried to stop does not keep the keys from being renewed; it is named.
    @Test func aRoomThatStandsAgainstIt() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "mallory")
        let (alice, mallory) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await alice.done("room", "create", "attic")
        let room = try await alice.room("kitchen")
        let caller = try await RelayCaller(mallory)
        let last = try await caller.messages(of: room, from: 2).count + 1
        try await caller.send(
            SendRequest(
                id: .random(),
                generation: 2,
                body: Data("rubbish".utf8),
                change: MembershipChange(action: .renew, after: UInt64(last))
            ),
            to: room
        )
        expect(
            try await alice.run("account", "renew-keys"),
            1,
            "1 room has a new key",
            "kitchen has none: refused: the relay wants key 2"
        )
        #expect(try await alice.account().isRenewing == false)
        try await alice.done("room", "mend", "kitchen")
        try await alice.done("send", "kitchen", "mended")
        #expect(try await mallory.texts("kitchen") == ["mended"])
    }
}
