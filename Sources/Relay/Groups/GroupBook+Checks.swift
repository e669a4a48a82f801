import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamWire

/// Whether what is sent to groups counts: all that can be said without the secrets of a group.
extension GroupBook {
    /// When something is looked at.
    struct CheckTime: Sendable {
        /// Seconds since 1970.
        let now: Int64
        /// Milliseconds of a clock that does not go back.
        let steady: UInt64
    }

    /// A group that is to begin a room.
    ///
    /// - Throws: `refused` with `invalid_commit`.
    func check(
        _ request: CreateGroupRequest,
        as room: RoomID,
        by sender: Sender
    ) throws(GroupBookError) -> CheckedGroup {
        guard case .groupInfo(let info)? = try? MLSMessage(wireBytes: request.groupInfo) else {
            throw .refused(.malformed("the GroupInfo"))
        }
        let group = try Self.beginning(info, ratchetTree: request.ratchetTree)
        let members: RoomMembers
        do throws(RoomRefusal) {
            members = try RoomMembers(beginning: group)
            try members.check(asFirstGroupOf: room)
        } catch {
            throw .refused(.broken(error))
        }
        guard group.context.epoch == 0, let externalPub = info.externalPubDigest,
            members.leaves.values.allSatisfy({ $0.account == sender.account && $0.device == sender.device }),
            let generation = UInt32(exactly: members.room.generation),
            (1...255).contains(group.context.groupID.bytes.count)
        else { throw .refused(.broken(.broken(.committerHasLeaf))) }
        let accounts = members.accounts.sorted()
        try check(beginner: sender, in: members)
        try check(newcomers: accounts, in: members, by: sender)
        return CheckedGroup(
            generation: generation,
            groupID: group.context.groupID.bytes,
            treeHash: group.context.treeHash,
            groupInfo: request.groupInfo,
            externalPub: externalPub,
            snapshot: group.snapshot,
            accounts: accounts
        )
    }

    /// A proposal or a commit for a room's group.
    ///
    /// - Throws: `refused` with `stale_epoch`, `invalid_commit`, `commit_rate` and the like; what reading throws.
    func check(
        _ request: GroupSendRequest,
        for room: RoomID,
        by sender: Sender,
        _ overtaken: OvertakenRooms,
        at time: CheckTime
    ) throws(GroupBookError) -> CheckedContent {
        let stored = try present(room, for: sender.account)
        try Self.check(request.generation, request.epoch, against: stored)
        guard case .publicMessage(let message)? = try? MLSMessage(wireBytes: request.message) else {
            throw .refused(.malformed("the message"))
        }
        let before = try follow(room, stored)
        switch (request.content, message.content.body) {
        case (.proposal, .proposal):
            guard request.message.count <= Limits.proposal else { throw .refused(.malformed("the proposal")) }
            let after = try checkLeaving(message, by: sender, before, time)
            expect(after, of: room, after: request.message)
            return .leaving(after: stored.group.handshake)
        case (.commit(_, let groupInfo, let welcome), .commit):
            do throws(RoomRefusal) {
                try overtaken.check(commitBy: sender, in: room, at: time.steady)
            } catch {
                throw .refused(.commitRate(seconds: 3))
            }
            let (after, judge) = try process(message, by: sender, before, due: stored.group.due, time)
            let externalPub = try Self.verify(groupInfo, of: after, by: sender)
            let welcomes: [CheckedCommit.Welcome]
            do throws(APIError) {
                welcomes = try WelcomeSplit.split(welcome, for: judge.added)
            } catch {
                throw .refused(error)
            }
            let moves = AccountMoves(from: before.members, to: after.members, at: after.touched)
            try check(newcomers: moves.added, in: after.members, by: sender)
            try takeRate(
                in: room,
                of: sender.account,
                isRemoval: moves.isRemoval(adding: judge.added),
                isOfSelfRemoves: judge.commit?.isOfSelfRemoves ?? false,
                at: time.steady / 1000
            )
            if let commit = judge.commit {
                try blame(by: commit, of: sender, in: room, before.members, at: time.steady / 1000)
            }
            expect(after, of: room, after: request.message)
            return .commit(
                CheckedCommit(
                    handshake: stored.group.handshake,
                    treeHash: after.group.context.treeHash,
                    groupInfo: groupInfo,
                    externalPub: externalPub,
                    added: moves.added,
                    removed: moves.removed,
                    welcomes: welcomes,
                    snapshot: stored.group.wantsSnapshot ? after.group.snapshot : nil
                )
            )
        default: throw .refused(.malformed("the message"))
        }
    }

    /// A SelfRemove of the sender's own and only leaf.
    func checkLeaving(
        _ message: PublicMessage,
        by sender: Sender,
        _ before: FollowedGroup,
        _ time: CheckTime
    ) throws(GroupBookError) -> FollowedGroup {
        guard case .member(let leaf) = message.content.sender, before.members.leaves[leaf]?.isOf(sender) == true,
            !before.waiting.contains(leaf)
        else { throw .refused(.broken(.broken(.committerHasLeaf))) }
        do throws(RoomRefusal) {
            try LoneProposal.check(mark: message.content.authenticatedData)
            try before.members.check(leavingAt: leaf)
        } catch {
            throw .refused(.broken(error))
        }
        var next = before.group
        let judge = CommitJudge(before)
        do throws(MLSError) {
            _ = try next.process(message, environment: Self.environment(judge, time))
        } catch {
            throw .refused(.invalid(error))
        }
        return before.waiting(for: leaf, next)
    }

    func process(
        _ message: PublicMessage,
        by sender: Sender,
        _ before: FollowedGroup,
        due: UInt64,
        _ time: CheckTime
    ) throws(GroupBookError) -> (after: FollowedGroup, judge: CommitJudge) {
        var next = before.group
        let judge = CommitJudge(before)
        do throws(MLSError) {
            _ = try next.process(message, environment: Self.environment(judge, time))
        } catch {
            // What they are is brought with the answer.
            if judge.refusal == .broken(.selfRemovesAreAllNamed) { throw .refused(.proposalsDue(from: due)) }
            if let refusal = judge.refusal { throw .refused(.broken(refusal)) }
            throw .refused(.invalid(error))
        }
        let author: RoomLeaf? =
            if case .member(let leaf) = message.content.sender { before.members.leaves[leaf] } else {
                judge.commit?.pathLeaf
            }
        guard author?.isOf(sender) == true else { throw .refused(.broken(.broken(.committerHasLeaf))) }
        do throws(RoomRefusal) {
            return (try before.replaced(by: next, at: judge.touched), judge)
        } catch {
            throw .refused(.broken(error))
        }
    }

    /// Whether something is for a room's present group, as it is now.
    ///
    /// - Throws: `refused` with `stale_epoch`.
    static func check(
        _ generation: UInt32,
        _ epoch: UInt64,
        against stored: PresentGroup
    ) throws(GroupBookError) {
        guard generation == stored.generation, epoch == stored.epoch else {
            throw .refused(
                APIError(
                    .staleEpoch,
                    "the room has gone on",
                    generation: stored.generation,
                    epoch: stored.epoch
                )
            )
        }
    }

    private static func environment(_ judge: CommitJudge, _ time: CheckTime) -> GroupEnvironment {
        let now = UInt64(clamping: time.now)
        return GroupEnvironment(authentication: RoomAuthentication(), policy: judge, now: { now })
    }
}

extension RoomLeaf {
    /// Whether it is the leaf of whoever asks.
    func isOf(_ sender: Sender) -> Bool { account == sender.account && device == sender.device }
}

extension APIError {
    /// What is sent breaks a rule of rooms.
    static func broken(_ refusal: RoomRefusal) -> APIError {
        switch refusal {
        case .broken(let rule): APIError(.invalidCommit, "\(refusal)", rule: rule.rawValue)
        }
    }

    /// What is sent breaks a rule of MLS.
    static func invalid(_ error: MLSError) -> APIError {
        guard case .invalid(let rule) = error else { return APIError(.invalidCommit, "\(error)", rule: "mls") }
        return APIError(.invalidCommit, "against the rules of MLS: \(rule.rawValue)", rule: rule.rawValue)
    }

    /// What is sent cannot be read.
    static func malformed(_ what: String) -> APIError {
        APIError(.invalidCommit, "\(what) is not what it should be", rule: "mls")
    }

    /// Commits of the account were such as others could not go on from.
    static let commitsUnread = APIError(
        .commitRate,
        "others could not read commits of this account: it commits once an hour",
        number: BlamedCommitters.pause
    )

    static func commitRate(seconds: UInt64) -> APIError {
        APIError(
            .commitRate,
            "too many commits of this account, or somebody else's message goes first",
            number: seconds
        )
    }
}
