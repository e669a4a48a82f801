import MildamIdentity

/// Items in one part of a device's mailbox, and their sizes.
struct MailboxShare: Equatable, Sendable {
    var items = 0
    var bytes = 0

    static func += (left: inout MailboxShare, right: MailboxShare) {
        left.items += right.items
        left.bytes += right.bytes
    }

    static func -= (left: inout MailboxShare, right: MailboxShare) {
        left.items -= right.items
        left.bytes -= right.bytes
    }

    /// Whether an item of this size fits beside it.
    func hasRoom(for size: Int, items mostItems: Int, bytes mostBytes: Int) -> Bool {
        items < mostItems && bytes + size <= mostBytes
    }
}

/// What one account has in a device's mailbox.
struct SenderShare: Equatable, Sendable {
    var known = MailboxShare()
    var requests = MailboxShare()

    /// Whether it has nothing there.
    var isEmpty: Bool { self == SenderShare() }

    /// The part for strangers, or the one for known senders.
    subscript(isRequest isRequest: Bool) -> MailboxShare {
        get { isRequest ? requests : known }
        set { if isRequest { requests = newValue } else { known = newValue } }
    }
}

/// An account that sends, and a mailbox that it sends to.
struct ShareKey: Hashable, Sendable {
    let address: MailboxAddress
    let sender: AccountID
}

/// Whose items of a mailbox they are, and in which part.
struct ItemOwner: Hashable, Sendable {
    /// `nil` for items that were stored by an earlier version.
    let sender: AccountID?
    let isRequest: Bool
}

/// An item in the strangers' part of a mailbox.
struct RequestRow: Equatable, Sendable {
    let number: UInt64
    let sender: AccountID
    let bytes: Int
}
