import Foundation
import HouseSupport
import MildamCrypto
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import MildamWire
import TestSupport
import Testing

/// A dishonest relay, as bob meets it while he reads.
@Suite("A relay that lies about what was said")
struct TamperedRoomTests {
    /// alice honest, bob behind a proxy, both in "kitchen".
    private struct Scene {
        let house: House
        let proxy: TamperingProxy
        let alice: Person
        let bob: Person

        static func set() async throws -> Scene {
            let house = try await House.open()
            let proxy = try TamperingProxy.start(before: house.relay.url)
            let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
            try await house.settle(alice, bob)
            try await house.room("kitchen", of: [alice, bob])
            return Scene(house: house, proxy: proxy, alice: alice, bob: bob)
        }

        /// From here on bob is shown other messages: `change` gets those from a number on.
        func show(_ change: @escaping @Sendable (inout [RoomMessage]) throws -> Void) {
            proxy.tamper { route, _, answer in
                guard case Routes.messages = route else { return answer }
                return try answer.changing(MessagePage.self) { page in
                    try change(&page.messages)
                    page.next = max(page.next, (page.messages.last?.number ?? 0) + 1)
                }
            }
        }
    }

    enum Lie: CaseIterable, Sendable {
        case bodiesSwapped, bitFlipped, cut, emptied, otherGeneration, otherEpoch, otherDevice, otherAccount,
            unknownAccount
        case repeated, replayedUnderAnotherNumber, leftOut, leftOutAndRenumbered, reordered, reorderedAndRenumbered
        case withheld, oversized
    }

    /// Messages 3, 4 and 5 are three texts of alice's, each written when she had seen the one before.
    @Test(arguments: Lie.allCases)
    func aMessage(_ lie: Lie) async throws {
        let scene = try await Scene.set()
        for text in ["one", "two", "three"] { try await scene.alice.done("send", "kitchen", text) }
        let own = try await scene.bob.account()
        let bodies = try await RelayCaller(scene.alice).messages(of: scene.alice.room("kitchen"))
        scene.show { messages in
            guard let first = messages.firstIndex(where: { $0.number == 3 }), messages.count >= first + 3 else {
                return
            }
            let (second, third) = (first + 1, first + 2)
            switch lie {
            case .bodiesSwapped:
                (messages[first].body, messages[second].body) = (messages[second].body, messages[first].body)
            case .bitFlipped: messages[second].body[messages[second].body.count - 20] ^= 1
            case .cut: messages[second].body.removeLast(40)
            case .emptied: messages[second].body = Data()
            case .otherGeneration: messages[second].generation += 1
            case .otherEpoch: messages[second].epoch += 1
            case .otherDevice: messages[second].device = own.device
            case .otherAccount: (messages[second].account, messages[second].device) = (own.account, own.device)
            case .unknownAccount: messages[second].account = .random()
            case .repeated: messages[second].body = messages[first].body
            case .replayedUnderAnotherNumber:
                // The first of all, which said who was invited, once more.
                messages[third].body = bodies[1].body
            case .leftOut: messages.remove(at: second)
            case .leftOutAndRenumbered:
                messages.remove(at: second)
                messages[second].number -= 1
            case .reordered: messages.swapAt(first, second)
            case .reorderedAndRenumbered:
                messages.swapAt(first, second)
                (messages[first].number, messages[second].number) = (messages[second].number, messages[first].number)
            case .withheld: messages.removeAll()
            case .oversized: messages[second].body = Data(repeating: 1, count: Limits.message + 1)
            }
        }
        let words =
            switch lie {
            case .leftOut, .reordered: "where"
            case .withheld: "are not shown"
            case .oversized: "beyond all bounds"
            default: "refused: damaged, forged, or out of place"
            }
        expect(try await scene.bob.run("read", "kitchen"), 5, words)
        // A whole page that cannot be is not taken in at all, and everything is there once the relay is honest again.
        if [.withheld, .reordered].contains(lie) {
            scene.proxy.behave()
            #expect(try await scene.bob.texts("kitchen") == ["one", "two", "three"])
        }
    }

    /// Which reason is shown, for the ways in which a message can be out of place.
    @Test func theReasons() async throws {
        let scene = try await Scene.set()
        for text in ["one", "two", "three"] { try await scene.alice.done("send", "kitchen", text) }
        scene.show { messages in
            guard let first = messages.firstIndex(where: { $0.number == 3 }), messages.count >= first + 3 else {
                return
            }
            messages[first + 1].body = messages[first].body
        }
        let messages = try await scene.bob.messages("kitchen").filter { $0.number >= 3 }
        #expect(messages.map(\.refused) == [nil, "sent before", "its sender was shown another history of this room"])
        #expect(messages[0].text == "one")
    }

    /// Two members who were shown different orders of the same messages find it out with the next word.
    @Test func twoHistories() async throws {
        let scene = try await Scene.set()
        let carol = try await scene.house.people("carol")[0]
        try await scene.alice.done("room", "invite", "kitchen", "carol")
        try await carol.join("kitchen")
        // Each written before its author had seen the other's: either order is good, but it must be one for all.
        let room = try await scene.alice.room("kitchen")
        let first = try await scene.alice.sealed(.text(body: "from alice"), in: room)
        let second = try await carol.sealed(.text(body: "from carol"), in: room)
        try await scene.bob.done("read", "kitchen")
        try await RelayCaller(scene.alice).send(first, to: room)
        try await RelayCaller(carol).send(second, to: room)
        scene.show { messages in
            guard let first = messages.firstIndex(where: { $0.number == 4 }), messages.count > first + 1 else { return }
            messages.swapAt(first, first + 1)
            (messages[first].number, messages[first + 1].number) = (4, 5)
        }
        #expect(try await scene.bob.texts("kitchen") == ["from carol", "from alice"])
        scene.proxy.behave()
        try await scene.alice.done("send", "kitchen", "do you hear me?")
        expect(try await scene.bob.run("read", "kitchen"), 5, "its sender was shown another history of this room")
        // alice and carol, who were shown the same, go on.
        #expect(try await carol.texts("kitchen") == ["from alice", "from carol", "do you hear me?"])
    }

    enum EnvelopeLie: CaseIterable, Sendable {
        case bitFlipped, signatureFlipped, cut, ofAForger, forSomebodyElse, otherRoom
    }

    /// An invitation that was not made by who it says: it is not taken, and nobody can join on its word.
    @Test(arguments: EnvelopeLie.allCases)
    func anInvitation(_ lie: EnvelopeLie) async throws {
        let scene = try await Scene.set()
        try await scene.alice.done("room", "create", "attic")
        let carol = try await scene.house.people("carol")[0]
        let forger = try await Forger(imitating: scene.alice)
        let bob = try await scene.bob.secrets()
        let alice = try await scene.alice.secrets()
        let device = bob.keys.record(
            relay: forger.relay,
            account: try await scene.bob.account().account,
            notAfter: Forger.later
        )
        let stranger = carol
        let other = try await stranger.secrets()
        let foreign = other.keys.record(
            relay: forger.relay,
            account: try await stranger.account().account,
            notAfter: Forger.later
        )
        let room = RoomID.random()
        let invitation = RoomInvitation(
            key: RoomKey(room: room, generation: 1),
            name: "trap",
            history: .start,
            members: [
                Member(account: forger.account, handle: forger.handle, identityKey: forger.identity.publicKey),
                Member(
                    account: device.account,
                    handle: try Handle("bob"),
                    identityKey: bob.identity.publicKey
                ),
            ]
        )
        let sender = AccountRecord(
            relay: forger.relay,
            account: forger.account,
            handle: forger.handle,
            identityKey: forger.identity.publicKey
        )
        let aliceKeys = DeviceKeys(
            device: alice.keys.device,
            signing: forger.keys.signing,
            agreement: forger.keys.agreement
        )
        let forged = Data(try KeyEnvelope(invitation, from: sender, keys: aliceKeys, to: device).wireBytes)
        let misdirected = Data(try KeyEnvelope(invitation, from: sender, keys: alice.keys, to: foreign).wireBytes)
        try await scene.alice.done("room", "invite", "attic", "bob")
        scene.proxy.tamper { route, request, answer in
            guard case Routes.mailbox = route, request.method == .get else { return answer }
            return try answer.changing(MailboxPage.self) { page in
                for index in page.items.indices {
                    let count = page.items[index].body.count
                    switch lie {
                    case .bitFlipped: page.items[index].body[count - 100] ^= 1
                    case .signatureFlipped: page.items[index].body[count - 1] ^= 1
                    case .cut: page.items[index].body.removeLast()
                    case .ofAForger: page.items[index].body = forged
                    case .forSomebodyElse: page.items[index].body = misdirected
                    case .otherRoom: page.items[index].body.replaceSubrange(1..<17, with: room.bytes)
                    }
                }
            }
        }
        let list = try await scene.bob.run("room", "list")
        expect(list, 0, "kitchen")
        #expect(!list.output.contains("attic") && !list.output.contains("trap"), "\(list)")
        expect(try await scene.bob.run("room", "join", "attic"), 4, "no room is called attic")
        expect(try await scene.bob.run("room", "join", room.description), 4)
        #expect(scene.proxy.envelopes.isEmpty)
    }

    /// A new key of a room, damaged on its way: what is said under it is shown as refused, never as something else.
    @Test func aKeyOfARoom() async throws {
        let scene = try await Scene.set()
        let carol = try await scene.house.people("carol")[0]
        try await scene.alice.done("room", "invite", "kitchen", "carol")
        try await carol.join("kitchen")
        try await scene.bob.done("read", "kitchen")
        scene.proxy.tamper { route, request, answer in
            guard case Routes.mailbox = route, request.method == .get else { return answer }
            return try answer.changing(MailboxPage.self) { page in
                for index in page.items.indices { page.items[index].body[page.items[index].body.count - 1] ^= 1 }
            }
        }
        try await scene.alice.done("room", "remove", "kitchen", "carol")
        try await scene.alice.done("send", "kitchen", "under the new key")
        scene.proxy.forget()
        // That carol is out, bob has nobody's word for: to him the relay leaves out a member.
        expect(try await scene.bob.run("read", "kitchen"), 6, "(0 added, 1 missing)")
        expect(try await scene.bob.run("read", "kitchen", "--offline"), 5, "no key of its generation")
        // Nothing that bob has to say goes out under the old key, which carol has.
        #expect(try await scene.bob.run("send", "kitchen", "under which key?").status != 0)
        #expect(!scene.proxy.sends.contains { $0.generation == 1 })
        scene.proxy.behave()
        #expect(try await carol.run("read", "kitchen").status == 6)
        // With a key of bob's own making, all but carol go on.
        try await scene.bob.done("room", "mend", "kitchen")
        try await scene.bob.done("send", "kitchen", "under mine")
        #expect(try await scene.alice.texts("kitchen") == ["under the new key", "under mine"])
        let device = try await carol.account().device
        #expect(!scene.proxy.envelopes.isEmpty && scene.proxy.envelopes.allSatisfy { $0.device != device })
    }

    /// Somebody else's envelope that names a sender who does not exist does not stop bob's mail.
    @Test func anEnvelopeFromNobody() async throws {
        let scene = try await Scene.set()
        let mallory = try await scene.house.people("mallory")[0]
        let secrets = try await mallory.secrets()
        let summary = try await mallory.account()
        let bob = try await scene.bob.account()
        let bobKeys = try await scene.bob.secrets().keys
        let room = RoomID.random()
        let nobody = AccountRecord(
            relay: summary.relay,
            account: .random(),
            handle: try Handle("nobody-at-all"),
            identityKey: secrets.identity.publicKey
        )
        let invitation = RoomInvitation(
            key: RoomKey(room: room, generation: 1),
            name: "trap",
            history: .start,
            members: [Member(nobody)]
        )
        let envelope = try KeyEnvelope(
            invitation,
            from: nobody,
            keys: secrets.keys,
            to: bobKeys.record(relay: bob.relay, account: bob.account, notAfter: Forger.later)
        )
        let caller = try await RelayCaller(mallory)
        try await caller.createRoom(room)
        try await caller.send(
            SendRequest(
                id: .random(),
                generation: 1,
                body: Data("anything".utf8),
                change: MembershipChange(
                    action: .add,
                    accounts: [bob.account],
                    after: 0,
                    envelopes: [
                        AddressedEnvelope(account: bob.account, device: bob.device, body: Data(envelope.wireBytes))
                    ]
                )
            ),
            to: room
        )
        try await scene.alice.done("room", "create", "attic")
        try await scene.alice.done("room", "invite", "attic", "bob")
        let list = try await scene.bob.run("room", "list")
        expect(list, 0, "attic", "invited by alice")
        #expect(!list.output.contains("trap"))
        try await scene.bob.done("room", "join", "attic")
        // The relay says from whose account it came: in another's name it is not even a request.
        expect(try await scene.bob.run("request", "accept", "nobody-at-all"), 4, "no request is of nobody-at-all")
    }

    /// A file whose bytes were changed at the relay is not saved, and what was there before stays.
    @Test(arguments: [0, 1])
    func aFile(_ piece: Int) async throws {
        let scene = try await Scene.set()
        var random = Seed.generator(for: "tampered file")
        let file = scene.house.folder.file("file.bin")
        try Data(random.bytes(1_200_000)).write(to: URL(fileURLWithPath: file))
        try await scene.alice.done("send", "kitchen", "--file", file)
        try await scene.bob.done("read", "kitchen")
        let target = scene.house.folder.file("saved.bin")
        try Data("before".utf8).write(to: URL(fileURLWithPath: target))
        scene.proxy.tamper { route, request, answer in
            guard case Routes.blobContent = route, request.target.query?.contains("offset=0&") == (piece == 0) else {
                return answer
            }
            var answer = answer
            answer.body[answer.body.count / 2] ^= 1
            return answer
        }
        expect(try await scene.bob.run("save", "kitchen", "3", "-o", target, "--force"), 5)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("before".utf8))
        scene.proxy.behave()
        try await scene.bob.done("save", "kitchen", "3", "-o", target, "--force")
        #expect(FileManager.default.contentsEqual(atPath: file, andPath: target))
    }

    enum Nonsense: CaseIterable, Sendable {
        case notJSON, empty, wrongType, otherStatus, hugeNumber
    }

    /// Answers that are none: said in one line, with the status of damaged data, and nothing is lost.
    @Test(arguments: Nonsense.allCases)
    func nonsense(_ nonsense: Nonsense) async throws {
        let scene = try await Scene.set()
        try await scene.alice.done("send", "kitchen", "hello")
        scene.proxy.tamper { _, _, answer in
            var answer = answer
            switch nonsense {
            case .notJSON: answer.body = Array("<html>".utf8)
            case .empty: answer.body = []
            case .wrongType: answer.body = Array("[1, 2, 3]".utf8)
            case .otherStatus: (answer.status, answer.body) = (418, [])
            case .hugeNumber:
                answer.body = Array(#"{"first":1,"next":18446744073709551615,"messages":[]}"#.utf8)
            }
            return answer
        }
        expect(try await scene.bob.run("read", "kitchen"), 5)
        expect(try await scene.bob.run("send", "kitchen", "never left"), 5)
        scene.proxy.behave()
        try await scene.bob.done("send", "kitchen", "left")
        #expect(try await scene.bob.texts("kitchen") == ["hello", "left"])
    }

    /// The same to a message that was sent already: whether the relay has it, nobody knows, so it is kept, and is there
    /// once in the end.
    @Test func nonsenseToWhatWasSent() async throws {
        let scene = try await Scene.set()
        scene.proxy.tamper { route, request, answer in
            guard case Routes.messages = route, request.method == .post else { return answer }
            var answer = answer
            answer.body = Array("<html>".utf8)
            return answer
        }
        expect(try await scene.bob.run("send", "kitchen", "once"), 5, "is kept and tried again later")
        expect(try await scene.bob.run("outbox", "list"), 0, "kitchen: once")
        scene.proxy.behave()
        try await scene.bob.done("send", "kitchen", "after it")
        #expect(try await scene.alice.texts("kitchen") == ["once", "after it"])
        expect(try await scene.bob.run("outbox", "list"), 0, "nothing waits")
    }
}
