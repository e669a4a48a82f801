import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamWire

/// GroupInfos, which others come in by from outside (H10). Whether the key for that is the epoch's, only members see.
extension GroupBook {
    /// Another GroupInfo of a group's present epoch: of this sender's own leaf, with a key that something can be encrypted to.
    ///
    /// - Throws: `refused` with `stale_epoch`, `invalid_commit` and the like; what reading throws.
    func check(
        _ request: GroupInfoRequest,
        for room: RoomID,
        by sender: Sender
    ) throws(GroupBookError) -> CheckedGroupInfo {
        let stored = try present(room, for: sender.account)
        try Self.check(request.generation, request.epoch, against: stored)
        let followed = try follow(room, stored)
        return CheckedGroupInfo(
            generation: stored.generation,
            epoch: stored.epoch,
            externalPub: try Self.verify(request.groupInfo, of: followed, by: sender),
            bytes: request.groupInfo
        )
    }

    /// A GroupInfo has to be that of the group's epoch, signed by its sender's own leaf, without the tree, and with the key to come
    /// in by.
    ///
    /// - Returns: SHA-256 of the key, 32 bytes.
    /// - Throws: `refused` with `invalid_commit`.
    static func verify(
        _ encoded: [UInt8],
        of followed: FollowedGroup,
        by sender: Sender
    ) throws(GroupBookError) -> [UInt8] {
        guard case .groupInfo(let info)? = try? MLSMessage(wireBytes: encoded),
            let externalPub = info.externalPubDigest, info.extensions[.ratchetTree] == nil
        else { throw .refused(.malformed("the GroupInfo")) }
        do throws(MLSError) {
            try followed.group.verify(info)
        } catch {
            throw .refused(.invalid(error))
        }
        guard followed.members.leaves[info.signer]?.isOf(sender) == true else {
            throw .refused(.broken(.broken(.senderIsDeviceOfLeaf)))
        }
        return externalPub
    }
}

extension GroupInfo {
    /// SHA-256 of its key for joining from outside, 32 bytes: what members hold against their own. `nil` where it has none.
    var externalPubDigest: [UInt8]? {
        guard let data = extensions[.externalPub], let key = try? HPKEPublicKey(wireBytes: data) else { return nil }
        return Array(SHA256.hash(data: key.bytes))
    }
}
