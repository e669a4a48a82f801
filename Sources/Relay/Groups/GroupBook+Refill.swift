import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamWire

extension GroupBook {
    /// A proposal, a commit or a room's next group that is given back: it is held against the group as any other, as that of
    /// whoever had sent it.
    ///
    /// - Parameters:
    ///   - sender: the member who gives it back.
    ///   - limitsRate: whether it counts for how often that one may commit: what was committed in days comes back in minutes, as
    ///     long as the room has not gone on.
    /// - Throws: as ``check(_:for:by:_:at:)``.
    func check(
        _ message: RefilledMessage,
        for room: RoomID,
        givenBackBy sender: Sender,
        limitsRate: Bool,
        at time: CheckTime
    ) throws(GroupBookError) -> CheckedRefill {
        let stored = try present(room, for: sender.account)
        try Self.check(message.generation, message.epoch, against: stored)
        let author = sender.giving(back: message)
        switch message.content {
        case .application: throw .refused(.malformed("the message"))
        case .proposal(let bytes):
            let sent = try Self.publicMessage(in: bytes)
            guard case .proposal = sent.content.body else { throw .refused(.malformed("the message")) }
            let after = try checkLeaving(sent, by: author, try follow(room, stored), time)
            expect(after, of: room, after: bytes)
            return .message(message.sent(as: .proposal(bytes)), .leaving(after: stored.group.handshake))
        case .commit(let bytes, let groupInfo):
            let sent = try Self.publicMessage(in: bytes)
            guard case .commit = sent.content.body else { throw .refused(.malformed("the message")) }
            let before = try follow(room, stored)
            let (after, judge) = try process(sent, by: author, before, due: stored.group.due, time)
            let externalPub = groupInfo.isEmpty ? nil : try Self.verify(groupInfo, of: after, by: author)
            let moves = AccountMoves(from: before.members, to: after.members, at: after.touched)
            try check(newcomers: moves.added, in: after.members, by: author)
            if limitsRate {
                try takeRate(
                    in: room,
                    of: sender.account,
                    isRemoval: moves.isRemoval(adding: judge.added),
                    isOfSelfRemoves: judge.commit?.isOfSelfRemoves ?? false,
                    at: time.steady / 1000
                )
            }
            expect(after, of: room, after: bytes)
            let checked = CheckedCommit(
                handshake: stored.group.handshake,
                treeHash: after.group.context.treeHash,
                groupInfo: groupInfo,
                externalPub: externalPub,
                added: moves.added,
                removed: moves.removed,
                welcomes: [],
                snapshot: stored.group.wantsSnapshot ? after.group.snapshot : nil
            )
            return .message(message.sent(as: .commit(bytes, groupInfo: groupInfo, welcome: [])), .commit(checked))
        case .generation(let groupInfo):
            let next = try Self.check(groupInfo, as: room, by: author, after: try follow(room, stored)).group
            if limitsRate {
                try takeRate(
                    in: room,
                    of: sender.account,
                    isRemoval: false,
                    isOfSelfRemoves: false,
                    at: time.steady / 1000
                )
            }
            return .generation(message.sent(as: groupInfo), next)
        }
    }

    private static func publicMessage(in bytes: [UInt8]) throws(GroupBookError) -> PublicMessage {
        guard case .publicMessage(let sent)? = try? MLSMessage(wireBytes: bytes) else {
            throw .refused(.malformed("the message"))
        }
        return sent
    }
}

extension Sender {
    /// Who had sent a message that this member gives back.
    func giving(back message: RefilledMessage) -> Sender {
        Sender(account: message.account, device: message.device, session: session, expires: expires)
    }
}
