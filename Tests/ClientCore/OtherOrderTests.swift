import MildamClientCore
import MildamContent
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamSimulate
import MildamWire
import Testing

@Suite("A room whose members were all invited before anybody spoke: another order is noticed by each of them (H16)")
struct OtherOrderTests {
    private let people: [UInt8] = [1, 2, 3]

    /// Three people, of whom the second was shown the last two messages in another order than the others.
    private func reordered() throws -> World {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        for person: UInt8 in 1...3 {
            try world.say(person, "hello")
            world.settle()
        }
        world.disconnect(2)
        // Neither has seen the other one.
        try world.say(1, "first")
        try world.say(3, "second")
        world.settle()
        let log = try #require(world.relay.rooms[Cast.room]?.log)
        let (first, second) = (log[log.count - 2], log[log.count - 1])
        #expect([first, second].map(\.kind) == [.application, .application])
        let page = LogPage(
            room: Cast.room,
            messages: [second.numbered(first.number), first.numbered(second.number)],
            first: 1,
            last: second.number,
            epoch: world.epoch(2),
            incarnation: [UInt8](repeating: 1, count: LogPage.incarnationSize)
        )
        world.take(2, [.live(page)])
        world.connect(2)
        world.settle()
        #expect(world.texts(2).suffix(2) == ["second", "first"])
        #expect(world.texts(3).suffix(2) == ["first", "second"])
        return world
    }

    /// By whom a person was told that another history is stated, the last time.
    private func told(_ person: UInt8, in world: World) -> Set<AccountID>? {
        world.notices(person).compactMap { (notice) -> Set<AccountID>? in
            if case .historyStatedOtherwise(let accounts, _) = notice { accounts } else { nil }
        }.last
    }

    @Test("All have one running hash when the maker has spoken")
    func oneHash() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        try world.say(1, "hello")
        world.settle()
        let hashes = people.map { world.players[$0]?.room()?.history.hash }
        #expect(hashes[0] != nil)
        #expect(Set(hashes).count == 1)
        #expect(Set(people.map { world.read($0) }).count == 1)
    }

    @Test("… by what the others say: one is told of, two are another history")
    func bySaying() throws {
        var world = try reordered()
        for person in people { #expect(told(person, in: world) == nil) }
        try world.say(1, "third")
        world.settle()
        #expect(told(2, in: world) == [Cast.account(1)])
        let number = world.read(2)
        try world.say(3, "fourth")
        world.settle()
        #expect(world.notices(2).contains(.trouble(.differentHistory(number: number))))
        #expect(told(1, in: world) == nil && told(3, in: world) == nil)
        world.expectOneEpoch([1, 2, 3])
    }

    @Test("… and it is told once, however often they say it")
    func toldOnce() throws {
        var world = try reordered()
        for _ in 0..<3 {
            for person in people {
                try world.say(person, "again")
                world.settle()
            }
        }
        for person in people {
            let told = world.notices(person).filter { notice in
                switch notice {
                case .historyStatedOtherwise, .trouble(.differentHistory): true
                default: false
                }
            }
            #expect(told.count == (person == 2 ? 2 : 1))
        }
        // It is remembered over a restart.
        world.restart(2, seed: 62)
        world.settle()
        try world.say(1, "and again")
        world.settle()
        #expect(!world.notices(2).contains { if case .trouble = $0 { true } else { false } })
        #expect(told(2, in: world) == nil)
    }

    @Test("… by what one says oneself")
    func bySayingOneself() throws {
        var world = try reordered()
        try world.say(2, "third")
        world.settle()
        for person: UInt8 in [1, 3] { #expect(told(person, in: world) == [Cast.account(2)]) }
    }

    @Test("… by what a commit says that its maker had seen")
    func byCommit() throws {
        var world = try reordered()
        world.wish(3, .renewKeys)
        world.settle()
        #expect(told(2, in: world) == [Cast.account(3)])
        #expect(told(1, in: world) == nil)
        world.expectOneEpoch([1, 2, 3])
    }

    @Test("Whom a plain member brought in and gave a false hash gives that up when two others have stated theirs")
    func falseWord() throws {
        var world = World([1, 2, 3, 4])
        try world.makeRoom(1, [2, 4])
        for person: UInt8 in [1, 2, 4] {
            try world.say(person, "hello")
            world.settle()
        }
        world.wish(2, .invite(Cast.account(3), Cast.roomIdentity(3)))
        world.settle()
        world.wish(3, .accept)
        world.settle()
        #expect(world.players[3]?.room()?.invitedBy == Cast.account(2))
        world.disconnect(2)
        let id = Cast.message(201)
        let seen = ContentHead.Seen(number: world.read(3), hash: [UInt8](repeating: 7, count: 32))
        let content = try MimiContent(
            TextContent("believe me").part,
            salt: id,
            head: ContentHead(written: 1, seen: seen, counter: 1000),
            inReplyTo: nil
        )
        var group = try #require(world.players[2]?.room()?.group)
        let body = try group.protect(content.encoded, authenticatedData: [1] + id.bytes).wireBytes
        let message = OutgoingMessage(id: id, kind: .application, generation: 0, epoch: world.epoch(2), body: body)
        guard case .accepted = world.relay.answer(.send(Cast.room, message), from: Cast.device(2)) else {
            Issue.record("the relay does not take it")
            return
        }
        world.settle()
        let misled = world.players[3]?.room()?.history.hash
        #expect(misled != nil && misled != world.players[1]?.room()?.history.hash)
        for person: UInt8 in [1, 4] {
            try world.say(person, "no")
            world.settle()
        }
        #expect(world.notices(3).contains { if case .trouble(.differentHistory) = $0 { true } else { false } })
        let hashes = [UInt8(1), 3, 4].map { world.players[$0]?.room()?.history.hash }
        #expect(hashes[0] != nil)
        #expect(Set(hashes).count == 1)
        try world.say(3, "thank you")
        world.settle()
        for person: UInt8 in [1, 4] { #expect(told(person, in: world) == [Cast.account(2)]) }
    }

    @Test("Who has a seat and came in from outside goes on from what the owner states")
    func fromOutside() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [])
        for person: UInt8 in 2...3 {
            world.relay.dropKeyPackages(of: Cast.account(person))
            world.wish(1, .invite(Cast.account(person), Cast.roomIdentity(person)))
            world.settle()
            #expect(world.players[person]?.room()?.standing == .seated)
            world.wish(person, .accept)
            world.settle()
        }
        try world.say(1, "hello")
        world.settle()
        let hashes = people.map { world.players[$0]?.room()?.history.hash }
        #expect(hashes[0] != nil)
        #expect(Set(hashes).count == 1)
    }
}

extension NumberedMessage {
    /// The same under another number.
    fileprivate func numbered(_ number: UInt64) -> NumberedMessage {
        NumberedMessage(
            number: number,
            generation: generation,
            account: account,
            device: device,
            id: id,
            kind: kind,
            stored: stored,
            body: body,
            externalPub: externalPub
        )
    }
}
