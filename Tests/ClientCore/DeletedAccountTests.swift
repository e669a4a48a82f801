import MildamClientCore
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@Suite("Accounts that their owners have deleted, in the rooms that they were in (H29)")
struct DeletedAccountTests {
    /// The end of a person's account, signed by its own key or by another person's.
    private func closing(_ person: UInt8, by other: UInt8? = nil) throws -> KnownClosing {
        let signer = other ?? person
        return try KnownClosing(
            Signed(AccountClosing(relay: Cast.relay, account: Cast.account(person)), by: Cast.identity(signer)),
            of: Cast.account(person),
            on: Cast.relay,
            asAnyOf: [Cast.roomIdentity(signer)]
        )
    }

    private func members(_ person: UInt8, _ world: World) throws -> RoomMembers {
        try #require(world.players[person]?.room()?.members)
    }

    private func accounts(_ people: [UInt8]) -> Set<AccountID> { Set(people.map { Cast.account($0) }) }

    @Test("The only owner's goes, with its role; once, though all know of it; and the others have an owner's rights")
    func onlyOwner() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        world.disconnect(1)
        let refused = world.wish(2, .policy([]))
        world.settle()
        let code = RoomRule.policyIsChangedByOwners.rawValue
        #expect(world.notices(2).contains(.wishFailed(refused, code: code)))
        for person: UInt8 in 2...3 { world.take(person, [.closing(try closing(1))]) }
        world.settle()
        world.expectOneEpoch([2, 3])
        for person: UInt8 in 2...3 {
            let found = try members(person, world)
            #expect(found.accounts == accounts([2, 3]))
            #expect(found.room.roles.isEmpty)
            let gone = ShownEntry.Kind.members(joined: [], left: [Cast.account(1)])
            #expect(world.entries(person).count { $0.kind == gone } == 1)
        }
        let id = world.wish(2, .policy([]))
        world.settle()
        #expect(world.times(2, isDone: id) == 1)
        try world.say(3, "on we go")
        world.settle()
        #expect(world.texts(2) == ["on we go"])
    }

    @Test("A seat goes as a leaf does")
    func seat() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2])
        world.relay.dropKeyPackages(of: Cast.account(3))
        world.wish(1, .invite(Cast.account(3), Cast.roomIdentity(3)))
        world.settle()
        #expect(try members(2, world).room.seats[Cast.account(3)] != nil)
        world.disconnect(3)
        world.take(2, [.closing(try closing(3))])
        world.settle()
        #expect(try members(1, world).accounts == accounts([1, 2]))
        world.expectOneEpoch([1, 2])
    }

    @Test("Who was leaving and is no more goes by what they had said of it")
    func leaver() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        for person: UInt8 in 1...2 { world.disconnect(person) }
        world.wish(3, .leave)
        world.settle()
        world.disconnect(3)
        world.take(2, [.closing(try closing(3))])
        for person: UInt8 in 1...2 { world.connect(person) }
        world.settle()
        #expect(try members(2, world).accounts == accounts([1, 2]))
        world.expectOneEpoch([1, 2])
    }

    @Test("By another key than the account has in the room, nothing is done")
    func otherKey() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        let last = world.relay.last(of: Cast.room)
        world.take(1, [.closing(try closing(2, by: 3))])
        world.settle(for: 60_000)
        #expect(try members(1, world).contains(Cast.account(2)))
        #expect(world.relay.last(of: Cast.room) == last)
        world.expectOneEpoch([1, 2, 3])
    }

    @Test("What no key of the account has signed, and the end of another account or relay, is not believed")
    func refused() {
        let (bob, identity) = (Cast.account(2), Cast.roomIdentity(2))
        let end = AccountClosing(relay: Cast.relay, account: bob)
        #expect(throws: IdentityError.badSignature(AccountClosing.label.text)) {
            try KnownClosing(Signed(end, by: Cast.identity(3)), of: bob, on: Cast.relay, asAnyOf: [identity])
        }
        let elsewhere = AccountClosing(relay: Cast.identifier([8]), account: bob)
        let another = AccountClosing(relay: Cast.relay, account: Cast.account(3))
        for other in [elsewhere, another] {
            #expect(throws: IdentityError.notWhatWasAsked("account")) {
                try KnownClosing(Signed(other, by: Cast.identity(2)), of: bob, on: Cast.relay, asAnyOf: [identity])
            }
        }
    }

    @Test("A room that is asleep wakes for it, whether the account has a leaf there or a seat")
    func asleep() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2])
        world.relay.dropKeyPackages(of: Cast.account(3))
        world.wish(1, .invite(Cast.account(3), Cast.roomIdentity(3)))
        world.settle()
        let room = try #require(world.players[2]?.room())
        let moment = Moment(steady: 1, wall: 1)
        for gone: UInt8 in [1, 3] {
            let stored = StoredClient(rooms: [room.atBeginning])
            var core = ClientCore(Cast.device(2), stored: stored, randomness: SeededSource.source(9))
            _ = core.step([.connected], at: moment)
            let before = core.sleepers(neededBy: [.tick], at: moment)
            #expect(before.isEmpty)
            _ = core.step([.closing(try closing(gone))], at: moment)
            let after = core.sleepers(neededBy: [.tick], at: moment)
            #expect(after == [Cast.room])
        }
    }
}
