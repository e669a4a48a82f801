import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamTransport

/// What became of something that was sent.
public struct SentMessage: Codable, Sendable {
    /// The id it was sent under.
    public var message: MessageID
    /// Its number, once the relay has it on its disk; `nil` while it waits in the outbox.
    public var number: UInt64?
}

extension Messenger {
    /// How often a send follows a room that changes under it before it gives up for now.
    static let attempts = 10

    /// Says something in a room.
    ///
    /// The text is in the outbox, on the disk, before the relay is asked; when the relay cannot be reached it stays
    /// there, and goes out once, in order, with the next call that reaches it.
    public func send(_ text: String, to room: String) async throws(MessengerError) -> SentMessage {
        try await alone { (messenger, store) throws(MessengerError) in
            let ledger = try messenger.resolve(room, store)
            let item = messenger.item(.text(body: text), in: ledger.room)
            try store.append(item)
            return try await messenger.deliver(item, store)
        }
    }

    /// Sends what waits in the outbox.
    ///
    /// - Returns: how many messages went out.
    @discardableResult
    public func flush() async throws(MessengerError) -> Int {
        try await alone { (messenger, store) throws(MessengerError) in try await messenger.flush(store).count }
    }

    /// A new item for the outbox.
    func item(_ event: RoomContent.Event, in room: RoomID) -> OutboxItem {
        OutboxItem(room: room, message: .random(), written: clock.milliseconds, event: event)
    }

    /// Sends the outbox up to and with an item.
    func deliver(_ item: OutboxItem, _ store: ClientStore) async throws(MessengerError) -> SentMessage {
        do throws(MessengerError) {
            return SentMessage(message: item.message, number: try await flush(store)[item.message])
        } catch .transport(let error) where error.mayPass {
            return SentMessage(message: item.message, number: nil)
        }
    }

    /// Sends the outbox in order.
    ///
    /// - Returns: the numbers that the messages got.
    func flush(_ store: ClientStore) async throws(MessengerError) -> [MessageID: UInt64] {
        let waiting = try store.outbox()
        guard !waiting.isEmpty else { return [:] }
        let account = try account(store)
        var numbers: [MessageID: UInt64] = [:]
        var checked: Set<RoomID> = []
        for (place, item) in waiting {
            do throws(MessengerError) {
                if checked.insert(item.room).inserted { try await checkMembers(item.room, account, store) }
                numbers[item.message] = try await send(item, at: place, account, store)
                try drop(item, at: place, store)
            } catch .notAMember(let room) {
                // There is nobody to say it to any more.
                try drop(item, at: place, store)
                throw .notAMember(room: room)
            }
        }
        try store.forgetDeleted()
        return numbers
    }

    private func send(
        _ item: OutboxItem,
        at place: Int64,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> UInt64 {
        var item = item
        if case .attachment(let file) = item.event { try await upload(file, to: item.room, account, store) }
        for _ in 0..<Messenger.attempts {
            var ledger = try ledger(item.room, store)
            if ledger.renewalDue {
                try await change(.renew, in: item.room, account, store)
                ledger = try self.ledger(item.room, store)
            }
            let attempt = try sealed(&item, at: place, &ledger, account, store)
            let request = SendRequest(id: item.message, generation: attempt.generation, body: attempt.body)
            let room = item.room
            do throws(MessengerError) {
                return try await authorized(account, store) { (relay, token) throws(MessengerError) in
                    try await relay.send(request, to: room, token)
                }.number
            } catch .refused(let error) where error.code == .idReused {
                // Only this device makes its ids: an earlier attempt arrived, whose answer was lost.
                guard let number = error.number else { throw .relayAnswer("no number of a message it has") }
                return number
            } catch .refused(let error) where error.code == .staleEpoch {
                try await takeMail(account, store)
                try await catchUp(item.room, account, store)
            } catch {
                throw try sorted(error, of: ledger, store)
            }
        }
        throw .refused(APIError(.unavailable, "the room changes faster than this client can follow"))
    }

    /// The item's ciphertext under the room's present key; stored before it is sent, so that a retry has the same bytes.
    private func sealed(
        _ item: inout OutboxItem,
        at place: Int64,
        _ ledger: inout RoomLedger,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> OutboxItem.Attempt {
        if let attempt = item.attempt, attempt.generation == ledger.generation { return attempt }
        let counter = item.counter ?? ledger.nextCounter(of: account.device)
        let content = RoomContent(written: item.written, seen: ledger.history, event: item.event)
        let attempt = OutboxItem.Attempt(
            generation: ledger.generation,
            body: try seal(content, as: item.message, counter: counter, under: nil, ledger, account, store)
        )
        item.counter = counter
        item.attempt = attempt
        ledger.sent = max(ledger.sent, counter)
        let (finished, state) = (item, ledger)
        try store.transaction { () throws(MessengerError) in
            try store.update(finished, at: place)
            try store.put(state, as: .room, state.room.bytes)
        }
        return attempt
    }

    /// Seals content as a message of this device, under the given key or the room's present one.
    func seal(
        _ content: RoomContent,
        as message: MessageID,
        counter: UInt64,
        under key: RoomKey?,
        _ ledger: RoomLedger,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> Data {
        var key = key
        if key == nil { key = try roomKey(ledger.room, ledger.generation, store) }
        guard let key else { throw .stateDamaged("the key of \(ledger.name) is missing") }
        let context = MessageContext(
            room: ledger.room,
            generation: key.generation,
            senderAccount: account.account,
            senderDevice: account.device
        )
        do {
            let box = try MessageBox(
                sealing: try content.encoded(),
                as: message,
                counter: counter,
                in: context,
                under: key,
                by: try deviceKeys(account, store).signing
            )
            guard box.wireBytes.count <= Limits.message else {
                throw MessengerError.refused(
                    APIError(.tooLarge, "the text is too long for one message; send it as a file")
                )
            }
            return Data(box.wireBytes)
        } catch {
            throw MessengerError(error)
        }
    }
}

extension RoomLedger {
    /// The count that this device's next message gets.
    func nextCounter(of device: DeviceID) -> UInt64 {
        max(sent, counters[device.description] ?? 0) + 1
    }
}

extension TransportError {
    /// Whether the same may succeed later without anybody's doing. A certificate that proves nothing is not such a thing.
    fileprivate var mayPass: Bool {
        switch self {
        case .cancelled, .invalid: false
        case .tls(let failure): failure == .truncated
        default: true
        }
    }
}
