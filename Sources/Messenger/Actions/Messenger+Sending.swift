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
    /// there, and goes out once, in order, with the next call that reaches it. When it is refused, it is dropped.
    public func send(_ text: String, to room: String) async throws(MessengerError) -> SentMessage {
        try await alone { (messenger, store) throws(MessengerError) in
            let ledger = try messenger.resolve(room, store)
            let item = messenger.item(.text(body: text), in: ledger.room)
            guard try item.sealedSize() <= Limits.message else { throw .tooLong }
            return try await messenger.deliver(item, store)
        }
    }

    /// Sends what waits in the outbox, room by room.
    ///
    /// - Returns: the rooms whose messages could not go out, and why.
    @discardableResult
    public func flush() async throws(MessengerError) -> [(room: RoomSummary, error: MessengerError)] {
        try await alone { (messenger, store) throws(MessengerError) in
            var held: [(room: RoomSummary, error: MessengerError)] = []
            var rooms: [RoomID] = []
            for (_, item) in try store.outbox() where !rooms.contains(item.room) { rooms.append(item.room) }
            for room in rooms {
                do throws(MessengerError) {
                    _ = try await messenger.flush(room, store)
                } catch .transport(let error) {
                    throw .transport(error)
                } catch {
                    held.append((RoomSummary(try messenger.ledger(room, store)), error))
                }
            }
            return held
        }
    }

    /// A new item for the outbox.
    func item(_ event: RoomContent.Event, in room: RoomID) -> OutboxItem {
        OutboxItem(room: room, message: .random(), written: clock.milliseconds, event: event)
    }

    /// Puts an item in the outbox and sends it, after what waits there for the same room.
    func deliver(_ item: OutboxItem, _ store: ClientStore) async throws(MessengerError) -> SentMessage {
        let place = try store.append(item)
        do throws(MessengerError) {
            return SentMessage(message: item.message, number: try await flush(item.room, store)[item.message])
        } catch .transport(let error) where error.mayPass {
            return SentMessage(message: item.message, number: nil)
        } catch .refused(let error) where error.mayPass {
            throw .unsent(.refused(error))
        } catch .behind(let backlog) {
            throw .unsent(.behind(backlog))
        } catch .tooFast(let room) {
            throw .unsent(.tooFast(room: room))
        } catch {
            guard let kept = try store.outbox().first(where: { $0.place == place }) else { throw error }
            // What never left this machine was not said, and is not said later behind the person's back.
            guard kept.item.attempt == nil else { throw .unsent(error) }
            try drop(kept.item, at: place, store)
            try store.forgetDeleted()
            throw error
        }
    }

    /// Sends what waits for a room, in order.
    ///
    /// - Returns: the numbers that the messages got.
    func flush(_ room: RoomID, _ store: ClientStore) async throws(MessengerError) -> [MessageID: UInt64] {
        let waiting = try store.outbox().filter { $0.item.room == room }
        guard !waiting.isEmpty else { return [:] }
        let account = try account(store)
        var numbers: [MessageID: UInt64] = [:]
        try await checkMembers(room, account, store)
        for (place, item) in waiting {
            numbers[item.message] = try await send(item, at: place, account, store)
            try drop(item, at: place, store)
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
        let room = item.room
        if case .attachment(let file) = item.event { try await upload(file, to: room, account, store) }
        for _ in 0..<Messenger.attempts {
            if item.attempt == nil, try ledger(room, store).renewalDue {
                try await change(.renew, in: room, account, store)
            }
            let request = try request(&item, at: place, account, store)
            do throws(MessengerError) {
                return try await authorized(account, store) { (relay, access) throws(MessengerError) in
                    try await relay.send(request, to: room, access)
                }.number
            } catch .refused(let error) where error.code == .idReused {
                // Only this device makes its ids: an earlier attempt arrived, whose answer was lost.
                guard let number = error.number else { throw .relayAnswer("no number of a message it has") }
                return number
            } catch .refused(let error) where !error.mayPass {
                try withdraw(&item, at: place, account, store)
                guard error.code == .staleEpoch else {
                    throw try await sorted(.refused(error), of: try ledger(room, store), account, store)
                }
                try await takeMail(account, store)
                try await catchUp(room, account, store)
            }
        }
        throw .tooFast(room: try ledger(room, store).name)
    }

    /// The item as it is sent: the same bytes each time, sealed under the room's present key and stored before the
    /// first time.
    private func request(
        _ item: inout OutboxItem,
        at place: Int64,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) -> SendRequest {
        if let attempt = item.attempt {
            return SendRequest(id: item.message, generation: attempt.generation, body: attempt.body)
        }
        var ledger = try ledger(item.room, store)
        let counter = ledger.nextCounter(of: account.address)
        let content = RoomContent(written: item.written, seen: ledger.history, event: item.event)
        let body = try seal(content, as: item.message, counter: counter, under: nil, ledger, account, store)
        item.attempt = OutboxItem.Attempt(generation: ledger.generation, counter: counter, body: body)
        ledger.sent = counter
        let (sealed, state) = (item, ledger)
        try store.transaction { () throws(MessengerError) in
            try store.update(sealed, at: place)
            try store.put(state, as: .room, state.room.bytes)
        }
        return SendRequest(id: item.message, generation: ledger.generation, body: body)
    }

    /// Takes back an attempt that the relay refused: its count is free again, so that nobody misses a message.
    private func withdraw(
        _ item: inout OutboxItem,
        at place: Int64,
        _ account: AccountState,
        _ store: ClientStore
    ) throws(MessengerError) {
        guard let attempt = item.attempt else { return }
        item.attempt = nil
        var ledger = try ledger(item.room, store)
        ledger.takeBack(attempt.counter)
        let (withdrawn, state) = (item, ledger)
        try store.transaction { () throws(MessengerError) in
            try store.update(withdrawn, at: place)
            try store.put(state, as: .room, state.room.bytes)
        }
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
                throw MessengerError.tooLong
            }
            return Data(box.wireBytes)
        } catch {
            throw MessengerError(error)
        }
    }
}

extension RoomLedger {
    /// The count that this device's next message gets.
    func nextCounter(of device: DeviceAddress) -> UInt64 {
        max(sent, counters[device] ?? 0) + 1
    }

    /// Frees the last count that was given, for a message that the relay refused.
    mutating func takeBack(_ counter: UInt64) {
        if sent == counter { sent -= 1 }
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

extension APIError {
    /// Whether the relay could not say what became of the request: it may have been carried out, or be later.
    var mayPass: Bool { [.unavailable, .internalError, .rateLimited].contains(code) }
}
