import FoundationEssentials
import MildamIdentity
import MildamRelayAPI

/// What one accepted operation changes, by kind of row. A store writes it down and asks nothing.
///
/// Of a row that has a key of its own this is the last word: its content, or `nil` where it goes. What goes, goes before
/// what comes. Rows that others refer to come first.
struct Changes: Sendable {
    var newAccounts: [NewAccount] = []
    /// What stands in the handle's place of an account that is deleted.
    var names: [AccountID: String] = [:]
    var bundles: [AccountID: [UInt8]] = [:]
    var verifiers: [AccountID: SaltedVerifier] = [:]
    /// What is served in the place of accounts that their owners have deleted.
    var closings: [AccountID: [UInt8]] = [:]
    var devices: [MailboxAddress: DeviceFact?] = [:]
    var sessions: [MailboxAddress: SessionFact?] = [:]
    /// Sessions that were not used since then go.
    var idleSince: Int64?
    var factors: [AccountID: FactorFact?] = [:]
    /// Accounts whose recovery codes all go.
    var droppedRecoveryCodes: [AccountID] = []
    var usedRecoveryCodes: [RecoveryRow] = []
    var recoveryCodes: [RecoveryRow] = []
    /// Accounts whose lines all go.
    var droppedAudits: [AccountID] = []
    var countedAudits: [CountedAudit] = []
    var auditLines: [AuditLine] = []
    /// What is too much once the new lines are there.
    var trimmedAudits: [TrimmedAudit] = []
    var rooms: [RoomChange] = []
    /// The first number that the member can read; `nil` for who is none any more.
    var members: [Membership: UInt64?] = [:]
    var messages: [NewMessage] = []
    var droppedMessages: [DroppedMessages] = []
    var items: [NewItem] = []
    var droppedItems: [DroppedItems] = []
    var blobs: [BlobName: BlobRow?] = [:]
    /// What accounts cause, and what goes of it. A store adds it up, and writes it down at the end of the batch: one row for
    /// each account, in the order of their ids.
    var charges: [Charge] = []
    var consent = ConsentChanges()
    var groups = GroupChanges()
    var recovery = RecoveryChanges()
    /// Whether something goes that must leave the store's log as well.
    var deletes = false

    /// Whether it is a message and its room's counters, and nothing else.
    var isPlainSend: Bool { rooms.count == 1 && rooms[0].kind == .counters && blobs.isEmpty }

    /// Empties it, and keeps the memory of what is written with every send.
    mutating func clear() {
        if !isPlainSend {
            var next = Changes()
            swap(&next.messages, &messages)
            swap(&next.rooms, &rooms)
            swap(&next.charges, &charges)
            self = next
        }
        messages.removeAll(keepingCapacity: true)
        rooms.removeAll(keepingCapacity: true)
        charges.removeAll(keepingCapacity: true)
    }

    struct NewAccount: Sendable {
        let account: AccountID
        let handle: Handle
        let bundle: [UInt8]
        let verifier: SaltedVerifier
        let network: NetworkID?
    }

    struct RecoveryRow: Sendable {
        let account: AccountID
        let code: SaltedVerifier
    }

    /// Lines of an account, those of failures or the others, of which only the last are kept.
    struct TrimmedAudit: Sendable {
        let account: AccountID
        let isFailure: Bool
        let kept: Int
    }

    struct CountedAudit: Sendable {
        let account: AccountID
        let line: AuditFact
    }

    struct AuditLine: Sendable {
        let account: AccountID
        let line: AuditFact
        let session: SessionID?
        let device: DeviceID?
    }

    struct RoomChange: Sendable {
        let room: Room
        /// How much of it changes.
        let kind: Kind

        enum Kind: Sendable {
            /// The room is new.
            case new
            /// Nothing but the next number and the bytes.
            case counters
            /// Anything but its id and its creator.
            case all
        }
    }

    struct Membership: Hashable, Sendable {
        let room: RoomID
        let account: AccountID
    }

    struct NewMessage: Sendable {
        let room: RoomID
        let id: MessageID
        let digest: [UInt8]
        let message: RoomMessage
    }

    /// A room's messages up to and with a number.
    struct DroppedMessages: Sendable {
        let room: RoomID
        let last: UInt64
    }

    struct NewItem: Sendable {
        let address: MailboxAddress
        let item: MailboxItem
    }

    /// A mailbox's items up to and with a number.
    struct DroppedItems: Sendable {
        let address: MailboxAddress
        let last: UInt64
    }

    /// What counts for an account from here on, or, where it is negative, no longer does.
    struct Charge: Sendable {
        let account: AccountID
        var usage: DiskUsage
        /// Whether the account's network may have another number of pieces by it: a store looks then.
        var movesPieces: Bool
    }

    struct BlobRow: Sendable {
        let blob: KnownBlob
        /// When its last piece came, in milliseconds since 1970.
        let stored: Int64
    }
}
