import MildamMLS

/// Who is who in the groups of rooms, by what leaves say alone: no pin, no list that was fetched, no clock (H1, H3).
public struct RoomAuthentication: AuthenticationService {
    /// The rules of rooms.
    public init() {}

    /// Whether a credential is a device's, signed by its account's identity key, and has the leaf's key.
    public func isValid(_ credential: Credential, signatureKey: SignaturePublicKey) -> Bool {
        (try? RoomLeaf(credential, signatureKey: signatureKey)) != nil
    }

    /// Whether a credential is of the same account and device as the one before it.
    public func isValid(_ new: Credential, asSuccessorOf old: Credential) -> Bool {
        (try? RoomAuthentication.checkSuccession(from: old, to: new)) != nil
    }

    /// Account ‖ device, 32 bytes; nothing for a leaf that is no device's.
    public func client(of leaf: LeafNode) -> [UInt8] { (try? RoomLeaf(inTree: leaf))?.client ?? [] }

    /// A credential may follow another one in a leaf if account and device are the same.
    static func checkSuccession(from old: Credential, to new: Credential) throws(RoomRefusal) {
        let before = DeviceCredential(old)?.record.claimed
        let after = DeviceCredential(new)?.record.claimed
        try require(
            .successorIsSameDevice,
            before != nil && before?.account == after?.account && before?.device == after?.device
        )
    }
}
