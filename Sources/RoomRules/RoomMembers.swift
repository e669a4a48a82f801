import MildamIdentity
import MildamMLS

/// Who is in a room and what they may do, in one epoch: its tree's leaves and what the group's context says (H2, H5).
public struct RoomMembers: Sendable {
    /// The leaves.
    public private(set) var leaves: [LeafIndex: RoomLeaf]
    /// Where each account's leaves are.
    private var places: [AccountID: Set<LeafIndex>] = [:]
    /// What each leaf says of itself, as far as it was read from a group: of an equal one nothing is read anew.
    private var credentials: [LeafIndex: Credential] = [:]
    /// The group's extensions.
    public private(set) var extensions: Extensions
    /// What binds the group to a room.
    public private(set) var room: RoomExtension

    /// The members of a group.
    ///
    /// - Throws: `groupNamesItsRoom` for a group that is no room's, or a room's of a later version.
    public init(leaves: [LeafIndex: RoomLeaf], extensions: Extensions) throws(RoomRefusal) {
        room = try required(.groupNamesItsRoom, RoomExtension(in: extensions))
        self.extensions = extensions
        self.leaves = leaves
        for (index, leaf) in leaves { places[leaf.account, default: []].insert(index) }
    }

    /// The members of a group whose leaves were looked at when they came in.
    ///
    /// - Throws: a ``RoomRefusal`` for a group that is no room's.
    public init(of group: PublicGroup) throws(RoomRefusal) {
        var leaves: [LeafIndex: RoomLeaf] = [:]
        var credentials: [LeafIndex: Credential] = [:]
        for (index, leaf) in group.members {
            leaves[index] = try RoomLeaf(inTree: leaf)
            credentials[index] = leaf.credential
        }
        try self.init(leaves: leaves, extensions: group.context.extensions)
        self.credentials = credentials
    }

    /// The same, where the members of another epoch are known: a leaf whose credential is the same is not read anew.
    ///
    /// - Throws: a ``RoomRefusal`` for a group that is no room's.
    public init(of group: PublicGroup, after known: RoomMembers) throws(RoomRefusal) {
        var changed: [LeafIndex: RoomLeaf?] = [:]
        var credentials: [LeafIndex: Credential] = [:]
        let members = group.members
        var stayed = 0
        for (index, leaf) in members {
            if known.leaves[index] != nil { stayed += 1 }
            guard known.credentials[index] != leaf.credential else { continue }
            changed[index] = .some(try RoomLeaf(inTree: leaf))
            credentials[index] = leaf.credential
        }
        if stayed < known.leaves.count {
            let present = Set(members.map { $0.index })
            for index in known.leaves.keys where !present.contains(index) { changed[index] = .some(nil) }
        }
        self = try known.replacing(changed, extensions: group.context.extensions)
        for (index, credential) in credentials { self.credentials[index] = credential }
    }

    /// The members of the next epoch, where few leaves are others than before: what stays is not looked at again.
    ///
    /// - Parameters:
    ///   - changed: the leaves that came in or have new content, and `nil` for those that are blank now.
    ///   - extensions: the group's, as they are then.
    /// - Throws: `groupNamesItsRoom`.
    public func replacing(
        _ changed: [LeafIndex: RoomLeaf?],
        extensions: Extensions
    ) throws(RoomRefusal) -> RoomMembers {
        var next = self
        if extensions != self.extensions {
            next.room = try required(.groupNamesItsRoom, RoomExtension(in: extensions))
            next.extensions = extensions
        }
        for (index, leaf) in changed {
            if let old = next.leaves[index]?.account {
                next.places[old]?.remove(index)
                if next.places[old]?.isEmpty ?? false { next.places[old] = nil }
            }
            next.leaves[index] = leaf
            next.credentials[index] = nil
            if let leaf { next.places[leaf.account, default: []].insert(index) }
        }
        return next
    }

    /// Every account that has a leaf or a seat.
    public var accounts: Set<AccountID> { Set(places.keys).union(room.seats.keys) }

    /// Whether an account has a leaf or a seat.
    public func contains(_ account: AccountID) -> Bool { places[account] != nil || room.seats[account] != nil }

    /// An account's leaves.
    public func leaves(of account: AccountID) -> [RoomLeaf] { (places[account] ?? []).compactMap { leaves[$0] } }

    /// An account's identity: of its leaves and its seat, the one with the highest rotation. `nil` for no member.
    public func identity(of account: AccountID) -> RoomIdentity? {
        let seat = room.seats[account].map { [$0.identity] } ?? []
        return (leaves(of: account).map(\.identity) + seat).max { $0.rotation < $1.rotation }
    }

    /// What an account may do; what is said of those who are no members means nothing.
    public func role(of account: AccountID) -> RoomRole {
        contains(account) ? room.roles[account] ?? .member : .member
    }

    private func hasAny(_ role: RoomRole) -> Bool { room.roles.contains { $0.value == role && contains($0.key) } }

    /// Whether an account has an owner's rights: owners; where there is none, admins; where there is none either, everybody.
    public func hasOwnersRights(_ account: AccountID) -> Bool {
        guard !hasAny(.owner) else { return role(of: account) == .owner }
        return !hasAny(.admin) || role(of: account) == .admin
    }

    /// Whether an account has an admin's rights: owners and admins; where there is neither, everybody.
    public func hasAdminsRights(_ account: AccountID) -> Bool {
        role(of: account) > .member || !hasAny(.owner) && !hasAny(.admin)
    }

    /// Whether an account may bring others in.
    public func mayInvite(_ account: AccountID) -> Bool {
        hasAdminsRights(account) || room.policy.contains(.membersInvite)
    }

    /// Whether an account may put another one out.
    public func mayRemove(_ other: AccountID, by account: AccountID) -> Bool {
        role(of: other) != .owner && (hasAdminsRights(account) || room.policy.contains(.membersRemove))
    }

    /// Whether an account may say what the room is called, and its timer.
    public func mayDescribe(_ account: AccountID) -> Bool {
        hasAdminsRights(account) || room.policy.contains(.membersDescribe)
    }
}
