import Foundation
import Glibc
import MildamCrypto
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamMessenger

/// `mildam account renew-keys`: what goes on, and what whoever has the old keys can still do.
@Suite("New keys of a device")
struct RenewalTests {
    @Test func renewed() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await house.room("attic", of: people)
        try await alice.done("send", "kitchen", "before")
        let (before, old) = (try await alice.account(), try await alice.secrets())
        let contacts = try await bob.done("contact", "list", "--json")
        let sealed = try await alice.sealedKeys()
        #expect(sealed.allSatisfy { alice.disk().range(of: $0) != nil }, "the search finds what is there")

        expect(try await alice.run("account", "renew-keys"), 0, "device list 2", "2 rooms have a new key")
        let (after, new) = (try await alice.account(), try await alice.secrets())
        #expect(after.fingerprint == before.fingerprint && after.device == before.device && !after.isRenewing)
        #expect(old.identity.rawRepresentation == new.identity.rawRepresentation)
        #expect(old.keys.signing.publicKey != new.keys.signing.publicKey)
        #expect(old.keys.agreement.publicKey != new.keys.agreement.publicKey)
        #expect(sealed.allSatisfy { alice.disk().range(of: $0) == nil }, "the old keys are on the disk")
        #expect(try await alice.offered() == nil)

        try await alice.done("send", "kitchen", "after")
        let messages = try await bob.messages("kitchen")
        #expect(messages.compactMap(\.text).suffix(2) == ["before", "after"])
        #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "\(messages)")
        #expect(messages.filter { $0.newKeys == true }.map(\.kind) == ["renewed"])
        expect(try await bob.run("read", "kitchen", "--offline"), 0, "alice has new device keys")
        #expect(try await bob.done("contact", "list", "--json") == contacts)
        // Both rooms have a key that the old ones do not open, and everybody goes on in them.
        for room in ["kitchen", "attic"] {
            try await bob.done("send", room, "hello \(room)")
            #expect(try await alice.texts(room).last == "hello \(room)")
            #expect(try await bob.generation(of: room) == 2)
        }
        expect(try await alice.run("doctor"), 0)
        try await alice.done("room", "create", "cellar")
        try await alice.done("room", "invite", "cellar", "bob")
        try await bob.done("room", "join", "cellar")
        // And once more.
        expect(try await alice.run("account", "renew-keys", "--json"), 0, #""list":3"#, #""isResumed":false"#)
        try await alice.done("send", "cellar", "third keys")
        #expect(try await bob.texts("cellar") == ["third keys"])
    }

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
        try await carol.done("room", "join", "kitchen")

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

    /// What is said before and after two renewals reaches whoever was away for all of it, and whoever was invited and had
    /// not come yet.
    @Test func whileAsleep() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        try await house.room("kitchen", of: [alice, bob])
        try await bob.done("read", "kitchen")
        try await alice.done("room", "invite", "kitchen", "carol")
        try await carol.done("room", "list")
        try await alice.done("send", "kitchen", "one")
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "two")
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "three")
        try await carol.done("room", "join", "kitchen")
        for person in [bob, carol] {
            #expect(try await person.texts("kitchen").prefix(3) == ["one", "two", "three"])
            let messages = try await person.messages("kitchen")
            #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "\(messages)")
            #expect(messages.count(where: { $0.newKeys == true }) == 2)
            try await person.done("send", "kitchen", "I am \(person.name)")
        }
        #expect(try await alice.texts("kitchen").suffix(2) == ["I am bob", "I am carol"])
    }

    /// An invitation that was sent under the old keys, to somebody who comes later: the room's new key invites anew.
    @Test func anInvitationFromBefore() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "invite", "kitchen", "bob")
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "welcome")
        try await bob.done("room", "join", "kitchen")
        #expect(try await bob.texts("kitchen") == ["welcome"])
        #expect(try await bob.messages("kitchen").allSatisfy { $0.refused == nil && $0.missingBefore == 0 })
        try await bob.done("send", "kitchen", "thank you")
        #expect(try await alice.texts("kitchen").last == "thank you")
    }

    /// What alice wrote while the relay could not be reached goes out once, whichever keys it was sealed under.
    @Test func whatWaits() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await house.kill()
        #expect(try await alice.run("send", "kitchen", "kept").status == 7)
        expect(try await alice.run("account", "renew-keys"), 7)
        #expect(try await alice.account().isRenewing == false, "nothing was begun")
        try await house.restart()
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "new")
        #expect(try await bob.texts("kitchen") == ["kept", "new"])
        #expect(try await bob.messages("kitchen").allSatisfy { $0.refused == nil && $0.missingBefore == 0 })
    }

    /// A message that nobody's keys explain has its sender looked up; many such messages, a few times.
    @Test func rubbishKeepsNobodyBusy() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (mallory, bob) = (house.person("mallory"), house.person("bob", at: proxy.url))
        for person in [mallory, bob] { try await person.create() }
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
            if case .account(let handle) = route, handle.text == "mallory" { lookups.withLock { $0 += 1 } }
            return answer
        }
        expect(try await bob.run("read", "kitchen"), 5)
        #expect((11...12).contains(lookups.withLock { $0 }))
        // Another program begins anew, and new keys of hers are seen.
        try await mallory.done("account", "renew-keys")
        try await mallory.done("send", "kitchen", "now in earnest")
        #expect(try await bob.texts("kitchen") == ["now in earnest"])
    }

    // MARK: A relay that lies

    /// bob's relay shows him alice's records from before, each properly signed.
    @Test func theOldList() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        for person in [alice, bob] { try await person.create() }
        try await house.room("kitchen", of: [alice, bob])
        try await alice.done("room", "create", "attic")
        let old = try await alice.secrets().bundle
        try await alice.done("send", "kitchen", "before")
        try await alice.done("account", "renew-keys")
        try await alice.done("send", "kitchen", "after")
        proxy.tamper { route, _, answer in
            guard case .account(let handle) = route, handle.text == "alice" else { return answer }
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
            guard case .account(let handle) = route, handle.text == "alice" else { return answer }
            return try answer.changing(AccountBundle.self) { $0 = old }
        }
        try await bob.done("room", "create", "loft")
        expect(
            try await bob.run("room", "invite", "loft", "alice"),
            6,
            "refused: the relay shows device list 1 of alice, but number 2 was seen before"
        )
    }

    /// Whoever has a copy of the identity key, and the relay, makes a list 3: nobody who has seen list 2 believes it.
    @Test func aListOfTheThief() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        for person in [alice, bob] { try await person.create() }
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
                guard case .account(let handle) = route, handle.text == "alice" else { return answer }
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
        try await alice.done("account", "renew-keys")
        // Within the life of the access token.
        try await thief.run("room", "create", "trap")
        try await thief.run("room", "invite", "trap", "bob")
        let list = try await bob.run("room", "list")
        expect(list, 0)
        #expect(!list.output.contains("trap"))
    }

    // MARK: Interrupted

    /// Killed at each answer of the relay's, from the first to the last: the same command finishes, nothing is lost.
    @Test func killedAtEachStep() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice", at: proxy.url), house.person("bob"))
        for person in [alice, bob] { try await person.create() }
        try await house.room("kitchen", of: [alice, bob])
        try await house.room("attic", of: [alice, bob])
        var (resumed, steps) = (0, 0)
        var said: [String] = []
        while true {
            let killer = Killer(at: steps)
            proxy.tamper { _, _, answer in
                killer.answered()
                return answer
            }
            let renewing = try alice.start("account", "renew-keys")
            killer.watch(renewing)
            let end = try await renewing.end()
            proxy.behave()
            guard end.status != 0 else { break }
            steps += 1
            try #require(steps < 100, "it never ends")
            // Others may write meanwhile, and alice, too.
            if steps % 3 == 0 {
                try await alice.letAccessEnd()
                try await alice.done("send", "kitchen", "between \(steps)")
                said.append("between \(steps)")
            }
            try await bob.done("send", "kitchen", "bob \(steps)")
            said.append("bob \(steps)")
            let isRenewing = try await alice.account().isRenewing
            let again = try await alice.run("account", "renew-keys", "--json")
            expect(again, 0, #""held":[]"#, #""isResumed":\#(isRenewing)"#)
            if isRenewing { resumed += 1 }
            #expect(try await alice.offered() == nil)
            try await alice.done("send", "kitchen", "alice \(steps)")
            said.append("alice \(steps)")
        }
        #expect(steps > 8 && resumed > 4, "\(steps) steps, \(resumed) resumed")
        for person in [alice, bob] {
            #expect(try await person.texts("kitchen") == said)
            for room in ["kitchen", "attic"] {
                let messages = try await person.messages(room)
                #expect(messages.allSatisfy { $0.refused == nil && $0.missingBefore == 0 }, "\(messages)")
            }
        }
    }

    /// Killed at any moment.
    @Test func killedAnywhere() async throws {
        var random = Seed.generator(for: "kill the renewal")
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        let start = ContinuousClock.now
        try await alice.done("account", "renew-keys")
        let whole = start.duration(to: .now)
        for index in 0..<Count.of(few: 8, full: 200) {
            let renewing = try alice.start("account", "renew-keys")
            try await Task.sleep(for: whole * Double.random(in: 0...1.1, using: &random))
            renewing.signal(SIGKILL)
            _ = try await renewing.end()
            try await alice.done("send", "kitchen", "\(index)")
        }
        try await alice.done("account", "renew-keys")
        let messages = try await bob.messages("kitchen")
        #expect(messages.count(where: { $0.kind == "text" }) == Count.of(few: 8, full: 200))
        #expect(messages.allSatisfy { $0.refused == nil }, "\(messages)")
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

/// Ends a program when the relay has answered it so many times, before the answer is heard.
private final class Killer: Sendable {
    private let state: Lock<(left: Int, program: pid_t?)>

    init(at count: Int) { state = Lock((count, nil)) }

    func watch(_ program: Program) {
        state.withLock { state in
            state.program = program.identifier
            if state.left < 0 { kill(program.identifier, SIGKILL) }
        }
    }

    func answered() {
        state.withLock { state in
            state.left -= 1
            if state.left < 0, let program = state.program { kill(program, SIGKILL) }
        }
    }
}

extension Person {
    /// Everything that the profile's database holds, its log included.
    fileprivate func disk() -> Data {
        ["messenger.db", "messenger.db-wal"].reduce(into: Data()) {
            $0 += FileManager.default.contents(atPath: folder + "/" + $1) ?? Data()
        }
    }

    /// This device's private keys as they lie in the database.
    fileprivate func sealedKeys() async throws -> [Data] {
        try await Messenger(profile: profile).work { (_, store) throws(MessengerError) in
            var sealed: [Data] = []
            for kind in [SecretKind.signingKey, .agreementKey] {
                guard let row = try store.sealedRecord(kind.rawValue, store.blinded(kind.rawValue, [])) else {
                    throw .noAccount
                }
                sealed.append(row)
            }
            return sealed
        }
    }

    /// Keys that wait to be taken by the relay.
    fileprivate func offered() async throws -> DeviceKeys? {
        try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            try store.offeredKeys(of: try messenger.account(store).device)
        }
    }

    /// The access token runs out.
    fileprivate func letAccessEnd() async throws {
        try await Messenger(profile: profile).work { (_, store) throws(MessengerError) in
            guard var session = try store.record(.session, []) else { throw .notLoggedIn }
            session.expires = 0
            try store.put(session, as: .session, [])
        }
    }

    /// The generation of a room's key.
    fileprivate func generation(of room: String) async throws -> UInt32 {
        try await Messenger(profile: profile).showRoom(room, fetching: false).room.generation
    }

    /// A text under the room's present key, in the name of somebody whose device keys are at hand.
    fileprivate func sealed(
        _ text: String,
        in room: RoomID,
        as sender: AccountSummary,
        by keys: DeviceKeys
    ) async throws -> SendRequest {
        try await run("read", room.description)
        return try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            let ledger = try messenger.ledger(room, store)
            guard let key = try messenger.roomKey(room, ledger.generation, store) else { throw .noAccount }
            let id = MessageID.random()
            do {
                let box = try MessageBox(
                    sealing: try RoomContent(written: 0, seen: ledger.history, event: .text(body: text)).encoded(),
                    as: id,
                    counter: ledger.nextCounter(of: DeviceAddress(account: sender.account, device: sender.device)),
                    in: MessageContext(
                        room: room,
                        generation: key.generation,
                        senderAccount: sender.account,
                        senderDevice: sender.device
                    ),
                    under: key,
                    by: keys.signing
                )
                return SendRequest(id: id, generation: key.generation, body: Data(box.wireBytes))
            } catch {
                throw MessengerError(error)
            }
        }
    }
}
