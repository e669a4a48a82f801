import MildamIdentity
import MildamMLS
import MildamWire
import Testing

@testable import MildamRoomRules

/// Why a commit was made.
@Suite("Rooms, H8: evidence that is refused")
struct EvidenceRefusalTests {
    private let alice = RoomTable.alice
    private let bob = RoomTable.bob
    private let carol = RoomTable.carol
    private let dave = RoomTable.dave

    private func commit(saying data: [UInt8]) -> RoomCommit {
        RoomCommit(by: .member(LeafIndex(rawValue: 0)), authenticatedData: data)
    }

    @Test func reasonIsBounded() throws {
        let table = try RoomTable()
        let list = bob.list(1, [1])
        var evidence: [Evidence] = []
        while CommitReason(evidence: evidence + [list]).wireBytes.count <= RoomLimits.reason { evidence.append(list) }
        table.accept(commit(saying: CommitReason(evidence: evidence).wireBytes))
        table.expect(.reasonIsBounded, commit(saying: CommitReason(evidence: evidence + [list]).wireBytes))
        let huge = [UInt8](repeating: 0, count: 16 << 20)
        table.expect(.reasonIsBounded, commit(saying: huge))
    }

    @Test func reasonIsReadable() throws {
        let table = try RoomTable()
        let good = CommitReason(evidence: [bob.list(1, [1])]).wireBytes
        table.accept(commit(saying: good))
        for data in [[], [0, 0, 0], [2, 0, 0], good + [0], Array(good.dropLast()), [1, 0, 2, 9, 0]] as [[UInt8]] {
            table.expect(.reasonIsReadable, commit(saying: data))
        }
    }

    @Test func removalByListIsWritten() throws {
        let table = try RoomTable(more: [bob.leaf(2)])
        let removal = [RoomTable.remove(1)]
        let list = bob.list(3, [2])
        table.expect(.removalByListIsWritten, table.commit(by: 2, removal, [list]))
        table.expect(.removalByListIsWritten, table.commit(by: 0, removal, [list]))
        let written = table.changed { $0.lists[RoomTable.bob.account] = ListVersion(number: 3) }
        table.accept(table.commit(by: 2, removal + [written], [list]))
    }

    @Test func listVersionsFollowRemovals() throws {
        let carols = ListVersion(number: 5)
        let table = try RoomTable(more: [bob.leaf(2)]) { $0.lists[RoomTable.carol.account] = carols }
        for change in [
            table.changed { $0.lists[RoomTable.bob.account] = ListVersion(number: 3) },
            table.changed { $0.lists[RoomTable.carol.account] = ListVersion(number: 6) },
            table.changed { $0.lists[RoomTable.carol.account] = ListVersion(rotation: 1, number: 1) },
            table.changed { $0.lists[RoomTable.carol.account] = ListVersion(number: 4) },
            table.changed { $0.lists = [:] },
        ] {
            table.expect(.listVersionsFollowRemovals, table.commit(by: 0, [change]))
            table.expect(.listVersionsFollowRemovals, table.commit(by: 0, [change], [bob.list(3, [2])]))
        }
        // By the list that was shown, and by no other.
        let other = table.changed { $0.lists[RoomTable.bob.account] = ListVersion(number: 4) }
        let removal = table.commit(by: 0, [RoomTable.remove(1), other])
        table.expect(.listVersionsFollowRemovals, removal)
    }

    @Test func listIsAsNewAsWritten() throws {
        let table = try RoomTable { $0.lists[RoomTable.bob.account] = ListVersion(number: 5) }
        let add: [RoomCommit.Change] = [.add(bob.leaf(2))]
        table.expect(.listIsAsNewAsWritten, table.commit(by: 2, add, [bob.list(4, [1, 2])]))
        table.expect(.listIsAsNewAsWritten, table.commit(by: 1, add))
        table.expect(.listIsAsNewAsWritten, table.join(as: bob.leaf(2), [], [bob.list(4, [1, 2])]))
        table.accept(table.commit(by: 1, add, [bob.list(5, [1, 2])]))
        table.accept(table.join(as: bob.leaf(2), [], [bob.list(6, [1, 2])]))
        // Also for an account that was put out since.
        let gone = try RoomTable { $0.lists[RoomTable.dave.account] = ListVersion(number: 5) }
        gone.expect(.listIsAsNewAsWritten, gone.commit(by: 0, [.add(dave.leaf())], [dave.list(4, [1])]))
        gone.accept(gone.commit(by: 0, [.add(dave.leaf())], [dave.list(5, [1])]))
    }

    @Test("A list of a stolen key, whatever its number, is older than those of the identity that follows")
    func listsOfAStolenKey() throws {
        // Bob's leaf 3 is a thief's, whose list and record say the largest numbers that there are.
        let table = try RoomTable(more: [bob.leaf(2, since: .max)]) {
            $0.lists[RoomTable.bob.account] = ListVersion(number: .max)
        }
        let next = bob.successor
        let proof = Evidence.succession([next.accountRecord()])
        let written = table.changed {
            $0.lists[RoomTable.bob.account] = ListVersion(rotation: 1, number: 2)
        }
        table.expect(.leafRemovalIsJustified, table.commit(by: 2, [RoomTable.remove(3)], [bob.list(9, [1])]))
        table.accept(table.commit(by: 2, [RoomTable.remove(3), written], [proof, next.list(2, [1])]))
        table.accept(table.join(as: next.leaf(), [RoomTable.remove(1)], [proof, next.list(2, [1])]))
        table.expect(.listIsAsNewAsWritten, table.join(as: bob.leaf(), [RoomTable.remove(1)], [bob.list(9, [1])]))
    }

    @Test("Of each kind of evidence the first piece about an account counts")
    func firstPieces() throws {
        let table = try RoomTable()
        let records = [bob.record(1), bob.record(2)]
        let list = DeviceList(relay: Somebody.relay, account: bob.account, number: 2, records: records)
        let (forged, good) = (Evidence.deviceList(Signed(list, by: carol.identity)), bob.list(2, [1, 2]))
        let join = table.join(as: bob.leaf(2), [], [forged, good])
        table.expect(.externalCommitShowsList, join)
        table.accept(table.join(as: bob.leaf(2), [], [carol.list(2, [1]), good, forged]))
    }

    @Test("A list older than a record takes out nobody, and nobody's list does another's")
    func otherLists() throws {
        let table = try RoomTable([alice, carol], more: [bob.leaf(1, since: 3), bob.leaf(2)])
        let written = table.changed { $0.lists[RoomTable.bob.account] = ListVersion(number: 2) }
        for evidence in [[bob.list(2, [2])], [carol.list(3, [2])], [bob.successor.list(3, [2])]] {
            table.expect(.leafRemovalIsJustified, table.commit(by: 1, [RoomTable.remove(2), written], evidence))
        }
        let newer = table.changed { $0.lists[RoomTable.bob.account] = ListVersion(number: 3) }
        table.accept(table.commit(by: 1, [RoomTable.remove(2), newer], [bob.list(3, [2])]))
    }
}
