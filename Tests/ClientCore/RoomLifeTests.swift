import MildamClientCore
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamSimulate
import Testing

@Suite("A client's rooms: what people wish comes true")
struct RoomLifeTests {
    @Test("A room is made, others come in, and all read the same in one order")
    func conversation() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        try world.say(1, "good morning")
        try world.say(2, "slept well?")
        try world.say(3, "not yet")
        world.settle()
        world.expectOneEpoch([1, 2, 3])
        #expect(world.texts(1).count == 3)
        #expect(world.texts(2) == world.texts(1))
        #expect(world.texts(3) == world.texts(1))
        for person: UInt8 in 1...3 { #expect(world.unreadable(person).isEmpty) }
        #expect(world.players[1]?.room()?.members?.accounts.count == 3)
    }

    @Test("What takes a commit is so under that commit's number; what is so already, under none")
    func numbered() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let first = world.wish(1, .role(Cast.account(2), .admin))
        world.settle()
        let again = world.wish(1, .role(Cast.account(2), .admin))
        world.settle()
        let shown = try #require(world.entries(2).last(where: { $0.kind == .settings }))
        #expect(world.notices(1).contains(.wishIsDone(first, number: shown.number)))
        #expect(world.notices(1).contains(.wishIsDone(again, number: nil)))
    }

    @Test("What waits to be said can be dropped; what was sent, and has no answer, cannot")
    func dropping() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(1, "first")
        world.settle()
        world.disconnect(1)
        let (kept, dropped) = (try world.say(1, "kept"), try world.say(1, "dropped"))
        world.take(1, [.drop(Cast.room, dropped)])
        #expect(world.players[1]?.room()?.intents.map(\.id) == [kept])
        world.connect(1)
        world.settle()
        #expect(world.notices(1).contains(.wishFailed(dropped, code: "dropped")))
        #expect(world.texts(2) == ["first", "kept"])
        // Its answer is lost: the relay has it.
        world.players[1]?.losesAnswers = 1
        let sent = try world.say(1, "sent")
        world.settle(for: 100)
        world.take(1, [.drop(Cast.room, sent)])
        world.settle()
        #expect(world.texts(2) == ["first", "kept", "sent"])
        #expect(world.texts(1) == world.texts(2))
        #expect(!world.notices(1).contains(.wishFailed(sent, code: "dropped")))
    }

    @Test("What was said before one came in cannot be read, and nothing is after one was put out")
    func beforeAndAfter() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        try world.say(1, "early")
        world.settle()
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        world.wish(2, .accept)
        world.settle()
        try world.say(1, "in time")
        world.settle()
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        try world.say(1, "late")
        world.settle()
        #expect(world.texts(2) == ["in time"])
        #expect(world.texts(1) == ["early", "in time", "late"])
        #expect(world.players[2]?.room()?.standing == .removed)
        #expect(world.notices(2).contains(.removed))
    }

    @Test("Until the person accepts, nothing is said into the room; what was typed waits")
    func consent() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        #expect(world.players[2]?.room()?.standing == .invited)
        let id = try world.say(2, "too soon")
        world.settle()
        #expect(world.texts(1).isEmpty)
        #expect(world.notices(2).contains(.wishWaits(id, code: "not-accepted")))
        world.wish(2, .accept)
        world.settle()
        #expect(world.texts(1) == ["too soon"])
    }

    @Test("A stranger's Welcome stays unopened until it is accepted")
    func stranger() throws {
        var world = World([1, 2])
        world.relay.sendersAreKnown = false
        try world.makeRoom(1, [])
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        #expect(world.players[2]?.room()?.standing == .requested)
        #expect(world.players[2]?.room()?.group == nil)
        world.wish(2, .accept)
        world.settle()
        world.expectOneEpoch([1, 2])
        #expect(world.players[2]?.room()?.standing == .member)
    }

    @Test("An account without key packages gets a seat, and comes in from outside")
    func seat() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.relay.dropKeyPackages(of: Cast.account(2))
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        #expect(world.players[1]?.room()?.members?.room.seats.count == 1)
        world.wish(2, .accept)
        world.settle()
        world.expectOneEpoch([1, 2])
        try world.say(1, "sit down")
        try world.say(2, "gladly")
        world.settle()
        #expect(Set(world.texts(2)) == ["sit down", "gladly"])
        #expect(world.texts(2) == world.texts(1))
    }

    @Test("Who leaves is taken out by others, without anybody asking for it; the last owner makes another one")
    func leaving() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        let id = world.wish(1, .leave)
        world.settle()
        #expect(world.players[1]?.room()?.standing == .left)
        #expect(world.times(1, isDone: id) == 1)
        world.expectOneEpoch([2, 3])
        let members = try #require(world.players[2]?.room()?.members)
        #expect(members.accounts == [Cast.account(2), Cast.account(3)])
        #expect(members.accounts.contains { members.role(of: $0) == .owner })
    }

    @Test("Where the last member leaves, what they wished after that cannot be, and they are told so")
    func lastLeaves() throws {
        var world = World([1])
        try world.makeRoom(1, [])
        let leaving = world.wish(1, .leave)
        let late = try world.say(1, "late")
        world.settle()
        #expect(world.players[1]?.room()?.standing == .left)
        #expect(world.players[1]?.room()?.intents.isEmpty == true)
        #expect(world.times(1, isDone: leaving) == 1)
        #expect(world.notices(1).contains(.wishFailed(late, code: "no-member")))
    }

    @Test("Where all leave at once nobody takes anybody out, and the room is over for each of them")
    func allLeave() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let ids = [world.wish(1, .leave), world.wish(2, .leave)]
        world.settle()
        for (person, id) in zip([1, 2] as [UInt8], ids) {
            #expect(world.players[person]?.room()?.standing == .left)
            #expect(world.players[person]?.room()?.intents.isEmpty == true)
            #expect(world.times(person, isDone: id) == 1)
        }
        #expect(world.relay.state(of: Cast.room)?.leaving == 2)
    }

    @Test("Who has left and is invited again without key packages may come in from outside")
    func invitedAgain() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "once")
        world.settle()
        world.wish(2, .leave)
        world.settle()
        #expect(world.players[2]?.room()?.isLeftBehind == true)
        world.relay.dropKeyPackages(of: Cast.account(2))
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        let standing = try #require(world.players[2]?.room()?.standing)
        #expect([.seated, .invited].contains(standing))
        #expect(world.players[2]?.room()?.isLeftBehind == false)
        world.wish(2, .accept)
        world.settle()
        try world.say(2, "and again")
        world.settle()
        #expect(world.texts(1) == ["once", "and again"])
        world.expectOneEpoch([1, 2])
    }

    @Test("To decline is to leave")
    func declining() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        world.wish(2, .leave)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .left)
        #expect(world.players[1]?.room()?.members?.accounts == [Cast.account(1)])
    }

    @Test("Roles, policy, timer and name are what was wished; who may not is told which rule stands against it")
    func settings() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.wish(1, .timer(3600))
        world.wish(1, .policy([.membersInvite, .membersRemove]))
        let refused = world.wish(2, .role(Cast.account(2), .owner))
        world.settle()
        #expect(world.notices(2).contains(.wishFailed(refused, code: RoomRule.rolesAreChangedByOwners.rawValue)))
        world.wish(1, .role(Cast.account(2), .admin))
        world.settle()
        let room = try #require(world.players[2]?.room()?.members?.room)
        #expect(room.timer == 3600)
        #expect(room.policy == [.membersInvite, .membersRemove])
        #expect(room.roles[Cast.account(2)] == .admin)
        #expect(room.infoDigest.count == RoomExtension.digestSize)
        world.expectOneEpoch([1, 2])
    }

    @Test("New keys of one's own make another epoch, once")
    func newKeys() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let before = world.players[1]?.room()?.group?.publicGroup.context.epoch
        let id = world.wish(1, .renewKeys)
        world.settle()
        #expect(world.times(1, isDone: id) == 1)
        #expect(world.players[1]?.room()?.group?.publicGroup.context.epoch ?? 0 > before ?? 0)
        world.expectOneEpoch([1, 2])
    }

    @Test("While a leaf is no longer on its account's list nothing is said; it is taken out, and then it is said")
    func revoked() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.take(1, [.list(Cast.emptyList(3, number: 2))])
        let id = try world.say(1, "not for three")
        try world.say(2, "for all")
        world.settle()
        #expect(world.times(1, isDone: id) == 1)
        #expect(Set(world.texts(2)) == ["not for three", "for all"])
        #expect(!world.texts(3).contains("not for three"))
        let room = try #require(world.players[2]?.room()?.members?.room)
        #expect(room.seats[Cast.account(3)] != nil)
        #expect(room.lists[Cast.account(3)] == ListVersion(number: 2))
        #expect(world.players[3]?.room()?.standing == .removed)
    }

    @Test("A device with new keys has them in its rooms, and nobody takes its leaf out (H17)")
    func newDeviceKeys() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "old keys")
        world.settle()
        let next = Cast.device(2, keys: 1)
        world.take(2, [.device(next)])
        world.take(1, [.list(KnownDeviceList(next.list, rotation: 0))])
        world.settle()
        world.expectOneEpoch([1, 2])
        let leaves = try #require(world.players[1]?.room()?.members?.leaves(of: Cast.account(2)))
        #expect(leaves.map(\.signatureKey) == [next.signing.publicKey])
        try world.say(2, "new keys")
        try world.say(1, "heard")
        world.settle()
        #expect(Set(world.texts(1)) == ["old keys", "new keys", "heard"])
        #expect(world.players[2]?.room()?.standing == .member)
    }

    /// The second is invited, and accepts without the relay.
    private func acceptedOffline() throws -> World {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        world.disconnect(2)
        world.wish(2, .accept)
        return world
    }

    @Test("Who accepts while the room is begun anew comes into its new group (H7, H9)")
    func acceptedWhileRenewed() throws {
        var world = try acceptedOffline()
        world.wish(1, .renewRoom(above: 0))
        world.settle()
        world.connect(2)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .member && world.players[2]?.room()?.intents.isEmpty == true)
        world.expectOneEpoch([1, 2])
    }

    @Test("Who accepts, and wants out while the room is begun anew, does not come in: nobody hears of them")
    func leftWhileRenewed() throws {
        var world = try acceptedOffline()
        let leaving = world.wish(2, .leave)
        world.wish(1, .renewRoom(above: 0))
        world.settle()
        let before = world.players[1]?.room()?.history.number
        world.connect(2)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .left && world.times(2, isDone: leaving) == 1)
        #expect(world.players[1]?.room()?.history.number == before)
    }

    @Test("A room is renewed by who may: all come into the next generation, with their roles, and talk on (H9)")
    func renewed() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.wish(1, .role(Cast.account(2), .admin))
        try world.say(2, "before")
        world.settle()
        let refused = world.wish(3, .renewRoom(above: 0))
        world.settle()
        #expect(world.notices(3).contains(.wishFailed(refused, code: RoomRule.generationIsBegunByRight.rawValue)))
        let id = world.wish(2, .renewRoom(above: 0))
        world.settle()
        #expect(world.times(2, isDone: id) == 1)
        world.expectOneEpoch([1, 2, 3])
        for person: UInt8 in 1...3 {
            #expect(world.players[person]?.room()?.generation == 1)
            try world.say(person, "after \(person)")
            world.settle()
        }
        #expect(world.texts(3) == ["before", "after 1", "after 2", "after 3"])
        #expect(world.texts(1) == world.texts(3))
        let members = try #require(world.players[3]?.room()?.members)
        #expect(members.role(of: Cast.account(1)) == .owner)
        #expect(members.role(of: Cast.account(2)) == .admin)
        #expect(members.leaves.count == 3)
    }

    @Test("Two renew at once: there is one next generation")
    func renewedTwice() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.wish(1, .role(Cast.account(2), .owner))
        world.settle()
        let first = world.wish(1, .renewRoom(above: 0))
        let second = world.wish(2, .renewRoom(above: 0))
        world.settle()
        #expect(world.times(1, isDone: first) == 1)
        #expect(world.times(2, isDone: second) == 1)
        world.expectOneEpoch([1, 2])
        #expect(world.players[1]?.room()?.generation == 1)
    }

    @Test("Who had not answered when a room is renewed has a seat in it, and comes in once they accept (H7, H9)")
    func renewedBeforeAnAnswer() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2])
        world.wish(1, .invite(Cast.account(3), Cast.roomIdentity(3)))
        world.settle()
        #expect(world.players[3]?.room()?.standing == .invited)
        #expect(world.players[3]?.room()?.isInvitedToSeat == false)
        world.wish(1, .renewRoom(above: 0))
        world.settle()
        world.expectOneEpoch([1, 2])
        let waiting = try #require(world.players[3]?.room())
        #expect(waiting.isInvitedToSeat && waiting.generation == 1 && waiting.trouble == nil)
        let members = try #require(world.players[1]?.room()?.members)
        #expect(members.leaves(of: Cast.account(3)).isEmpty && members.contains(Cast.account(3)))
        world.wish(3, .accept)
        world.settle()
        world.expectOneEpoch([1, 2, 3])
        #expect(world.players[3]?.room()?.isInvitedToSeat == false)
        try world.say(3, "here")
        world.settle()
        #expect(world.texts(2).last == "here")
    }
}
