import MildamIdentity
import MildamRoomRules

/// A list of an account's devices that was verified, and how new it is.
public struct KnownDeviceList: Sendable {
    /// As it was signed.
    public let signed: Signed<DeviceList>
    /// How many identity keys the account had before the one that signed it.
    public let rotation: UInt32

    /// A list.
    public init(_ signed: Signed<DeviceList>, rotation: UInt32) {
        self.signed = signed
        self.rotation = rotation
    }

    /// How new it is: the identity that signed it counts first.
    public var version: ListVersion { ListVersion(rotation: rotation, number: signed.claimed.number) }

    /// Whether a leaf is no longer on it, although it is as new as the leaf's record at least (H8).
    func revokes(_ leaf: RoomLeaf) -> Bool { revokes(GroupOutline.Leaf(leaf)) }

    /// The same, of what is known of a leaf.
    func revokes(_ leaf: GroupOutline.Leaf) -> Bool {
        guard version >= leaf.since || PlantedFault.dropsSince.isPresent else { return false }
        return !signed.claimed.entries.contains { $0.device == leaf.device && $0.recordDigest == leaf.recordDigest }
    }
}
