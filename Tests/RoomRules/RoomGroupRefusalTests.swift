import MildamIdentity
import MildamMLS
import MildamWire
import Testing

@testable import MildamRoomRules

/// What binds a group to its room.
@Suite("Rooms, H4: groups that are refused")
struct RoomGroupRefusalTests {
    @Test func groupNamesItsRoom() throws {
        let table = try RoomTable()
        let later: [UInt8] = [2] + table.members.room.wireBytes.dropFirst()
        for extensions in [
            Extensions([RoomExtension.requirements]), Extensions(),
            Extensions([Extension(type: RoomExtension.extensionType, data: later)]),
            Extensions([Extension(type: RoomExtension.extensionType, data: [])]),
        ] {
            #expect(throws: RoomRefusal.broken(.groupNamesItsRoom)) {
                try RoomMembers(leaves: table.members.leaves, extensions: extensions)
            }
            table.expect(.groupNamesItsRoom, table.commit(by: 0, [.extensions(extensions)]))
        }
    }

    @Test func groupStaysInItsRoom() throws {
        let table = try RoomTable()
        let old = table.members.room
        let previous = PreviousGroup(room: old.room, lastNumber: 1, runningHash: [UInt8](repeating: 0, count: 32))
        for room in [
            RoomExtension(room: .random(), roles: old.roles),
            RoomExtension(room: old.room, generation: 1, roles: old.roles),
            RoomExtension(room: old.room, previous: previous, roles: old.roles),
        ] {
            table.expect(.groupStaysInItsRoom, table.commit(by: 0, [.extensions(table.replaced(by: room))]))
        }
        table.accept(table.commit(by: 0, [table.changed { $0.timer = 60 }]))
    }

    @Test func joinedGroupIsOfRoom() throws {
        let members = try RoomTable().members
        try members.check(asGroupOf: RoomTable.roomID, generation: 0, seen: nil)
        for (room, generation) in [(RoomID.random(), UInt64(0)), (RoomTable.roomID, 1)] {
            #expect(throws: RoomRefusal.broken(.joinedGroupIsOfRoom)) {
                try members.check(asGroupOf: room, generation: generation, seen: nil)
            }
        }
    }

    @Test func generationIsNotBelowSeen() throws {
        let members = try RoomTable().members
        try members.check(asGroupOf: RoomTable.roomID, generation: 0, seen: 0)
        #expect(throws: RoomRefusal.broken(.generationIsNotBelowSeen)) {
            try members.check(asGroupOf: RoomTable.roomID, generation: 0, seen: 1)
        }
    }

    @Test func roomIsRequiredOfMembers() throws {
        let table = try RoomTable()
        let without = RequiredCapabilities(extensionTypes: [RoomExtension.extensionType])
        for extensions in [
            [table.members.room.mls],
            [Extension(type: .requiredCapabilities, data: without.wireBytes), table.members.room.mls],
            [Extension(type: .requiredCapabilities, data: [9]), table.members.room.mls],
        ] {
            let members = try RoomMembers(leaves: table.members.leaves, extensions: Extensions(extensions))
            #expect(throws: RoomRefusal.broken(.roomIsRequiredOfMembers)) {
                try members.check(asGroupOf: RoomTable.roomID, generation: 0, seen: nil)
            }
        }
    }

    @Test func infoIsOfDigest() throws {
        let told = WelcomedInfo(salt: Somebody.identifier([6]), info: Array("Engineering".utf8))
        let members = try RoomTable { $0.infoDigest = told.digest }.members
        try members.check(told)
        #expect(WelcomedInfo(in: Extensions([told.mls])) == told)
        #expect(WelcomedInfo(in: Extensions()) == nil && !"\(told)".contains("69, 110"))
        let others = [
            WelcomedInfo(salt: Somebody.identifier([5]), info: told.info),
            WelcomedInfo(salt: told.salt, info: told.info + [0]),
        ]
        for other in others {
            #expect(throws: RoomRefusal.broken(.infoIsOfDigest)) { try members.check(other) }
        }
        let nameless = try RoomTable().members
        #expect(throws: RoomRefusal.broken(.infoIsOfDigest)) { try nameless.check(told) }
    }

    @Test func selfRoomHasOneAccount() throws {
        let own = try RoomTable([RoomTable.alice], more: [RoomTable.alice.leaf(2)]) {
            $0.policy = [.isSelf, .membersInvite]
        }
        own.expect(.selfRoomHasOneAccount, own.commit(by: 0, [.add(RoomTable.bob.leaf())]))
        own.expect(
            .selfRoomHasOneAccount,
            own.commit(by: 0, [own.changed { $0.seats[RoomTable.bob.account] = RoomTable.bob.seat }])
        )
        own.expect(.selfRoomHasOneAccount, own.commit(by: 0, [own.changed { $0.policy = [.membersInvite] }]))
        own.accept(own.commit(by: 0, [.add(RoomTable.alice.leaf(3))]))
        try own.members.check(asGroupOf: RoomTable.roomID, generation: 0, seen: nil)
        let shared = try RoomTable([RoomTable.alice]) {
            $0.policy = [.isSelf]
            $0.seats[RoomTable.bob.account] = RoomTable.bob.seat
        }
        #expect(throws: RoomRefusal.broken(.selfRoomHasOneAccount)) {
            try shared.members.check(asGroupOf: RoomTable.roomID, generation: 0, seen: nil)
        }
        let table = try RoomTable()
        table.expect(.selfRoomHasOneAccount, table.commit(by: 0, [table.changed { $0.policy.insert(.isSelf) }]))
    }
}
