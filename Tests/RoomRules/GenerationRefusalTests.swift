import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamWire
import Testing

@testable import MildamRoomRules

/// The next group of a room. Alice is the owner, Bob an admin, Carol a member; Dave has a seat.
@Suite("Rooms, H9: generations that are refused")
struct GenerationRefusalTests {
    private let people = [RoomTable.alice, RoomTable.bob, RoomTable.carol]
    private let before: RoomTable
    private let context: GroupContext

    init() throws {
        before = try RoomTable(roles: [RoomTable.alice: .owner, RoomTable.bob: .admin]) {
            $0.seats[RoomTable.dave.account] = RoomTable.dave.seat
            $0.lists[RoomTable.dave.account] = ListVersion(number: 4)
        }
        context = try GroupContext(wireBytes: GenerationRefusalTests.context(before.members.extensions))
    }

    private static func context(_ extensions: Extensions) -> [UInt8] {
        var writer = WireWriter()
        ProtocolVersion.mls10.encode(into: &writer)
        CipherSuite.x25519ChaChaPoly.encode(into: &writer)
        GroupID([1, 2, 3]).encode(into: &writer)
        writer.integer(UInt64(7))
        writer.vector([UInt8](repeating: 1, count: 32))
        writer.vector([UInt8](repeating: 2, count: 32))
        extensions.encode(into: &writer)
        return writer.bytes
    }

    /// The group that somebody begins, with a change.
    private func next(
        by founder: Somebody = RoomTable.bob,
        device: UInt8 = 1,
        more: [RoomLeaf] = [],
        generation: UInt64 = 1,
        room: RoomID = RoomTable.roomID,
        previous: PreviousGroup? = nil,
        _ change: (inout RoomExtension) -> Void = { _ in }
    ) throws -> RoomMembers {
        let old = before.members.room
        var extended = RoomExtension(
            room: room,
            generation: generation,
            previous: previous ?? PreviousGroup(endingWith: context),
            roles: old.roles,
            seats: (people + [RoomTable.dave]).filter { $0 != founder }.map(\.seat),
            lists: old.lists,
            policy: old.policy
        )
        change(&extended)
        let leaves = [founder.leaf(device)] + more
        return try RoomMembers(
            leaves: Dictionary(
                uniqueKeysWithValues: leaves.enumerated().map { (LeafIndex(rawValue: UInt32($0.offset)), $0.element) }
            ),
            extensions: Extensions([RoomExtension.requirements, extended.mls])
        )
    }

    private func expect(_ rule: RoomRule, _ members: RoomMembers, _ location: SourceLocation = #_sourceLocation) {
        #expect(throws: RoomRefusal.broken(rule), sourceLocation: location) {
            try members.check(asGenerationAfter: before.members, endingWith: context)
        }
    }

    @Test func whoMayBegin() throws {
        for founder in [RoomTable.alice, RoomTable.bob] {
            try next(by: founder).check(asGenerationAfter: before.members, endingWith: context)
        }
    }

    @Test func generationBeginsWithOneLeaf() throws {
        try expect(.generationBeginsWithOneLeaf, next(more: [RoomTable.bob.leaf(2)]))
    }

    @Test func generationFollowsPrevious() throws {
        try expect(.generationFollowsPrevious, next(generation: 2))
        try expect(.generationFollowsPrevious, next(generation: 0))
        try expect(.generationFollowsPrevious, next(room: .random()))
        var other = context
        other.epoch += 1
        try expect(.generationFollowsPrevious, next(previous: PreviousGroup(endingWith: other)))
        let older = PreviousGroup(room: RoomTable.roomID, lastNumber: 7, runningHash: [UInt8](repeating: 0, count: 32))
        try expect(.generationFollowsPrevious, next(previous: older))
    }

    @Test func generationIsBegunByRight() throws {
        try expect(.generationIsBegunByRight, next(by: RoomTable.carol))
        try expect(.generationIsBegunByRight, next(by: RoomTable.dave))
    }

    @Test func generationIsBegunByKnownDevice() throws {
        try expect(.generationIsBegunByKnownDevice, next(device: 2))
        // Who has a seat alone may begin one, unless a device of theirs was taken out by a list.
        let erin = Somebody(5)
        for written in [[:], [erin.account: ListVersion(number: 4)]] as [[AccountID: ListVersion]] {
            let old = try RoomTable([RoomTable.alice], roles: [RoomTable.alice: .owner, erin: .admin]) {
                $0.seats[erin.account] = erin.seat
                $0.lists = written
            }
            let given = old.members.room
            let room = RoomExtension(
                room: given.room,
                generation: 1,
                previous: PreviousGroup(endingWith: context),
                roles: given.roles,
                seats: [RoomTable.alice.seat],
                lists: given.lists
            )
            let members = try RoomMembers(
                leaves: [LeafIndex(rawValue: 0): erin.leaf()],
                extensions: Extensions([RoomExtension.requirements, room.mls])
            )
            guard !written.isEmpty else {
                try members.check(asGenerationAfter: old.members, endingWith: context)
                continue
            }
            #expect(throws: RoomRefusal.broken(.generationIsBegunByKnownDevice)) {
                try members.check(asGenerationAfter: old.members, endingWith: context)
            }
        }
    }

    @Test("A room begins with one leaf, after no other group, and nobody is kept out of it")
    func firstGroups() throws {
        let alone = [RoomTable.alice]
        let seat = RoomTable.bob.seat
        try RoomTable(alone) { $0.seats[seat.account] = seat }.members.check(asFirstGroupOf: RoomTable.roomID)
        let old = RoomTable.roomID
        let refused: [(RoomMembers, RoomRule)] = try [
            (RoomTable().members, .generationBeginsWithOneLeaf),
            (RoomTable(alone) { $0.lists[seat.account] = ListVersion(number: 1) }.members, .listVersionsFollowRemovals),
            (RoomTable(alone) { $0.leavings[seat.account] = UInt64.max }.members, .leavingsFollowRemovals),
            (following(PreviousGroup(endingWith: context)), .generationFollowsPrevious),
        ]
        for (members, rule) in refused {
            #expect(throws: RoomRefusal.broken(rule)) { try members.check(asFirstGroupOf: old) }
        }
        let older = PreviousGroup(room: old, lastNumber: 7, runningHash: [UInt8](repeating: 0, count: 32))
        try following(older).check(asFirstGroupOf: old)
    }

    /// The first group of a room, which says that something was before it.
    private func following(_ previous: PreviousGroup) throws -> RoomMembers {
        let room = RoomExtension(room: RoomTable.roomID, previous: previous)
        return try RoomMembers(
            leaves: [LeafIndex(rawValue: 0): RoomTable.alice.leaf()],
            extensions: Extensions([RoomExtension.requirements, room.mls])
        )
    }

    @Test func generationKeepsMembers() throws {
        try expect(.generationKeepsMembers, next { $0.seats[RoomTable.carol.account] = nil })
        let stranger = Somebody(5)
        try expect(.generationKeepsMembers, next { $0.seats[stranger.account] = stranger.seat })
        try expect(.generationKeepsMembers, next { $0.seats[RoomTable.carol.account] = RoomTable.carol.successor.seat })
    }

    @Test func generationKeepsRoles() throws {
        try expect(.generationKeepsRoles, next { $0.roles = [RoomTable.bob.account: .owner] })
        try expect(.generationKeepsRoles, next { $0.policy.insert(.membersRemove) })
        try expect(.generationKeepsRoles, next { $0.lists = [:] })
        try expect(.generationKeepsRoles, next { $0.leavings[RoomTable.carol.account] = 1 })
    }
}
