import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

/// Which rooms this device's keys have reached (H17).
extension ClientCore {
    /// The rooms that this device is in with other keys than it has now, or is about to come back into: it goes on with each until
    /// its leaf there has them.
    public var roomsWithOldKeys: Set<RoomID> {
        let present = device.credential
        let digest = GroupOutline.digest(present.wireBytes)
        return Set(rooms.values.filter { $0.hasOldKeys(than: present, digest) }.map(\.room))
    }

    /// The rooms in which somebody else has acted with the keys that this device has: they are to be renewed (H14).
    public var roomsWithKeysUsedElsewhere: Set<RoomID> {
        let digest = GroupOutline.digest(device.credential.wireBytes)
        return Set(rooms.values.filter { $0.foughtBackAs == digest || $0.keysUsedElsewhere == digest }.map(\.room))
    }
}

extension RoomCore {
    /// - Parameter digest: SHA-256 of the credential.
    fileprivate func hasOldKeys(than credential: DeviceCredential, _ digest: [UInt8]) -> Bool {
        switch standing {
        case .beginning, .requested, .seated, .left, .removed: return false
        case .invited, .member: break
        }
        guard trouble == nil, !isOutside else { return true }
        if let outline { return outline.isEnded || outline.ownCredential != digest }
        guard let group, group.ending == nil else { return true }
        return group.publicGroup[group.ownLeaf]?.credential != credential.mls
    }
}
