import MildamIdentity
import MildamRoomRules

/// A message of a room as the relay has it: under a number, with what the relay says of who sent it.
public struct NumberedMessage: Hashable, Sendable {
    /// What it carries.
    public enum Kind: UInt8, Sendable {
        /// Something that somebody says.
        case application = 1
        /// That somebody leaves.
        case proposal = 2
        /// A change of the group.
        case commit = 3
        /// The next generation of the room: a GroupInfo of its epoch 0, with its tree (H9).
        case generation = 4
    }

    /// Its number; a room's first is 1, and none is passed over.
    public let number: UInt64
    /// The group that it is of.
    public let generation: UInt64
    /// Who sent it, by the relay's word.
    public let account: AccountID
    /// From which device, by the relay's word.
    public let device: DeviceID
    /// The id under which it was sent.
    public let id: MessageID
    /// What it carries.
    public let kind: Kind
    /// When the relay took it: milliseconds since 1970.
    public let stored: UInt64
    /// An MLSMessage. Of a generation, the generation and the epoch are those that it ends.
    public let body: [UInt8]
    /// Of a commit: SHA-256 of the key for joining from outside that its GroupInfo has, 32 bytes (H10).
    public let externalPub: [UInt8]?

    /// A message.
    public init(
        number: UInt64,
        generation: UInt64,
        account: AccountID,
        device: DeviceID,
        id: MessageID,
        kind: Kind,
        stored: UInt64,
        body: [UInt8],
        externalPub: [UInt8]? = nil
    ) {
        self.number = number
        self.generation = generation
        self.account = account
        self.device = device
        self.id = id
        self.kind = kind
        self.stored = stored
        self.body = body
        self.externalPub = externalPub
    }

    /// SHA-256 of what is the same for all who read it: all that its sender has sent, and who that was. 32 bytes.
    public var digest: [UInt8] {
        MessageDigest.of(
            generation: generation,
            account: account,
            device: device,
            id: id,
            kind: kind.rawValue,
            body: body
        )
    }
}
