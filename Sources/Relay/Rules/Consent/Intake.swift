import MildamIdentity
import MildamRelayAPI

/// What becomes of a Welcome at the mailbox that it is for.
enum Intake: Equatable, Sendable {
    /// It is stored in the part for known senders.
    case known
    /// It is stored in the strangers' part.
    case request
    /// It is not stored, and its sender is not told: it is blocked.
    case dropped
    /// The sender's share of the part is used up, or the part is, or too many other parts that the change has items for are.
    case full

    /// What somebody is to the account that a Welcome is for.
    enum Tie: Sendable {
        /// The account has accepted the room, says that the sender is known, or is the same.
        case known
        /// None of that.
        case stranger
        /// The account has blocked the sender.
        case blocked
    }

    /// Where a Welcome goes.
    ///
    /// A full part for known senders refuses who comes in. But whoever has nothing in it yet finds a place in the strangers'
    /// part, where others give way (``Eviction``): somebody else's many letters keep no friend out.
    static func judge(
        bytes: Int,
        from tie: Tie,
        sharing share: SenderShare,
        at device: DeviceFact,
        _ quota: RelayQuota
    ) -> Intake {
        switch tie {
        case .blocked: return .dropped
        case .known:
            let fits = share.known.hasRoom(for: bytes, items: quota.senderItems, bytes: quota.senderBytes)
            guard device.known >= quota.mailboxItems else { return fits ? .known : .full }
            guard share.known.items == 0 else { return .full }
            return judge(bytes: bytes, from: .stranger, sharing: share, at: device, quota)
        case .stranger:
            let fits = share.requests.hasRoom(for: bytes, items: quota.senderRequests, bytes: quota.senderRequestBytes)
            return fits ? .request : .full
        }
    }
}
