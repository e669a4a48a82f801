import MildamIdentity
import MildamMLS

/// Who sent a message (H26, H36).
extension RoomMembers {
    /// Whether the member at a leaf is the device that a relay names as a message's sender, or that asks it to take one.
    ///
    /// - Throws: `senderIsDeviceOfLeaf`.
    public func check(senderAt index: LeafIndex, is device: DeviceID, of account: AccountID) throws(RoomRefusal) {
        let leaf = leaves[index]
        try require(.senderIsDeviceOfLeaf, leaf?.account == account && leaf?.device == device)
    }
}
