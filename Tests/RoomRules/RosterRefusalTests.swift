import MildamIdentity
import MildamMLS
import Testing

@testable import MildamRoomRules

/// Seats.
@Suite("Rooms, H2: seats that are refused")
struct RosterRefusalTests {
    private let alice = RoomTable.alice
    private let bob = RoomTable.bob
    private let carol = RoomTable.carol
    private let dave = RoomTable.dave

    @Test func aSeatMakesAMember() throws {
        let table = try RoomTable { $0.seats[RoomTable.dave.account] = RoomTable.dave.seat }
        #expect(table.members.contains(dave.account) && !table.members.contains(Somebody(5).account))
        #expect(table.members.accounts == Set([alice, bob, carol, dave].map(\.account)))
        #expect(table.members.identity(of: dave.account) == dave.roomIdentity)
        #expect(table.members.identity(of: Somebody(5).account) == nil)
    }

    @Test func newcomerHasRecordedIdentity() throws {
        let bundle = AccountBundle(
            account: bob.accountRecord(),
            list: Signed(
                DeviceList(relay: Somebody.relay, account: bob.account, number: 7, records: [bob.record(2, since: 7)]),
                by: bob.identity
            ),
            devices: [Signed(bob.record(2, since: 7), by: bob.identity)]
        )
        let recorded = RecordedIdentity(bundle)
        // Whichever list the device's record is of.
        try RoomTable().members.check(newcomer: bob.account, is: recorded)
        try RoomTable([alice]) { $0.seats[RoomTable.bob.account] = RoomTable.bob.seat }
            .members.check(newcomer: bob.account, is: recorded)
        func refused(_ members: RoomMembers, _ location: SourceLocation = #_sourceLocation) {
            #expect(throws: RoomRefusal.broken(.newcomerHasRecordedIdentity), sourceLocation: location) {
                try members.check(newcomer: bob.account, is: recorded)
            }
        }
        try refused(RoomTable([alice, bob.successor]).members)
        let (known, other) = (bob.roomIdentity, carol.roomIdentity)
        for identity in [
            RoomIdentity(key: other.key, rotation: known.rotation, nextIdentity: known.nextIdentity),
            RoomIdentity(key: known.key, rotation: 1, nextIdentity: known.nextIdentity),
            RoomIdentity(key: known.key, rotation: known.rotation, nextIdentity: other.nextIdentity),
        ] {
            let seat = Seat(account: bob.account, identity: identity)
            try refused(RoomTable([alice]) { $0.seats[seat.account] = seat }.members)
            try refused(RoomTable([alice, bob]) { $0.seats[seat.account] = seat }.members)
        }
    }

    @Test func beginnerHasRecordedKey() throws {
        func recorded(_ device: DeviceRecord) -> RecordedIdentity {
            let list = DeviceList(relay: Somebody.relay, account: bob.account, number: 7, records: [device])
            return RecordedIdentity(
                AccountBundle(
                    account: bob.accountRecord(),
                    list: Signed(list, by: bob.identity),
                    devices: [Signed(device, by: bob.identity)]
                )
            )
        }
        let members = try RoomTable([bob]).members
        try members.check(beginner: bob.account, is: recorded(bob.record(1)))
        for device in [bob.record(2), carol.record(1)] {
            #expect(throws: RoomRefusal.broken(.beginnerHasRecordedKey)) {
                try members.check(beginner: bob.account, is: recorded(device))
            }
        }
    }

    @Test("What follows an epoch is what its leaves make")
    func following() throws {
        let table = try RoomTable()
        let next = try table.members.replacing(
            [
                LeafIndex(rawValue: 0): alice.successor.leaf(), LeafIndex(rawValue: 1): nil,
                LeafIndex(rawValue: 3): dave.leaf(),
            ],
            extensions: table.members.extensions
        )
        #expect(next.accounts == Set([alice, carol, dave].map(\.account)))
        #expect(next.identity(of: alice.account) == alice.successor.roomIdentity)
        #expect(!next.contains(bob.account) && next.leaves(of: dave.account) == [dave.leaf()])
        #expect(throws: RoomRefusal.broken(.groupNamesItsRoom)) {
            try table.members.replacing([:], extensions: Extensions([RoomExtension.requirements]))
        }
    }

    @Test func lastLeafLeavesSeat() throws {
        let table = try RoomTable(roles: [alice: .owner])
        let revoked = bob.list(2, [])
        let written = table.changed { $0.lists[RoomTable.bob.account] = ListVersion(number: 2) }
        // Carol has no role: she may take the leaf out, and not the account.
        table.expect(.lastLeafLeavesSeat, table.commit(by: 2, [RoomTable.remove(1), written], [revoked]))
        let seated = table.changed {
            $0.lists[RoomTable.bob.account] = ListVersion(number: 2)
            $0.seats[RoomTable.bob.account] = RoomTable.bob.seat
        }
        table.accept(table.commit(by: 2, [RoomTable.remove(1), seated], [revoked]))
        table.accept(table.commit(by: 0, [RoomTable.remove(1), written], [revoked]))
    }

    @Test func seatIsNeeded() throws {
        let table = try RoomTable()
        let idle = table.changed { $0.seats[RoomTable.bob.account] = RoomTable.bob.seat }
        table.expect(.seatIsNeeded, table.commit(by: 0, [idle]))
        table.accept(table.commit(by: 0, [RoomTable.remove(1), idle]))
        // Nobody stays who leaves, and nobody comes in twice.
        table.expect(.seatIsNeeded, table.commit(by: 0, [idle], leaving: [1]))
        let double = table.changed { $0.seats[RoomTable.dave.account] = RoomTable.dave.seat }
        table.expect(.seatIsNeeded, table.commit(by: 0, [.add(dave.leaf()), double]))
        table.accept(table.commit(by: 0, [double]))
    }

    @Test func seatHasAccountsIdentity() throws {
        let table = try RoomTable()
        let wrong = table.changed { $0.seats[RoomTable.bob.account] = RoomTable.bob.successor.seat }
        table.expect(.seatHasAccountsIdentity, table.commit(by: 0, [RoomTable.remove(1), wrong]))
        let proof = Evidence.succession([bob.successor.accountRecord()])
        table.accept(table.commit(by: 0, [RoomTable.remove(1), wrong], [proof]))
        let mixed = table.changed { $0.seats[RoomTable.dave.account] = RoomTable.dave.successor.seat }
        table.expect(.seatHasAccountsIdentity, table.commit(by: 0, [.add(dave.leaf()), mixed]))
        // The same key, and another one to follow it.
        let other = RoomIdentity(key: bob.identity.publicKey, rotation: 0, nextIdentity: alice.nextIdentity)
        let committed = table.changed {
            $0.seats[RoomTable.bob.account] = Seat(account: RoomTable.bob.account, identity: other)
        }
        table.expect(.seatHasAccountsIdentity, table.commit(by: 0, [RoomTable.remove(1), committed]))
    }

    @Test("A seat beside a leaf may go; to drop the seat of who has nothing else is to put them out")
    func droppedSeats() throws {
        let beside = try RoomTable { $0.seats[RoomTable.bob.account] = RoomTable.bob.seat }
        beside.accept(beside.commit(by: 2, [beside.changed { $0.seats = [:] }]))
        let alone = try RoomTable { $0.seats[RoomTable.dave.account] = RoomTable.dave.seat }
        alone.expect(.removerMayRemove, alone.commit(by: 2, [alone.changed { $0.seats = [:] }]))
        alone.accept(alone.commit(by: 0, [alone.changed { $0.seats = [:] }]))
    }

    @Test("Who has a seat comes in with the identity that it names, or with one that it leads to")
    func seatsAreTaken() throws {
        let table = try RoomTable { $0.seats[RoomTable.dave.account] = RoomTable.dave.seat }
        table.accept(table.join(as: dave.leaf(), [], [dave.list(1, [1])]))
        let next = dave.successor
        for chain in [[], [dave.accountRecord()], [next.successor.accountRecord()]] {
            table.expect(.entrantHasAccountsIdentity, table.adding(next, chain))
        }
        table.accept(table.adding(next, [next.accountRecord()]))
        table.accept(table.adding(next.successor, [next.accountRecord(), next.successor.accountRecord()]))
    }
}

extension RoomTable {
    /// The first member adds somebody, whose identity these records lead to.
    fileprivate func adding(_ person: Somebody, _ chain: [Signed<AccountRecord>]) -> RoomCommit {
        commit(by: 0, [.add(person.leaf())], [person.list(1, [1]), .succession(chain)])
    }
}
