import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension RelayWriter {
    /// The first number that is still in a device's mailbox, and the one that its next item will get; `nil` when there
    /// is no such device.
    func mailbox(_ address: MailboxAddress) throws(StorageError) -> Range<UInt64>? {
        let numbers: (UInt64, UInt64)? = try database.first(
            "SELECT mailbox_first, mailbox_next FROM devices WHERE account = ? AND device = ?",
            address.account.column,
            address.device.column
        ) { row throws(StorageError) in (try row.count(0), try row.count(1)) }
        guard let (first, next) = numbers else { return nil }
        guard first <= next else {
            throw .damaged(path: database.path, reason: "a mailbox's numbers contradict each other")
        }
        return first..<next
    }

    /// Appends the envelopes of a room's change to the mailboxes they are for, whose next numbers are given.
    func deliver(
        _ envelopes: [AddressedEnvelope],
        of room: RoomID,
        to mailboxes: [MailboxAddress: Range<UInt64>]
    ) throws(StorageError) {
        for envelope in envelopes {
            let address = MailboxAddress(account: envelope.account, device: envelope.device)
            guard let number = mailboxes[address]?.upperBound else { continue }
            try database.execute(
                "INSERT INTO mailbox (account, device, number, kind, room, body) VALUES (?, ?, ?, ?, ?, ?)",
                address.account.column,
                address.device.column,
                Int64(lookup: number),
                MailboxItem.Kind.envelope.code,
                room.column,
                envelope.body
            )
            try database.execute(
                "UPDATE devices SET mailbox_next = ? WHERE account = ? AND device = ?",
                Int64(lookup: number + 1),
                address.account.column,
                address.device.column
            )
            notices.append(.mailbox(address, next: number + 1))
        }
    }

    /// Drops what the device has stored for itself, up to and with a number.
    func dropMailbox(_ address: MailboxAddress, through last: UInt64) throws(StorageError) -> Result<Void, APIError> {
        guard let numbers = try mailbox(address) else {
            return .failure(APIError(.unauthorized, "there is no such device"))
        }
        let next = numbers.upperBound
        guard last < next else {
            return .failure(APIError(.badRequest, "through is beyond the mailbox's last number", number: next - 1))
        }
        if last >= numbers.lowerBound {
            try database.execute(
                "UPDATE devices SET mailbox_first = ? WHERE account = ? AND device = ?",
                Int64(lookup: last + 1),
                address.account.column,
                address.device.column
            )
            try begin(.mailbox(address))
        }
        return .success(())
    }
}

extension MailboxItem.Kind {
    /// How it is stored.
    var code: Int64 {
        switch self {
        case .envelope: 0
        }
    }

    /// Reads the stored form.
    init?(code: Int64) {
        guard code == 0 else { return nil }
        self = .envelope
    }
}
