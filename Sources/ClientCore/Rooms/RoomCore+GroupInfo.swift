import MildamCrypto
import MildamMLS
import MildamWire

/// The GroupInfos that others come in by from outside (H10).
extension RoomCore {
    /// Holds the key that a commit's GroupInfo has against one's own, and puts up a GroupInfo of one's own where it is another,
    /// or where there is none: the relay cannot see which is right. Nothing waits for the answer.
    mutating func checkGroupInfo(of message: NumberedMessage, _ step: inout StepDraft) {
        guard step.isConnected, let group, group.ending == nil, let key = try? group.externalPub(),
            Array(SHA256.hash(data: key.bytes)) != message.externalPub, let info = ownGroupInfo(step)
        else { return }
        put(info, &step)
    }

    /// A relay that was put back has been given back what it lacked, and with a commit comes no GroupInfo: this device's is
    /// put up, until the relay has it. Nobody could come in otherwise.
    mutating func giveGroupInfo(_ step: inout StepDraft) {
        guard let epoch = recovery.owedInfo, live.puttingUp == nil, let group else { return }
        guard live.infoDueAt <= step.now else {
            step.wake(at: live.infoDueAt)
            return
        }
        guard group.publicGroup.context.epoch == epoch, let info = ownGroupInfo(step) else {
            recovery.owe(infoOf: nil)
            return
        }
        put(info, &step)
    }

    /// The relay has answered to a GroupInfo of this device.
    mutating func takeGroupInfo(_ reply: RelayReply, _ step: inout StepDraft) {
        live.puttingUp = nil
        guard recovery.owedInfo != nil else { return }
        switch reply {
        case .unreachable, .refused(.busy), .refused(.commitRate):
            live.infoDueAt = step.now + RoomCore.longestRetry
            step.wake(at: live.infoDueAt)
        default: recovery.owe(infoOf: nil)
        }
    }

    /// The relay has several that differ, and counts the accounts behind each: this device's says which is its own. It says so once
    /// in an epoch.
    mutating func answer(groupInfoOf generation: UInt64, epoch: UInt64, _ step: inout StepDraft) {
        guard self.generation == generation, let info = ownGroupInfo(step), info.groupContext.epoch == epoch,
            live.groupInfoEpoch != epoch
        else { return }
        put(info, &step)
    }

    private func ownGroupInfo(_ step: StepDraft) -> GroupInfo? {
        guard step.isConnected, var group, group.ending == nil else { return nil }
        group.environment = step.environment
        return try? group.groupInfo(sendsTree: false)
    }

    private mutating func put(_ info: GroupInfo, _ step: inout StepDraft) {
        let epoch = info.groupContext.epoch
        let bytes = MLSMessage.groupInfo(info).wireBytes
        live.groupInfoEpoch = epoch
        live.puttingUp = step.ask(.groupInfo(room, generation: generation, epoch: epoch, bytes), for: .room(room))
    }
}
