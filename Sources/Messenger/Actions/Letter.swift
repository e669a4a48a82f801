import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamWire

/// An item of the mailbox, read as far as that needs nobody's keys.
struct Letter: Sendable {
    /// Its number in the mailbox.
    let number: UInt64
    /// The room with whose change it came.
    let room: RoomID
    /// Its size, in bytes.
    let size: Int
    /// The account that the relay has it from; it did not always say.
    let from: AccountID?
    /// Whether the relay says that it came past the strangers' part.
    let isPastStrangers: Bool
    /// The envelope that it is, for this device; or why it is none.
    let content: Result<KeyEnvelope, SetAside.Cause>

    /// Reads an item.
    init(_ item: MailboxItem, for account: AccountState) {
        (number, room, size, from) = (item.number, item.room, item.body.count, item.from)
        isPastStrangers = !item.isRequest && item.from != nil
        guard item.body.count <= KeyEnvelope.maximumSize,
            let envelope = try? KeyEnvelope(wireBytes: Array(item.body))
        else {
            content = .failure(.malformed)
            return
        }
        let isForUs =
            envelope.header.room == item.room && envelope.header.recipientAccount == account.account
            && envelope.header.recipientDevice == account.device
        guard isForUs else {
            content = .failure(.notForUs)
            return
        }
        let isFromSender = item.from.map { $0 == envelope.header.senderAccount } ?? true
        content = isFromSender ? .success(envelope) : .failure(.otherAccount)
    }

    /// Whom it claims to be from.
    var sender: Handle? { try? content.get().header.senderHandle }
}

/// Somebody whose handle stands on a letter, once the relay was asked for their records.
enum ClaimedSender: Sendable {
    /// Their records, verified.
    case verified(VerifiedAccount)
    /// Why there are none.
    case refused(SetAside.Cause)
}

/// What is at hand while letters are taken in.
struct Intake {
    /// What this device remembers of whom it lets write.
    var consent: Consent
    /// Whom this account knows.
    var known = Acquaintances(pins: [], rosters: [])
    /// How many invitations of each inviter wait.
    var waiting: [Handle: Int] = [:]
    /// The links by which strangers can invite.
    var links = OpenLinks()
    /// Those who were looked up.
    var senders: [Handle: ClaimedSender]
    /// Whether what is remembered has changed.
    var isChanged = false
    /// Whether a link was used.
    var hasUsedLink = false

    init(consent: Consent, senders: [Handle: ClaimedSender]) {
        (self.consent, self.senders) = (consent, senders)
    }

    /// Sets a letter aside.
    ///
    /// - Parameter now: milliseconds since 1970.
    mutating func setAside(_ cause: SetAside.Cause, _ letter: Letter, at now: Int64) {
        isChanged = true
        consent.setAside.add(SetAside.Item(cause: cause, time: now, sender: letter.sender, room: letter.room))
    }
}

extension Arrival {
    /// What an envelope says of itself.
    init(_ envelope: KeyEnvelope, size: Int) {
        self.init(
            account: envelope.header.senderAccount,
            handle: envelope.header.senderHandle,
            room: envelope.header.room,
            size: size
        )
    }
}
