import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamWire

extension GroupBook {
    /// A proposal or a commit that is given back: it is held against the group as any other, as that of whoever had sent it.
    ///
    /// - Parameter sender: the member who gives it back.
    /// - Throws: as ``check(_:for:by:_:at:)``, but for rates.
    func check(
        _ message: RefilledMessage,
        for room: RoomID,
        givenBackBy sender: Sender,
        at time: CheckTime
    ) throws(GroupBookError) -> CheckedContent {
        let stored = try present(room, for: sender.account)
        guard message.generation == stored.generation, message.epoch == stored.epoch else {
            throw .refused(
                APIError(
                    .staleEpoch,
                    "the room is in another epoch",
                    generation: stored.generation,
                    epoch: stored.epoch
                )
            )
        }
        let bytes = message.request.message
        guard case .publicMessage(let sent)? = try? MLSMessage(wireBytes: bytes) else {
            throw .refused(.malformed("the message"))
        }
        let author = sender.giving(back: message)
        let before = try follow(room, stored)
        switch (message.content, sent.content.body) {
        case (.proposal, .proposal):
            let after = try checkLeaving(sent, by: author, before, time)
            expect(after, of: room, after: bytes)
            return .leaving(after: stored.group.handshake)
        case (.commit(_, let groupInfo, _), .commit):
            let (after, _) = try process(sent, by: author, before, due: stored.group.due, time)
            if !groupInfo.isEmpty { try Self.verify(groupInfo, of: after.group) }
            let moves = AccountMoves(from: before.members, to: after.members, at: after.touched)
            expect(after, of: room, after: bytes)
            return .commit(
                CheckedCommit(
                    handshake: stored.group.handshake,
                    treeHash: after.group.context.treeHash,
                    groupInfo: groupInfo,
                    added: moves.added,
                    removed: moves.removed,
                    welcomes: [],
                    snapshot: stored.group.wantsSnapshot ? after.group.snapshot : nil
                )
            )
        default: throw .refused(.malformed("the message"))
        }
    }
}

extension Sender {
    /// Who had sent a message that this member gives back.
    func giving(back message: RefilledMessage) -> Sender {
        Sender(account: message.account, device: message.device, session: session, expires: expires)
    }
}
