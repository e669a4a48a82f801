import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@Suite("What the relay does not do for one wish holds up no other")
struct RefusedWishTests {
    /// What a person's client asks for now, of a kind.
    private func require(
        _ person: UInt8,
        in world: inout World,
        _ isWanted: (RoomRequest) -> Bool
    ) throws -> RequestID {
        let wanted = world.asked(person).first { isWanted($0.request) }
        return try #require(wanted).id
    }

    private func isClaim(_ request: RoomRequest) -> Bool { if case .claim = request { true } else { false } }

    private func isCreation(_ request: RoomRequest) -> Bool { if case .create = request { true } else { false } }

    @Test("An invitation whose key packages do not come: what is typed goes out, and it can be taken back")
    func unansweredClaim() throws {
        for reply in [RelayReply.unreachable, .refused(.busy)] {
            var world = World([1, 2])
            try world.makeRoom(1, [2])
            let invitation = world.wish(1, .invite(Cast.account(3), Cast.roomIdentity(3)))
            let claim = try require(1, in: &world, isClaim)
            world.take(1, [.reply(claim, reply)])
            try world.say(1, "typed")
            world.settle(for: 100)
            #expect(world.texts(2) == ["typed"])
            #expect(world.players[1]?.room()?.intents.map(\.id) == [invitation])
            world.take(1, [.drop(Cast.room, invitation)])
            world.settle()
            #expect(world.notices(1).contains(.wishFailed(invitation, code: "dropped")))
            world.expectOneEpoch([1, 2])
        }
    }

    @Test("It is asked for again after a while")
    func laterClaim() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        let invitation = world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        let claim = try require(1, in: &world, isClaim)
        world.take(1, [.reply(claim, .refused(.busy))])
        world.settle()
        #expect(world.times(1, isDone: invitation) == 1)
        #expect(world.players[2]?.room()?.standing == .invited)
    }

    @Test("A duty that is refused is tried again later, and nobody is told of it")
    func refusedDuty() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.take(1, [.device(Cast.device(1, keys: 1))])
        let first = world.sent(1)
        let commit = try #require(first)
        world.take(1, [.reply(commit.id, .refused(.invalidCommit(rule: "none")))])
        let second = world.sent(1)
        #expect(second == nil, "it is not sent again at once")
        world.settle()
        #expect(!world.notices(1).contains { if case .wishFailed = $0 { true } else { false } })
        let leaves = world.players[2]?.room()?.members?.leaves(of: Cast.account(1))
        #expect(leaves?.map(\.signatureKey) == [Cast.device(1, keys: 1).signing.publicKey])
        world.expectOneEpoch([1, 2])
    }

    /// The key packages that a person's client offers now.
    private func offer(_ person: UInt8, in world: inout World) throws -> (id: RequestID, keyPackages: [[UInt8]]) {
        let offers = world.asked(person).compactMap { (id, request) -> (id: RequestID, keyPackages: [[UInt8]])? in
            if case .keyPackages(let keyPackages) = request { (id, keyPackages) } else { nil }
        }
        return try #require(offers.first)
    }

    @Test("Key packages that the relay does not take are offered again, and no others are made")
    func refusedKeyPackages() throws {
        var world = World([1])
        let first = try offer(1, in: &world)
        let held = world.players[1]?.core.core.keyPackages.held.count
        for reply in [RelayReply.refused(.busy), .unreachable] {
            world.take(1, [.reply(first.id, reply), .stock(left: 0)])
            let again = try offer(1, in: &world)
            #expect(again.keyPackages == first.keyPackages)
            #expect(world.players[1]?.core.core.keyPackages.held.count == held)
        }
        world.take(1, [.disconnected, .connected, .stock(left: 0)])
        let last = try offer(1, in: &world)
        #expect(last.keyPackages == first.keyPackages)
        world.take(1, [.reply(last.id, .done), .stock(left: 0)])
        let others = try offer(1, in: &world)
        #expect(others.keyPackages != first.keyPackages)
    }

    @Test("A room that the relay refuses to make tells why it waits, and can be left and forgotten")
    func refusedRoom() throws {
        for isLeftFirst in [true, false] {
            var world = World([1])
            world.take(1, [.create(Cast.room, try RoomInfo(name: "garden"), [.membersInvite])])
            let creation = try require(1, in: &world, isCreation)
            let waiting = try world.say(1, "waits")
            let early = isLeftFirst ? world.wish(1, .leave) : nil
            world.take(1, [.reply(creation, .refused(.other(code: "room_taken")))])
            let leaving = early ?? world.wish(1, .leave)
            #expect(world.players[1]?.room()?.standing == .left)
            world.settle(for: 0)
            #expect(world.times(1, isDone: leaving) == 1)
            #expect(world.notices(1).contains(.wishFailed(waiting, code: "no-member")))
            #expect(world.notices(1).contains(.wishWaits(waiting, code: "room_taken")) != isLeftFirst)
            world.take(1, [.forget(Cast.room)])
            #expect(world.players[1]?.room() == nil)
        }
    }

    @Test("An invitation to a room that was begun anew meanwhile can be declined")
    func declinedAfterRenewal() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        #expect(world.players[2]?.room()?.standing == .invited)
        world.wish(1, .renewRoom(above: 0))
        world.settle()
        let last = world.relay.last(of: Cast.room)
        let id = world.wish(2, .leave)
        world.settle()
        #expect(world.players[2]?.room()?.standing == .left)
        #expect(world.times(2, isDone: id) == 1)
        #expect(world.relay.last(of: Cast.room) == last, "nobody hears of it")
        world.take(2, [.forget(Cast.room)])
        #expect(world.players[2]?.room() == nil)
    }
}
