import FoundationEssentials
import MildamIdentity

/// A room as its members see it at the relay: the answer of `GET /v1/rooms/ROOM`, and a row of `GET /v1/rooms`.
public struct RoomState: Codable, Sendable, Equatable {
    /// The room.
    public var room: RoomID
    /// The generation that messages must be sealed under.
    public var generation: UInt32
    /// The epoch.
    public var epoch: UInt64
    /// Whether somebody left, so that a new generation must begin before anything else is said.
    public var renewalDue: Bool
    /// The first number this account can read.
    public var first: UInt64
    /// The number that the next message will get.
    public var next: UInt64
    /// The members, ascending. The relay's word only: clients hold it against what members told them.
    public var members: [AccountID]
    /// The last number that each other member has, by what its devices acknowledged; said by `GET /v1/rooms/ROOM` alone.
    public var delivered: UInt64?
    /// Whether it is an MLS group; not said of a room with one key per generation.
    public var isGroup: Bool?

    /// Makes a state.
    public init(
        room: RoomID,
        generation: UInt32,
        epoch: UInt64,
        renewalDue: Bool,
        first: UInt64,
        next: UInt64,
        members: [AccountID],
        isGroup: Bool? = nil,
        delivered: UInt64? = nil
    ) {
        self.room = room
        self.generation = generation
        self.epoch = epoch
        self.renewalDue = renewalDue
        self.first = first
        self.next = next
        self.members = members
        self.isGroup = isGroup
        self.delivered = delivered
    }
}

/// Rooms of an account, as many as one answer holds: the answer of `GET /v1/rooms`, which goes on behind the last one
/// with `?after=ROOM`, until there are none.
public struct RoomList: Codable, Sendable {
    /// The rooms, ascending.
    public var rooms: [RoomState]

    /// Makes a list.
    public init(rooms: [RoomState]) {
        self.rooms = rooms
    }
}

/// What kind of thing a stored message is, as far as the relay may know.
public enum MessageKind: String, Codable, Sendable {
    /// Something said.
    case application
    /// A change of members, or a new generation.
    case membership
    /// In a room that is an MLS group: a proposal that stands alone.
    case proposal
    /// In a room that is an MLS group: a commit.
    case commit
    /// In a room that is an MLS group: the GroupInfo of the next one. Generation and epoch are those that end with it.
    case generation

    /// How it is stored.
    public var code: Int64 {
        switch self {
        case .application: 0
        case .membership: 1
        case .proposal: 2
        case .commit: 3
        case .generation: 4
        }
    }

    /// Reads the stored form.
    public init?(code: Int64) {
        switch code {
        case 0: self = .application
        case 1: self = .membership
        case 2: self = .proposal
        case 3: self = .commit
        case 4: self = .generation
        default: return nil
        }
    }
}

/// The answer to a send: it is on the relay's disk.
public struct SendReceipt: Codable, Sendable, Equatable {
    /// The number it got.
    public var number: UInt64

    /// Makes a receipt.
    public init(number: UInt64) {
        self.number = number
    }
}

/// A stored message, as read back.
public struct RoomMessage: Codable, Sendable, Equatable {
    /// Its number in the room, from 1. None is passed over but those that a relay lost: see ``LostNumbers``.
    public var number: UInt64
    /// The generation it is sealed under.
    public var generation: UInt32
    /// The epoch.
    public var epoch: UInt64
    /// What kind of thing it is.
    public var kind: MessageKind
    /// The account that sent it.
    public var account: AccountID
    /// The device that sent it.
    public var device: DeviceID
    /// When the relay stored it: milliseconds since 1970.
    public var stored: Int64
    /// Of a commit: SHA-256 of the key for joining from outside that its GroupInfo has, 32 bytes.
    public var externalPub: Data?
    /// The id that its device chose; a relay from before it was told does not say it.
    public var id: MessageID?
    /// The opaque bytes.
    public var body: Data

    /// Makes a message.
    public init(
        number: UInt64,
        generation: UInt32,
        epoch: UInt64,
        kind: MessageKind,
        account: AccountID,
        device: DeviceID,
        stored: Int64,
        body: Data,
        id: MessageID? = nil,
        externalPub: Data? = nil
    ) {
        self.number = number
        self.generation = generation
        self.epoch = epoch
        self.kind = kind
        self.account = account
        self.device = device
        self.stored = stored
        self.body = body
        self.id = id
        self.externalPub = externalPub
    }
}

/// A page of messages: the answer of `GET /v1/rooms/ROOM/messages?from=N`.
public struct MessagePage: Codable, Sendable {
    /// The first number this account can still read.
    public var first: UInt64
    /// The number that the next message will get.
    public var next: UInt64
    /// The messages from `from` on; not necessarily all there are. Numbers are passed over only where `lost` names them.
    public var messages: [RoomMessage]
    /// The epoch that the room's group takes messages of; not said of a room with one key per generation.
    public var epoch: UInt64?
    /// Which store the relay has; another one after it was put back.
    public var incarnation: IncarnationID?
    /// The gaps from `from` on, and the last ones below it: ascending, 500 at most; not said where there is none.
    public var lost: [LostNumbers]?

    /// Makes a page.
    public init(
        first: UInt64,
        next: UInt64,
        messages: [RoomMessage],
        epoch: UInt64? = nil,
        incarnation: IncarnationID? = nil,
        lost: [LostNumbers]? = nil
    ) {
        self.first = first
        self.next = next
        self.messages = messages
        self.epoch = epoch
        self.incarnation = incarnation
        self.lost = lost
    }
}
