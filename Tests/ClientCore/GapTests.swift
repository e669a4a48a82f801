import MildamClientCore
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@Suite("A client's rooms: what was passed over, put back or missed")
struct GapTests {
    @Test("A profile that was put back, in a room of which nothing more is kept: what it says then is heard")
    func putBackBehindRetention() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "one")
        world.settle()
        let copy = try #require(world.players[2]?.core.store)
        for text in ["two", "three"] { try world.say(2, text) }
        world.wish(1, .renewKeys)
        world.settle()
        world.relay.forget(before: world.relay.last(of: Cast.room) + 1, in: Cast.room)
        world.restart(2, from: copy, seed: 80)
        world.settle()
        #expect(world.unreadable(2) == ["behind-retention"])
        try world.say(2, "four")
        world.settle()
        #expect(world.texts(1) == ["one", "two", "three", "four"])
        #expect(world.unreadable(1).isEmpty)
        world.expectOneEpoch([1, 2])
    }

    @Test("What was sent, and has a number that is no longer kept, has been said once")
    func sentBehindRetention() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "first")
        world.settle()
        let id = try world.say(2, "once")
        let asked = world.sent(2)
        let sent = try #require(asked)
        _ = world.relay.answer(.send(Cast.room, sent.message), from: Cast.device(2))
        world.disconnect(2)
        world.wish(1, .renewKeys)
        world.settle()
        world.relay.forget(before: world.relay.last(of: Cast.room) + 1, in: Cast.room)
        world.connect(2)
        world.settle()
        #expect(world.texts(1) == ["first", "once"])
        #expect(world.texts(2) == ["first", "once"])
        #expect(world.times(2, isDone: id) == 1)
        world.expectOneEpoch([1, 2])
    }

    @Test("What was typed before a profile was put back, and sent in a later epoch since, is not sent again (H14)")
    func sentInLaterEpoch() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "one")
        world.settle()
        world.disconnect(2)
        world.wish(2, .renewKeys)
        let id = try world.say(2, "typed")
        let copy = try #require(world.players[2]?.core.store)
        world.connect(2)
        world.settle()
        world.restart(2, from: copy, seed: 71)
        world.settle()
        #expect(world.texts(1) == ["one", "typed"])
        #expect(world.texts(2) == ["one", "typed"])
        #expect(world.times(2, isDone: id) == 1)
        world.expectOneEpoch([1, 2])
    }

    @Test("Generations that began while a device could not read the room: it comes into the last one (H9)")
    func missedGenerations() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.disconnect(3)
        world.relay.spoiled[Cast.account(3)] = world.relay.last(of: Cast.room) + 1
        world.wish(1, .renewKeys)
        world.settle()
        for generation: UInt64 in 0...1 {
            world.wish(1, .renewRoom(above: generation))
            world.settle()
        }
        world.connect(3)
        world.settle()
        #expect(world.players[3]?.room()?.generation == 2)
        world.expectOneEpoch([1, 2, 3])
        try world.say(3, "late")
        world.settle()
        #expect(world.texts(1) == ["late"])
    }

    @Test("A generation that somebody began who came in after what a put-back profile knows: it comes into that (H9)")
    func generationOfANewcomer() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2])
        let copy = try #require(world.players[2]?.core.store)
        world.wish(2, .renewKeys)
        world.settle()
        world.disconnect(2)
        world.wish(1, .invite(Cast.account(3), Cast.roomIdentity(3)))
        world.settle()
        world.wish(3, .accept)
        world.wish(1, .role(Cast.account(3), .admin))
        world.settle()
        world.wish(3, .renewRoom(above: 0))
        world.settle()
        world.restart(2, from: copy, seed: 80)
        world.settle()
        #expect(world.players[2]?.room()?.generation == 1)
        world.expectOneEpoch([1, 2, 3])
    }

    @Test("Who comes back is shown who came in and who went meanwhile")
    func membersMeanwhile() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.disconnect(3)
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        world.relay.forget(before: world.relay.last(of: Cast.room) + 1, in: Cast.room)
        world.connect(3)
        world.settle()
        let gone = ShownEntry.Kind.members(joined: [], left: [Cast.account(2)])
        #expect(world.entries(3).contains { $0.kind == gone })
        world.expectOneEpoch([1, 3])
    }

    @Test("Who declined a seat is asked again when it is offered again, and what was accepted before does not count")
    func declinedSeat() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.relay.dropKeyPackages(of: Cast.account(2))
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        world.disconnect(2)
        world.wish(2, .accept)
        let id = world.wish(2, .leave)
        let last = world.relay.last(of: Cast.room)
        world.connect(2)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .left)
        #expect(world.times(2, isDone: id) == 1)
        #expect(world.relay.last(of: Cast.room) == last, "nobody hears of it")
        world.take(2, [.seat(Cast.room, generation: 0)])
        world.settle()
        #expect(world.players[2]?.room()?.standing == .seated)
    }

    @Test(
        "Who is invited anew, and may not read how they were put out, comes in by the Welcome and reads from there on"
    )
    func invitedPastGap() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        #expect(world.players[2]?.room()?.standing == .invited)
        world.disconnect(2)
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        try world.say(1, "for the second time")
        world.settle()
        let mail = world.relay.collectMail(of: Cast.account(2))
        let welcome = try #require(mail.last)
        world.relay.forget(before: welcome.number, in: Cast.room)
        // A client takes its mailbox over before it reads rooms.
        world.take(2, [.welcome(welcome)])
        world.connect(2)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .invited)
        world.wish(2, .accept)
        world.settle()
        #expect(world.texts(2) == ["for the second time"])
        #expect(world.unreadable(2) == ["behind-retention"])
        #expect(!world.entries(1).contains { if case .cameBack = $0.kind { true } else { false } })
        world.expectOneEpoch([1, 2])
    }

    /// The numbers before which a person came in, and that it did not read.
    private func skipped(_ person: UInt8, _ world: World) -> [ClosedRange<UInt64>] {
        world.entries(person).compactMap { entry in
            guard case .gap(from: let first, .beforeComingIn) = entry.kind else { return nil }
            return first...entry.number
        }
    }

    @Test("Who was shut out with a part of the log unread, and is invited again, has a named gap there (H41)")
    func shutOutUnread() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "read")
        world.settle()
        world.disconnect(2)
        let first = world.read(2) + 1
        try world.say(1, "unread")
        world.settle()
        world.take(2, [.noMember(Cast.room)])
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        let invited = ShownEntry.Kind.members(joined: [Cast.account(2)], left: [])
        let number = try #require(world.entries(1).last { $0.kind == invited }?.number)
        world.connect(2)
        world.settle()
        world.wish(2, .accept)
        world.settle()
        try world.say(1, "again")
        world.settle()
        #expect(world.texts(2) == ["read", "again"])
        #expect(skipped(2, world) == [first...number - 1])
        #expect(world.unreadable(2) == ["before-coming-in"])
        world.expectOneEpoch([1, 2])
    }

    @Test("Whose Welcome is gone comes in from outside, and what was said since it had a leaf is a named gap (H37)")
    func welcomeLost() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.disconnect(2)
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        let mail = world.relay.collectMail(of: Cast.account(2))
        #expect(mail.count == 1)
        try world.say(1, "unread")
        world.settle()
        let last = world.relay.last(of: Cast.room)
        world.connect(2)
        world.take(2, [.seat(Cast.room, generation: 0)])
        world.wish(2, .accept)
        world.settle()
        try world.say(1, "on")
        world.settle()
        #expect(world.texts(2) == ["on"])
        #expect(skipped(2, world) == [1...last])
        #expect(world.unreadable(2) == ["before-coming-in"])
        world.expectOneEpoch([1, 2])
    }

    @Test("Who comes in by a seat, and had no leaf, has missed nothing")
    func seatWithoutLeaf() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        try world.say(1, "before")
        world.settle()
        world.relay.dropKeyPackages(of: Cast.account(2))
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        world.wish(2, .accept)
        world.settle()
        try world.say(1, "on")
        world.settle()
        #expect(world.texts(2) == ["on"])
        #expect(world.unreadable(2).isEmpty)
        world.expectOneEpoch([1, 2])
    }

    @Test("Who was put out, and comes in again by a seat, has a named gap where they were out")
    func seatAfterRemoval() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "read")
        world.settle()
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        let first = world.read(2) + 1
        try world.say(1, "unread")
        world.settle()
        world.relay.dropKeyPackages(of: Cast.account(2))
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        let last = world.relay.last(of: Cast.room)
        world.wish(2, .accept)
        world.settle()
        #expect(world.texts(2) == ["read"])
        #expect(skipped(2, world) == [first...last])
        world.expectOneEpoch([1, 2])
    }

    @Test("Who is put out to a seat amid a part of the log has a named gap from there on, and comes in")
    func seatAmidPage() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        for person: UInt8 in 1...3 { try world.say(person, "read") }
        world.settle()
        world.disconnect(2)
        let next = Cast.device(2, keys: 1)
        world.take(1, [.list(KnownDeviceList(next.list, rotation: 0))])
        world.settle()
        #expect(world.players[1]?.room()?.members?.room.seats[Cast.account(2)] != nil)
        let first = world.relay.last(of: Cast.room) + 1
        for number in 0..<5 { try world.say(3, "unread \(number)") }
        world.settle()
        let last = world.relay.last(of: Cast.room)
        world.take(2, [.device(next)])
        world.connect(2)
        world.settle()
        #expect(world.texts(2) == ["read", "read", "read"])
        #expect(skipped(2, world) == [first...last])
        try world.say(2, "in again")
        world.settle()
        #expect(world.texts(3).last == "in again")
        world.expectOneEpoch([1, 2, 3])
    }

    /// A room of the first person, who has said something, in which the second has a seat, and is about to come in by it.
    private func comingInBySeat() throws -> World {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.relay.dropKeyPackages(of: Cast.account(2))
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        try world.say(1, "before")
        world.settle()
        world.wish(2, .accept)
        for (id, request) in world.asked(2) {
            world.take(2, [.reply(id, world.relay.answer(request, from: Cast.device(2)))])
        }
        return world
    }

    @Test("A relay that gives a commit from outside the number of another's message: that is shown as unread")
    func numberOfAnother() throws {
        var world = try comingInBySeat()
        let asked = world.sent(2)
        let sent = try #require(asked)
        #expect(sent.message.kind == .commit)
        let number = world.relay.last(of: Cast.room)
        world.take(2, [.reply(sent.id, .accepted(number: number))])
        world.settle()
        let unread = world.entries(2).filter { $0.kind == .unreadable(.beforeComingIn) }
        #expect(unread.map(\.number) == [number])
        world.expectOneEpoch([1, 2])
    }

    @Test("Who comes in by a seat and is overtaken is shown nothing of what was said before")
    func seatOvertaken() throws {
        var world = try comingInBySeat()
        world.wish(1, .renewKeys)
        world.settle()
        try world.say(1, "on")
        world.settle()
        #expect(world.texts(2) == ["on"])
        #expect(world.unreadable(2).isEmpty)
        world.expectOneEpoch([1, 2])
    }

    @Test("What is typed is not lost by a relay that refuses the commit before it")
    func commitBeforeIsRefused() throws {
        var world = World([1, 2])
        try world.inviteWithoutKeys()
        let id = try world.say(2, "kept")
        let asked = world.sent(2)
        let sent = try #require(asked)
        #expect(sent.message.kind == .commit)
        world.take(2, [.reply(sent.id, .refused(.invalidCommit(rule: "none")))])
        world.settle()
        #expect(world.texts(1) == ["kept"])
        #expect(world.times(2, isDone: id) == 1)
        world.expectOneEpoch([1, 2])
    }

    @Test("A device that was at a stand days ago is at a stand no longer than the first time")
    func standsAgain() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        for _ in 0..<2 {
            for _ in 0..<5 {
                world.relay.spoiled[Cast.account(3)] = world.relay.last(of: Cast.room) + 1
                world.wish(3, .renewKeys)
                world.settle()
            }
            let stops = world.notices(3).compactMap { (notice) -> UInt64? in
                if case .stopped(_, let until) = notice { until } else { nil }
            }
            let until = try #require(stops.last)
            #expect(until > world.now)
            #expect(until <= world.now + RepairBudget.hour * 1000)
            world.settle(for: 3 * 86_400_000)
        }
        world.expectOneEpoch([1, 2, 3])
    }

    @Test("What is typed while the commit before it cannot be made stays, and is said when it can")
    func typedStays() throws {
        var world = World([1, 2])
        try world.inviteWithoutKeys()
        let good = Cast.device(2)
        let credential = DeviceCredential(identityKey: Cast.identity(1).publicKey, record: good.credential.record)
        world.take(2, [.device(OwnDevice(credential: credential, signing: good.signing, list: good.list))])
        let id = try world.say(2, "kept")
        world.settle()
        #expect(world.notices(2).contains(.wishWaits(id, code: "cannot-be-committed")))
        world.take(2, [.device(good)])
        world.settle()
        #expect(world.texts(1) == ["kept"])
        #expect(world.times(2, isDone: id) == 1)
        world.expectOneEpoch([1, 2])
    }

    @Test("Somebody acts with a device's keys again after it came back: it comes back when it has others (H14)")
    func keysUsedTwice() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "mine")
        world.settle()
        let copy = try #require(world.players[2]?.core.store)
        try world.say(2, "moved on")
        world.settle()
        let present = try #require(world.players[2]?.core.store)
        world.restart(2, from: copy, seed: 61)
        world.settle()
        let copyBack = try #require(world.players[2]?.core.store)
        world.restart(2, from: present, seed: 62)
        world.settle()
        let presentBack = try #require(world.players[2]?.core.store)
        world.restart(2, from: copyBack, seed: 63)
        world.settle()
        world.restart(2, from: presentBack, seed: 64)
        world.settle()
        #expect(world.notices(2).contains(.keysAreUsedElsewhere))
        #expect(world.players[2]?.room()?.trouble != nil)
        world.take(2, [.device(Cast.device(2, keys: 1))])
        world.settle()
        try world.say(2, "with other keys")
        world.settle()
        #expect(world.texts(1) == ["mine", "moved on", "with other keys"])
        world.expectOneEpoch([1, 2])
    }

    @Test("Who was removed and invited again while offline comes in by the Welcome, though it comes before the log")
    func invitedAgain() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.disconnect(2)
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        try world.say(3, "welcome back")
        world.settle()
        let welcomes = world.relay.collectMail(of: Cast.account(2))
        #expect(welcomes.count == 1)
        world.take(2, welcomes.map { .welcome($0) })
        #expect(world.players[2]?.room()?.standing == .member)
        world.connect(2)
        world.settle()
        #expect(world.notices(2).contains(.removed))
        #expect(world.players[2]?.room()?.standing == .invited)
        world.wish(2, .accept)
        world.settle()
        #expect(!world.notices(2).contains { if case .trouble = $0 { true } else { false } })
        #expect(world.texts(2) == ["welcome back"])
        world.expectOneEpoch([1, 2, 3])
    }

    @Test("A Welcome for a room that the device is in, and stays in, changes nothing")
    func welcomeForNothing() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let welcome = ArrivedWelcome(
            room: Cast.room,
            generation: 0,
            number: world.read(2) + 1,
            welcome: [1],
            tree: [1],
            isOfKnownSender: true
        )
        world.take(2, [.welcome(welcome)])
        try world.say(2, "still here")
        world.settle()
        #expect(world.texts(1) == ["still here"])
        #expect(world.notices(2).allSatisfy { if case .trouble = $0 { false } else { true } })
        world.expectOneEpoch([1, 2])
    }
}

extension World {
    /// A room of the first person, whose second one was invited, and gives itself keys before it says anything (H22).
    fileprivate mutating func inviteWithoutKeys() throws {
        try makeRoom(1, [])
        wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        settle(for: 100)
        wish(2, .accept)
    }
}
