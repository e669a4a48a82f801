import MildamIdentity
import MildamMLS
import MildamWire
import Testing

@testable import MildamRoomRules

/// Who may commit what. Alice is the owner; Bob and Carol have no role.
@Suite("Rooms, H5: commits that are refused")
struct CommitterRefusalTests {
    private let alice = RoomTable.alice
    private let bob = RoomTable.bob
    private let carol = RoomTable.carol
    private let dave = RoomTable.dave

    @Test("Nothing, or a path alone, is anybody's to commit")
    func emptyCommits() throws {
        let table = try RoomTable()
        for index: UInt32 in 0..<3 { table.accept(table.commit(by: index)) }
        table.accept(table.commit(by: 1, pathLeaf: bob.leaf()))
        table.accept(table.commit(by: 1, leaving: [2]))
    }

    @Test func committerHasLeaf() throws {
        let table = try RoomTable()
        table.expect(.committerHasLeaf, table.commit(by: 7))
        let without = RoomCommit(by: .newMember, authenticatedData: CommitReason().wireBytes)
        table.expect(.committerHasLeaf, without)
    }

    @Test func othersProposalsAreSelfRemoves() throws {
        let table = try RoomTable()
        let reason = CommitReason().wireBytes
        let leaf = LeafIndex(rawValue: 1)
        for change in [RoomCommit.Change.remove(leaf), .add(alice.leaf(2)), .extensions(table.members.extensions)] {
            let entry = RoomCommit.Entry(change, isByReference: true)
            let commit = RoomCommit(by: .member(LeafIndex(rawValue: 0)), [entry], authenticatedData: reason)
            table.expect(.othersProposalsAreSelfRemoves, commit)
        }
        table.accept(table.commit(by: 0, leaving: [1, 2]))
    }

    @Test func proposalIsOfAllowedKind() throws {
        let table = try RoomTable()
        table.expect(.proposalIsOfAllowedKind, table.commit(by: 0, [.other]))
    }

    @Test func otherExtensionsStay() throws {
        let table = try RoomTable()
        let list = table.members.extensions.list
        let senders = Extension(type: .externalSenders, data: [0])
        for extensions in [list + [senders], list.filter { $0.type != .requiredCapabilities }] {
            table.expect(.otherExtensionsStay, table.commit(by: 0, [.extensions(Extensions(extensions))]))
        }
        table.accept(table.commit(by: 1, [.extensions(table.members.extensions)]))
    }

    @Test func externalCommitterIsMember() throws {
        let table = try RoomTable()
        table.expect(.externalCommitterIsMember, table.join(as: dave.leaf(), [], [dave.list(1, [1])]))
        table.accept(table.join(as: bob.leaf(2), [], [bob.list(1, [1, 2])]))
    }

    @Test func externalCommitReplacesOwnLeaf() throws {
        let table = try RoomTable(more: [bob.leaf(2)])
        let list = bob.list(2, [1, 2, 3])
        table.expect(.externalCommitReplacesOwnLeaf, table.join(as: bob.leaf(3), [RoomTable.remove(1)], [list]))
        table.expect(.externalCommitReplacesOwnLeaf, table.join(as: bob.leaf(3), [RoomTable.remove(2)], [list]))
        table.accept(table.join(as: bob.leaf(2), [RoomTable.remove(3)], [list]))
        table.accept(table.join(as: bob.leaf(2), [RoomTable.remove(3)], [list], leaving: [2]))
    }

    @Test func externalCommitShowsList() throws {
        let table = try RoomTable()
        for evidence in [[], [bob.list(2, [1])], [carol.list(2, [1, 2])], [Somebody(2, rotation: 1).list(2, [1, 2])]] {
            table.expect(.externalCommitShowsList, table.join(as: bob.leaf(2), [], evidence))
        }
        table.accept(table.join(as: bob.leaf(2), [], [bob.list(2, [1, 2])]))
    }

    @Test func externalCommitFollowsLeaf() throws {
        let table = try RoomTable(more: [bob.leaf(2, since: 3)])
        let replacing = [RoomTable.remove(3)]
        table.expect(.externalCommitFollowsLeaf, table.join(as: bob.leaf(2), replacing, [bob.list(2, [1, 2])]))
        table.accept(table.join(as: bob.leaf(2), replacing, [bob.list(3, [1, 2])]))
        // Another identity's lists come after all of the one before.
        let (next, proof) = (bob.successor, Evidence.succession([bob.successor.accountRecord()]))
        table.accept(table.join(as: next.leaf(2), replacing, [proof, next.list(2, [2])]))
    }

    @Test func addToAccountShowsList() throws {
        let table = try RoomTable()
        for evidence in [[], [bob.list(2, [1])], [carol.list(2, [1, 2])]] {
            table.expect(.addToAccountShowsList, table.commit(by: 2, [.add(bob.leaf(2))], evidence))
        }
        table.accept(table.commit(by: 2, [.add(bob.leaf(2))], [bob.list(2, [1, 2])]))
        table.accept(table.commit(by: 1, [.add(bob.leaf(2))]))
    }

    @Test func inviterMayInvite() throws {
        let closed = try RoomTable(roles: [alice: .owner, bob: .admin]) { $0.policy = [] }
        let seated = closed.changed { $0.seats[RoomTable.dave.account] = RoomTable.dave.seat }
        for change in [RoomCommit.Change.add(dave.leaf()), seated] {
            closed.expect(.inviterMayInvite, closed.commit(by: 2, [change]))
            closed.accept(closed.commit(by: 1, [change]))
            closed.accept(closed.commit(by: 0, [change]))
        }
        let open = try RoomTable()
        open.accept(open.commit(by: 2, [.add(dave.leaf()), .add(dave.leaf(2))]))
    }

    @Test func removerMayRemove() throws {
        let table = try RoomTable(roles: [alice: .owner, bob: .admin])
        table.expect(.removerMayRemove, table.commit(by: 2, [RoomTable.remove(1)]))
        table.expect(.removerMayRemove, table.commit(by: 1, [RoomTable.remove(0)]))
        table.accept(table.commit(by: 1, [RoomTable.remove(2)]))
        let open = try RoomTable { $0.policy = [.membersRemove] }
        open.accept(open.commit(by: 1, [RoomTable.remove(2)]))
        open.expect(.removerMayRemove, open.commit(by: 1, [RoomTable.remove(0)]))
        let owners = try RoomTable(roles: [alice: .owner, bob: .owner])
        owners.expect(.removerMayRemove, owners.commit(by: 0, [RoomTable.remove(1)]))
        // Where nobody has a role, everybody has an admin's.
        let equals = try RoomTable(roles: [:])
        equals.accept(equals.commit(by: 2, [RoomTable.remove(1)]))
        // What lets an account go lets nobody else go.
        table.expect(.removerMayRemove, table.commit(by: 2, [RoomTable.remove(1)], [carol.leaving(table.members.room)]))
    }

    @Test("Who leaves, or is no more, may be taken out by anybody")
    func whoLeaves() throws {
        let table = try RoomTable()
        let room = table.members.room
        let removed = [RoomTable.remove(1), table.changed { $0.leavings[RoomTable.bob.account] = 7 }]
        table.accept(table.commit(by: 2, removed, [bob.leaving(room)]))
        table.accept(table.commit(by: 2, [RoomTable.remove(0)], [alice.closing()]))
        let forged = Evidence.closing(
            Signed(AccountClosing(relay: Somebody.relay, account: bob.account), by: carol.identity)
        )
        let before = RoomExtension(room: room.room, generation: 1)
        for evidence in [[forged], [bob.leaving(before)], [bob.leaving(room, device: 2)]] {
            table.expect(.removerMayRemove, table.commit(by: 2, removed, evidence))
        }

        let seated = try RoomTable { $0.seats[RoomTable.dave.account] = RoomTable.dave.seat }
        let dropped = seated.changed {
            $0.seats = [:]
            $0.leavings[RoomTable.dave.account] = 7
        }
        let shown = dave.leaving(room, shown: true)
        seated.accept(seated.commit(by: 2, [dropped], [dave.list(1, [1]), shown]))
        for evidence in [[shown], [dave.list(1, [2]), shown], [dave.list(1, [1]), dave.leaving(room)]] {
            seated.expect(.removerMayRemove, seated.commit(by: 2, [dropped], evidence))
        }
    }

    @Test("Who was invited again is not put out by what they said before")
    func whoCameBack() throws {
        let table = try RoomTable { $0.leavings[RoomTable.bob.account] = 7 }
        let room = table.members.room
        func removal(_ epoch: UInt64) -> RoomCommit {
            let written = table.changed { $0.leavings[RoomTable.bob.account] = epoch }
            return table.commit(by: 2, [RoomTable.remove(1), written], [bob.leaving(room, epoch: epoch)])
        }
        for epoch: UInt64 in [6, 7] { table.expect(.removerMayRemove, removal(epoch)) }
        table.accept(removal(8))
    }

    @Test func leafRemovalIsJustified() throws {
        let people = try RoomTable([alice, bob, carol], more: [bob.leaf(2)])
        people.expect(.leafRemovalIsJustified, people.commit(by: 2, [RoomTable.remove(1)]))
        people.expect(.leafRemovalIsJustified, people.commit(by: 2, [RoomTable.remove(1)], [bob.list(2, [1, 2])]))
        people.accept(people.commit(by: 0, [RoomTable.remove(1)]))
        people.accept(people.commit(by: 1, [RoomTable.remove(3)]))
        let written = people.changed { $0.lists[RoomTable.bob.account] = ListVersion(number: 2) }
        people.accept(people.commit(by: 2, [RoomTable.remove(1), written], [bob.list(2, [2])]))
    }

    @Test func rolesAreChangedByOwners() throws {
        let table = try RoomTable(roles: [alice: .owner, bob: .admin])
        let raised = table.changed { $0.roles[RoomTable.carol.account] = .admin }
        table.expect(.rolesAreChangedByOwners, table.commit(by: 1, [raised]))
        table.expect(.rolesAreChangedByOwners, table.commit(by: 2, [table.changed { $0.roles = [:] }]))
        table.accept(table.commit(by: 0, [raised]))
        // Where there is no owner, admins; where there is no admin either, everybody.
        let admins = try RoomTable(roles: [bob: .admin])
        admins.expect(.rolesAreChangedByOwners, admins.commit(by: 2, [admins.changed { $0.roles = [:] }]))
        admins.accept(admins.commit(by: 1, [admins.changed { $0.roles[RoomTable.bob.account] = .owner }]))
        let nobody = try RoomTable(roles: [dave: .owner])
        nobody.accept(nobody.commit(by: 2, [nobody.changed { $0.roles = [RoomTable.carol.account: .owner] }]))
        // A role that was somebody's before they went is not theirs again.
        nobody.accept(nobody.commit(by: 2, [.add(dave.leaf()), nobody.changed { $0.roles = [:] }]))
        let gone = try RoomTable(roles: [alice: .owner, dave: .owner])
        gone.expect(.rolesAreChangedByOwners, gone.commit(by: 1, [.add(dave.leaf())]))
        gone.accept(gone.commit(by: 1, [.add(dave.leaf()), gone.changed { $0.roles[RoomTable.dave.account] = nil }]))
    }

    @Test func rolesAreOfMembers() throws {
        let table = try RoomTable()
        let given = table.changed { $0.roles[RoomTable.dave.account] = .admin }
        table.expect(.rolesAreOfMembers, table.commit(by: 0, [given]))
        table.accept(table.commit(by: 0, [.add(dave.leaf()), given]))
    }

    @Test func policyIsChangedByOwners() throws {
        let table = try RoomTable(roles: [alice: .owner, bob: .admin])
        let opened = table.changed { $0.policy.insert(.membersRemove) }
        table.expect(.policyIsChangedByOwners, table.commit(by: 1, [opened]))
        table.expect(.policyIsChangedByOwners, table.commit(by: 2, [opened]))
        table.accept(table.commit(by: 0, [opened]))
    }

    @Test func descriptionIsChangedByRight() throws {
        let table = try RoomTable(roles: [alice: .owner, bob: .admin])
        for change in [
            table.changed { $0.timer = 60 }, table.changed { $0.infoDigest = [UInt8](repeating: 1, count: 32) },
        ] {
            table.expect(.descriptionIsChangedByRight, table.commit(by: 2, [change]))
            table.accept(table.commit(by: 1, [change]))
        }
        let open = try RoomTable { $0.policy = [.membersDescribe] }
        open.accept(open.commit(by: 2, [open.changed { $0.timer = 60 }]))
    }
}
