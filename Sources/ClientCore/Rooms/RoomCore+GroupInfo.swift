import MildamCrypto
import MildamMLS
import MildamWire

/// The GroupInfos that others come in by from outside (H10).
extension RoomCore {
    /// Holds the key that a commit's GroupInfo has against one's own, and puts up a GroupInfo of one's own where it is another:
    /// the relay cannot see which is right. Nothing waits for the answer.
    func checkGroupInfo(of message: NumberedMessage, _ step: inout StepDraft) {
        guard let digest = message.externalPub, step.isConnected, var group, group.ending == nil else { return }
        group.environment = step.environment
        guard let info = try? group.groupInfo(sendsTree: false), RoomCore.digest(of: info) != digest else { return }
        let request = RoomRequest.groupInfo(
            room,
            generation: generation,
            epoch: group.publicGroup.context.epoch,
            MLSMessage.groupInfo(info).wireBytes
        )
        _ = step.ask(request, for: .room(room))
    }

    /// SHA-256 of the key that a GroupInfo has for joining from outside; `nil` where it has none.
    private static func digest(of info: GroupInfo) -> [UInt8]? {
        guard let data = info.extensions[.externalPub], let key = try? HPKEPublicKey(wireBytes: data) else {
            return nil
        }
        return Array(SHA256.hash(data: key.bytes))
    }
}
