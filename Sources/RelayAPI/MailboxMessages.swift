import FoundationEssentials
import MildamIdentity

/// What lies in a device's mailbox under one number.
public struct MailboxItem: Codable, Sendable {
    /// Its number, from 1, ascending. Numbers are missing where an item of a stranger's gave way to a newer one.
    public var number: UInt64
    /// What it is.
    public var kind: Kind
    /// The room whose change it came with: the relay took it from a member of that room.
    public var room: RoomID
    /// The opaque bytes.
    public var body: Data
    /// The account that sent it, on the relay's word; `nil` for an item that an earlier version of the relay stored.
    public var from: AccountID?
    /// Whether it lies in the strangers' part: its recipient has neither accepted the room nor said that the sender is
    /// known, and no link was shown.
    public var isRequest: Bool

    /// The kinds of mailbox item.
    public enum Kind: String, Codable, Sendable {
        /// A key envelope of a GroupKey room.
        case envelope
        /// A ``WelcomeItem``: how to come into an MLS group.
        case welcome
    }

    /// Makes an item.
    public init(
        number: UInt64,
        kind: Kind,
        room: RoomID,
        body: Data,
        from: AccountID? = nil,
        isRequest: Bool = false
    ) {
        self.number = number
        self.kind = kind
        self.room = room
        self.body = body
        self.from = from
        self.isRequest = isRequest
    }
}

/// A page of the calling device's mailbox: the answer of `GET /v1/mailbox?from=N`.
///
/// `DELETE /v1/mailbox?through=N` drops what the device has stored for itself.
public struct MailboxPage: Codable, Sendable {
    /// The first number still there.
    public var first: UInt64
    /// The number that the next item will get.
    public var next: UInt64
    /// The items from `from` on; not necessarily all there are.
    public var items: [MailboxItem]

    /// Makes a page.
    public init(first: UInt64, next: UInt64, items: [MailboxItem]) {
        self.first = first
        self.next = next
        self.items = items
    }
}
