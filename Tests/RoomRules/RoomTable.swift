import MildamIdentity
import MildamMLS
import MildamWire
import Testing

@testable import MildamRoomRules

/// People in a room, each of whom has one leaf, in their order; the first is its owner unless it is said otherwise.
struct RoomTable {
    static let roomID: RoomID = Somebody.identifier([7])
    static let alice = Somebody(1)
    static let bob = Somebody(2)
    static let carol = Somebody(3)
    /// Who is not there.
    static let dave = Somebody(4)

    let members: RoomMembers

    init(
        _ people: [Somebody] = [RoomTable.alice, RoomTable.bob, RoomTable.carol],
        more: [RoomLeaf] = [],
        roles: [Somebody: RoomRole]? = nil,
        _ change: (inout RoomExtension) -> Void = { _ in }
    ) throws {
        var room = RoomExtension(room: RoomTable.roomID)
        let given: [Somebody: RoomRole] = roles ?? people.first.map { [$0: .owner] } ?? [:]
        for (person, role) in given { room.roles[person.account] = role }
        change(&room)
        let leaves = people.map { $0.leaf() } + more
        members = try RoomMembers(
            leaves: Dictionary(
                uniqueKeysWithValues: leaves.enumerated().map { (LeafIndex(rawValue: UInt32($0.offset)), $0.element) }
            ),
            extensions: Extensions([RoomExtension.requirements, room.mls])
        )
    }

    /// The group's extensions, with a change in what binds it to its room.
    func changed(_ change: (inout RoomExtension) -> Void) -> RoomCommit.Change {
        var room = members.room
        change(&room)
        return .extensions(replaced(by: room))
    }

    func replaced(by room: RoomExtension) -> Extensions {
        Extensions(
            members.extensions.list.map { $0.type == RoomExtension.extensionType ? room.mls : $0 }
        )
    }

    static func remove(_ index: UInt32) -> RoomCommit.Change { .remove(LeafIndex(rawValue: index)) }

    static func selfRemove(_ index: UInt32) -> RoomCommit.Entry {
        RoomCommit.Entry(.selfRemove(LeafIndex(rawValue: index)), isByReference: true)
    }

    /// A commit of the member at a place.
    func commit(
        by index: UInt32,
        _ changes: [RoomCommit.Change] = [],
        _ evidence: [Evidence] = [],
        leaving: [UInt32] = [],
        pathLeaf: RoomLeaf? = nil
    ) -> RoomCommit {
        RoomCommit(
            by: .member(LeafIndex(rawValue: index)),
            changes.map { RoomCommit.Entry($0) } + leaving.map(RoomTable.selfRemove),
            pathLeaf: pathLeaf,
            authenticatedData: CommitReason(evidence: evidence).wireBytes
        )
    }

    /// A commit of somebody who comes in from outside.
    func join(
        as leaf: RoomLeaf,
        _ changes: [RoomCommit.Change] = [],
        _ evidence: [Evidence] = [],
        leaving: [UInt32] = []
    ) -> RoomCommit {
        RoomCommit(
            by: .newMember,
            ([.externalInit] + changes).map { RoomCommit.Entry($0) } + leaving.map(RoomTable.selfRemove),
            pathLeaf: leaf,
            authenticatedData: CommitReason(evidence: evidence).wireBytes
        )
    }

    func expect(
        _ rule: RoomRule,
        _ commit: RoomCommit,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: RoomRefusal.broken(rule), sourceLocation: location) { try members.check(commit) }
    }

    func accept(_ commit: RoomCommit, _ location: SourceLocation = #_sourceLocation) {
        #expect(throws: Never.self, sourceLocation: location) { try members.check(commit) }
    }
}
