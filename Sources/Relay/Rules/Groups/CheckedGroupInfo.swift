/// Another GroupInfo of a group's epoch that was found to be right, as far as can be said without the epoch's secrets.
struct CheckedGroupInfo: Sendable {
    /// Which of the room's groups it is of.
    let generation: UInt32
    let epoch: UInt64
    /// SHA-256 of its key for joining from outside, 32 bytes.
    let externalPub: [UInt8]
    /// An MLSMessage, encoded.
    let bytes: [UInt8]
}
