import MildamContent
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamSimulate
import MildamWire
import Testing

@testable import MildamClientCore

@Suite("Nobody takes a device back to an earlier epoch of a room (H4, H13, H39)")
struct EarlierEpochTests {
    private let moment = Moment(steady: 9_000_000, wall: 1_700_009_000_000)

    /// A room of the first person's and the third's. The relay kept back the second's Welcome, who came in from outside; then
    /// the third was put out.
    private func withheld() throws -> (world: World, welcome: ArrivedWelcome) {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [3])
        world.disconnect(2)
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        let mail = world.relay.collectMail(of: Cast.account(2))
        let welcome = try #require(mail.first)
        world.take(2, [.seat(Cast.room, generation: 0)])
        world.connect(2)
        world.wish(2, .accept)
        world.settle()
        world.wish(1, .remove(Cast.account(3)))
        world.settle()
        world.expectOneEpoch([1, 2])
        return (world, welcome)
    }

    private func members(_ person: UInt8, _ world: World) -> Set<AccountID>? {
        world.players[person]?.room()?.members?.accounts
    }

    /// What the relay would have of the room now.
    private func group(in world: World) throws -> GroupReply {
        var relay = world.relay
        guard case .group(let reply) = relay.answer(.group(Cast.room), from: Cast.device(1)) else {
            throw NoGroup()
        }
        return reply
    }

    private struct NoGroup: Error {}

    @Test("A Welcome that was kept back, under a number that is to come, opens nothing; the device comes back")
    func welcomeKeptBack() throws {
        let (begun, welcome) = try withheld()
        var world = begun
        let (number, epoch) = (world.read(2), world.epoch(2))
        world.take(2, [.welcome(welcome.under(number + 1))])
        world.take(2, [.live(world.page(last: number, epoch: epoch + 1))])
        #expect(world.epoch(2) == epoch)
        #expect(world.read(2) == number)
        #expect(members(2, world) == [Cast.account(1), Cast.account(2)])
        world.settle()
        #expect(world.notices(2).contains(.troubleIsOver))
        #expect(members(2, world) == [Cast.account(1), Cast.account(2)])
        world.expectOneEpoch([1, 2])
    }

    @Test("… nor does one that is shown again to who was put out since")
    func welcomeShownAgain() throws {
        let (begun, welcome) = try withheld()
        var world = begun
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        #expect(world.players[2]?.room()?.standing == .removed)
        let epoch = world.epoch(2)
        world.take(2, [.welcome(welcome.under(world.read(2) + 100))])
        #expect(world.epoch(2) == epoch)
        #expect(world.players[2]?.room()?.epochAuthenticator == nil)
    }

    @Test("A GroupInfo of an epoch that is over is not come into, unless the relay was put back (H41)")
    func earlierGroupInfo() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        let earlier = try group(in: world)
        world.wish(1, .remove(Cast.account(3)))
        world.settle()
        let present = try group(in: world)
        let (number, epoch) = (world.read(2), world.epoch(2))
        let core = try #require(world.players[2]?.core.core)
        for incarnation: UInt8 in 1...2 {
            for (reply, isPresent) in [(earlier, false), (present, true)] {
                var room = try #require(core.rooms[Cast.room])
                var draft = core.draft(at: moment)
                let page = world.page(last: number, epoch: epoch + 1, incarnation: incarnation)
                room.take(page, isAnswer: true, &draft)
                room.recovery.end()
                room.otherEpoch(&draft)
                #expect(room.trouble?.cause == .commitNotProcessable(number: number))
                room.comeIn(reply, &draft)
                #expect((room.joining != nil) == (isPresent || incarnation == 2))
            }
        }
    }

    @Test("A relay that is where the device is was not put back for it any longer")
    func relayIsWhereDeviceIs() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let core = try #require(world.players[2]?.core.core)
        var room = try #require(core.rooms[Cast.room])
        var draft = core.draft(at: moment)
        let (number, epoch) = (world.read(2), world.epoch(2))
        room.take(world.page(last: number, epoch: epoch + 1, incarnation: 2), isAnswer: true, &draft)
        #expect(room.hasRelayGoneBack)
        room.take(world.page(last: number, epoch: epoch, incarnation: 2), isAnswer: true, &draft)
        #expect(!room.hasRelayGoneBack)
    }

    @Test("Who has a seat alone, and finds an earlier epoch, asks whether the relay was put back (H41)")
    func seatOfEarlierEpoch() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        let earlier = try group(in: world)
        world.disconnect(2)
        let next = Cast.device(2, keys: 1)
        world.take(1, [.list(KnownDeviceList(next.list, rotation: 0))])
        world.settle()
        world.take(2, [.device(next)])
        world.take(2, [.live(world.relay.page(Cast.room, after: world.read(2), for: Cast.account(2)))])
        let core = try #require(world.players[2]?.core.core)
        var room = try #require(core.rooms[Cast.room])
        var draft = core.draft(at: moment)
        #expect(room.standing == .seated)
        room.comeIn(earlier, &draft)
        #expect(room.joining == nil)
        let looks = try #require(room.live.acting)
        room.take(.page(world.page(last: room.history.number, incarnation: 2)), to: looks, &draft)
        room.comeIn(earlier, &draft)
        #expect(room.joining != nil)
    }

    @Test("What was sealed in an epoch that is over is not shown when the relay brings it: its keys are gone (H12)")
    func lateMessage() throws {
        var begun = World([1, 2, 3])
        try begun.makeRoom(1, [2, 3])
        try begun.say(1, "before")
        begun.settle()
        let room = try #require(begun.players[1]?.room())
        var sender = try #require(room.group)
        let id = Cast.message(201)
        let content = try MimiContent(
            TextContent("sealed").part,
            salt: id,
            head: ContentHead(written: 1, seen: room.history.seen, counter: room.counter + 1)
        ).encoded
        let sealed = try sender.protect(content, authenticatedData: MessageMark.bytes(id)).wireBytes
        for isLate in [false, true] {
            var world = begun
            if isLate {
                world.wish(2, .renewKeys)
                world.settle()
                #expect(world.epoch(3) > begun.epoch(3))
            }
            let message = NumberedMessage(
                number: world.read(3) + 1,
                generation: 0,
                account: Cast.account(1),
                device: Cast.device(1).device,
                id: id,
                kind: .application,
                stored: 1,
                body: sealed
            )
            let page = LogPage(
                room: Cast.room,
                messages: [message],
                first: 1,
                last: message.number,
                epoch: world.epoch(3),
                incarnation: [UInt8](repeating: 1, count: LogPage.incarnationSize)
            )
            world.take(3, [.live(page)])
            #expect(world.read(3) == message.number)
            #expect(world.texts(3) == (isLate ? ["before"] : ["before", "sealed"]))
            #expect(world.unreadable(3) == (isLate ? ["mislabelled"] : []))
        }
    }

    @Test("Who comes in again by a Welcome is shown who came in and who went meanwhile")
    func membersMeanwhile() throws {
        var world = World([1, 2, 3, 4])
        try world.makeRoom(1, [2, 3])
        for wish in [
            Wish.remove(Cast.account(2)), .remove(Cast.account(3)), .invite(Cast.account(4), Cast.roomIdentity(4)),
            .invite(Cast.account(2), Cast.roomIdentity(2)),
        ] {
            world.wish(1, wish)
            world.settle()
        }
        #expect(world.players[2]?.room()?.standing == .invited)
        let kind = ShownEntry.Kind.members(joined: [Cast.account(4)], left: [Cast.account(3)])
        let shown = world.entries(2).filter { $0.kind == kind }
        #expect(shown.count == 1)
        #expect(shown.allSatisfy { $0.account == nil && $0.id == nil })
    }
}

extension ArrivedWelcome {
    /// The same, under another number.
    fileprivate func under(_ number: UInt64) -> ArrivedWelcome {
        ArrivedWelcome(
            room: room,
            generation: generation,
            number: number,
            welcome: welcome,
            tree: tree,
            isOfKnownSender: isOfKnownSender
        )
    }
}
