import MildamClientAPI
import MildamClientCore
import MildamClientStore
import MildamGroupKey
import MildamIdentity

extension RoomItem {
    /// A message of a room of the first kind.
    ///
    /// - Parameters:
    ///   - moment: when the message before it was written, in milliseconds since 1970, for one that is missing.
    ///   - own: the profile's account.
    init(_ row: OlderRow, after moment: UInt64, own: AccountID?) {
        guard let entry = row.entry else {
            self.init(key: nil, number: row.number, at: moment, kind: .refused, code: Cause.recordsDamaged.code)
            return
        }
        self.init(
            key: nil,
            number: entry.number,
            at: UInt64(clamping: entry.written),
            author: Person(account: entry.account, handle: entry.sender, isOwn: entry.account == own),
            kind: .system,
            missing: entry.missingBefore > 0 ? entry.missingBefore : nil,
            hasNewKeys: entry.hasNewKeys ? true : nil
        )
        switch entry.outcome {
        case .accepted(let event): show(event, removing: entry.removed, own)
        case .refused(let reason):
            kind = .refused
            code = RoomItem.olderRefusals[reason] ?? Cause.newer.code
        }
    }

    /// What was to be said in a room of the first kind, and never was; `nil` for changes of the room.
    init?(_ unsent: OlderUnsent, by own: ProfileOwner?) {
        switch unsent.event {
        case .text, .attachment: break
        case .created, .invited, .removed, .left, .renewed: return nil
        }
        self.init(
            key: unsent.message,
            at: UInt64(clamping: unsent.written),
            author: own.map { Person(account: $0.account, handle: $0.handle, isOwn: true) },
            kind: .system,
            state: .failed(code: "older-room")
        )
        show(unsent.event, removing: nil, own?.account)
    }

    private mutating func show(_ event: RoomContent.Event, removing handle: Handle?, _ own: AccountID?) {
        switch event {
        case .text(let body):
            kind = .text
            show(text: body)
        case .attachment(let sent):
            kind = .file
            file = File(
                name: RoomItem.beginning(of: sent.name, bytes: LineLimits.name),
                size: UInt64(clamping: sent.size)
            )
        case .created(let name):
            code = "older-created"
            text = RoomItem.beginning(of: name, bytes: LineLimits.name)
        case .invited(let member, _):
            code = "members"
            joined = [Person(account: member.account, handle: member.handle, isOwn: member.account == own)]
        case .removed(let account):
            code = "members"
            left = [Person(account: account, handle: handle, isOwn: account == own)]
        case .left:
            code = "members"
            left = author.map { [$0] }
        case .renewed: code = "older-renewed"
        }
    }

    /// The code for each reason for which a message was not believed, by the words that were stored.
    static let olderRefusals = [
        "no key of its generation": "older-no-key",
        "damaged or forged": Cause.forged.code,
        "not signed by the device it is from": Cause.forged.code,
        "its sender's account is deleted: nothing tells whether it is theirs": "older-sender-gone",
        "its sender was told under another key than the one seen": "older-other-key",
        "its sender is not a member": Cause.senderNoMember.code,
        "sent before": Cause.repeated.code,
        "its sender was shown another history of this room": "older-different-history",
        "a change of members that does not fit": Cause.ruleBroken.code,
        "an invitation of another identity than the one pinned for that handle": "older-other-identity",
        "made by a newer version": Cause.newer.code,
    ]
}
