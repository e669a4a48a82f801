import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamWire

/// A device that has a leaf, as its credential says (H3).
public struct RoomLeaf: Hashable, Sendable {
    /// Whose device it is.
    public let account: AccountID
    /// The device.
    public let device: DeviceID
    /// The account's identity, with what follows it.
    public let identity: RoomIdentity
    /// The number of the first device list that names the record.
    public let since: UInt64
    /// SHA-256 of the record, by which device lists name it.
    public let recordDigest: [UInt8]
    /// The key that the device signs with.
    public let signatureKey: Curve25519.Signing.PublicKey

    /// The client that MLS has once in a group: account ‖ device, 32 bytes.
    public var client: [UInt8] { account.bytes + device.bytes }

    /// A leaf that comes in: everything is looked at that it says of itself.
    public init(_ credential: Credential, signatureKey: SignaturePublicKey) throws(RoomRefusal) {
        let own = try required(.credentialIsADevices, DeviceCredential(credential))
        let record = own.record.claimed
        try require(.recordIsSignedByIdentity, (try? own.record.verified(under: own.identityKey)) != nil)
        self = try required(.recordIsOfVersion2, RoomLeaf(record, own.identityKey))
        try require(.leafHasKeyOfRecord, signatureKey.bytes == Array(record.signatureKey.rawRepresentation))
    }

    /// A leaf that is in the tree, whose record was looked at when it came in.
    public init(inTree leaf: LeafNode) throws(RoomRefusal) {
        let own = try required(.credentialIsADevices, DeviceCredential(leaf.credential))
        self = try required(.recordIsOfVersion2, RoomLeaf(own.record.claimed, own.identityKey))
    }

    /// A device by its record; `nil` for a record of version 1.
    init?(_ record: DeviceRecord, _ identityKey: Curve25519.Signing.PublicKey) {
        guard let succession = record.succession else { return nil }
        account = record.account
        device = record.device
        identity = RoomIdentity(
            key: identityKey,
            rotation: succession.rotation,
            nextIdentity: succession.nextIdentity
        )
        since = succession.since
        recordDigest = record.digest
        signatureKey = record.signatureKey
    }
}
