import MildamIdentity

/// A group that was found to be the beginning of a room.
struct CheckedGroup: Sendable {
    /// The generation that it says it is.
    let generation: UInt32
    let groupID: [UInt8]
    let treeHash: [UInt8]
    let groupInfo: [UInt8]
    /// SHA-256 of its key for joining from outside, 32 bytes.
    let externalPub: [UInt8]
    /// The group as ``MildamMLS/PublicGroup/snapshot`` writes it.
    let snapshot: [UInt8]
    /// The accounts with a leaf or a seat.
    let accounts: [AccountID]
}

/// What a worker has found out about something that is sent to a group, beside the room that it was held against.
enum CheckedContent: Sendable {
    /// Something said: nobody here can look into it.
    case application
    /// The sender's account leaves, and did not yet after this proposal or commit.
    case leaving(after: UInt64)
    /// A commit.
    case commit(CheckedCommit)
}

/// A commit that counts in the epoch that it names, if no proposal came since.
struct CheckedCommit: Sendable {
    /// The last proposal or commit that it was held against.
    let handshake: UInt64
    /// The hash of the tree afterwards.
    let treeHash: [UInt8]
    /// The GroupInfo of the epoch that it begins; empty where the commit is given back and nobody has it.
    let groupInfo: [UInt8]
    /// SHA-256 of its key for joining from outside, 32 bytes; `nil` for none.
    let externalPub: [UInt8]?
    /// The accounts that are members afterwards, and were not.
    let added: [AccountID]
    /// The accounts that were members, and are not afterwards.
    let removed: [AccountID]
    /// A Welcome for each device that comes in.
    let welcomes: [Welcome]
    /// The group afterwards, where one is due.
    let snapshot: [UInt8]?

    struct Welcome: Sendable {
        let address: MailboxAddress
        /// An MLSMessage, encoded.
        let message: [UInt8]

        /// What the item has at most beside it: version, generation, epoch, number, and the length.
        private static let frame = 25
        /// The size of the item in bytes, at most.
        var itemBytes: Int { message.count + Self.frame }
    }
}
