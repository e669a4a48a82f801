import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamWire

/// A room's next generation (H9): the last resort of those with a role, where the group cannot be gone on with. It is taken while
/// somebody leaves, too: that proposal may be what holds the group up. Whoever leaves has a seat in it, and leaves that.
extension GroupBook {
    /// A group that is to take the place of a room's present one.
    ///
    /// - Throws: `refused` with `stale_epoch`, `invalid_commit`, `commit_rate` and the like; what reading throws.
    func check(
        _ request: GenerationRequest,
        for room: RoomID,
        by sender: Sender,
        _ overtaken: OvertakenRooms,
        at time: CheckTime
    ) throws(GroupBookError) -> CheckedGroup {
        let stored = try present(room, for: sender.account)
        try Self.check(request.generation, request.epoch, against: stored)
        do throws(RoomRefusal) {
            try overtaken.check(commitBy: sender, in: room, at: time.steady)
        } catch {
            throw .refused(.commitRate(seconds: 3))
        }
        let (next, members) = try Self.check(request.groupInfo, as: room, by: sender, after: try follow(room, stored))
        try check(beginner: sender, in: members)
        try takeRate(
            in: room,
            of: sender.account,
            isRemoval: false,
            isOfSelfRemoves: false,
            at: time.steady / 1000
        )
        return next
    }

    /// A group that follows another one in its room.
    ///
    /// - Parameters:
    ///   - groupInfo: of its first epoch, with its tree, encoded.
    ///   - sender: whose one leaf it has.
    ///   - before: the group that ends.
    /// - Throws: `refused` with `invalid_commit`.
    static func check(
        _ groupInfo: [UInt8],
        as room: RoomID,
        by sender: Sender,
        after before: FollowedGroup
    ) throws(GroupBookError) -> (group: CheckedGroup, members: RoomMembers) {
        guard case .groupInfo(let info)? = try? MLSMessage(wireBytes: groupInfo),
            let externalPub = info.externalPubDigest
        else { throw .refused(.malformed("the GroupInfo")) }
        let next = try beginning(info)
        let members: RoomMembers
        do throws(RoomRefusal) {
            members = try RoomMembers(beginning: next)
            let present = before.members.room.generation
            try members.check(asGroupOf: room, generation: present &+ 1, seen: present)
            try members.check(asGenerationAfter: before.members, endingWith: before.group.context)
        } catch {
            throw .refused(.broken(error))
        }
        let groupID = next.context.groupID
        guard next.context.epoch == 0, groupID != before.group.context.groupID, (1...255).contains(groupID.bytes.count),
            let generation = UInt32(exactly: members.room.generation)
        else { throw .refused(.broken(.broken(.generationFollowsPrevious))) }
        guard members.leaves.values.allSatisfy({ $0.isOf(sender) }) else {
            throw .refused(.broken(.broken(.senderIsDeviceOfLeaf)))
        }
        let group = CheckedGroup(
            generation: generation,
            groupID: groupID.bytes,
            treeHash: next.context.treeHash,
            groupInfo: groupInfo,
            externalPub: externalPub,
            snapshot: next.snapshot,
            accounts: members.accounts.sorted()
        )
        return (group, members)
    }

    /// The group that a GroupInfo describes which begins a room or a generation. A tree of more than one leaf, blank ones among
    /// them, is not made.
    ///
    /// - Parameter ratchetTree: the tree as it is sent, where the GroupInfo does not bring it.
    static func beginning(_ info: GroupInfo, ratchetTree: [UInt8]? = nil) throws(GroupBookError) -> PublicGroup {
        let environment = GroupEnvironment(authentication: RoomAuthentication(), policy: RoomPolicy(), now: { 0 })
        do throws(MLSError) {
            return try PublicGroup(
                info,
                ratchetTree: ratchetTree,
                maximumLeafCount: RoomMembers.leavesAtBeginning,
                environment: environment
            )
        } catch {
            guard case .invalid(.ratchetTreeIsBounded) = error else { throw .refused(.invalid(error)) }
            throw .refused(.broken(.broken(.generationBeginsWithOneLeaf)))
        }
    }
}
