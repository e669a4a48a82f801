import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI

/// What of a room was taken in and is not on the disk yet.
struct TakenIn {
    /// The room as it is with these messages.
    var ledger: RoomLedger
    /// What came of each, in their order.
    var entries: [RoomEntry] = []
    /// The keys of generations that they began.
    var keys: [RoomKey] = []
    /// Whether the mailbox was looked into for a key: all that belongs to these messages was there.
    var hasMail = false

    init(_ ledger: RoomLedger) { self.ledger = ledger }
}

extension [RoomEntry] {
    /// The entry of a number, where these are a room's without a gap.
    fileprivate func entry(of number: UInt64) -> RoomEntry? {
        guard let first = first?.number, number >= first, number - first < UInt64(count) else { return nil }
        return self[Int(number - first)]
    }
}

extension Messenger {
    /// How many messages one command takes in. Whoever sends many makes a command neither long nor useless.
    package static let takenAtOnce = 2_000
    /// The bytes that count as one message more: 8 MB in all.
    private static let bytesOfOne = 4_096

    /// Takes in what a room has, in order, and a page at a time.
    ///
    /// - Throws: `behind` when there is more than one command takes in; `relayIsBehind` when the relay has less than was taken
    ///   in. What was taken in is stored, here as with any error.
    @discardableResult
    func catchUp(
        _ room: RoomID,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> RoomLedger {
        while true {
            let ledger = try ledger(room, store)
            // That it was put out, a member knows from the relay alone, and may ask again.
            guard ledger.standing == .member || ledger.standing == .removed else {
                throw .notAMember(room: ledger.name)
            }
            let from = ledger.seen.number + 1
            let page: MessagePage
            do throws(MessengerError) {
                page = try await authorized(account, store) { (relay, access) throws(MessengerError) in
                    try await relay.messages(of: room, from: from, access)
                }
            } catch {
                throw try await sorted(error, of: ledger, account, store)
            }
            if let lag = ledger.lag(of: page.next) { throw .relayIsBehind(lag) }
            if ledger.standing == .removed { try turn(from: .removed, to: .member, in: room, store) }
            guard !page.messages.isEmpty || page.next <= from else {
                throw .relayAnswer("messages \(from) to \(page.next - 1) of \(ledger.name) are not shown")
            }
            let taken = try await take(page.messages, in: room, account, store)
            if page.messages.isEmpty || taken.ledger.seen.number + 1 >= page.next { return taken.ledger }
            takes -= max(page.messages.count, page.messages.reduce(0) { $0 + $1.body.count } / Messenger.bytesOfOne)
            guard takes > 0 else { throw .behind(Backlog(after: taken, next: page.next)) }
        }
    }

    /// Takes in messages: checks each, and stores what came of them together with the room's new state.
    @discardableResult
    func take(
        _ messages: [RoomMessage],
        in room: RoomID,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> TakenIn {
        // Of oneself nobody has to be asked.
        if verified[account.handle] == nil { verified[account.handle] = try? ownAccount(account) }
        var taken = TakenIn(try ledger(room, store))
        var failure: MessengerError?
        do throws(MessengerError) {
            for message in messages { try await take(message, &taken, account, store) }
        } catch {
            failure = error
        }
        let (ledger, entries, keys) = (taken.ledger, taken.entries, taken.keys)
        if !entries.isEmpty {
            try store.transaction { () throws(MessengerError) in
                for key in keys { try begin(with: key, store) }
                for entry in entries { try store.put(entry, in: room) }
                try store.put(ledger, as: .room, room.bytes)
            }
        }
        if let failure { throw failure }
        return taken
    }

    private func take(
        _ message: RoomMessage,
        _ taken: inout TakenIn,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) {
        let room = taken.ledger.room
        guard message.number == taken.ledger.seen.number + 1 else {
            throw .relayAnswer(
                "message \(message.number) of \(taken.ledger.name) where \(taken.ledger.seen.number + 1) is due"
            )
        }
        guard message.body.count <= Limits.message else { throw .relayAnswer("a message beyond all bounds") }
        let stored = StoredMessage(
            context: MessageContext(
                room: room,
                generation: message.generation,
                epoch: message.epoch,
                senderAccount: message.account,
                senderDevice: message.device
            ),
            body: Array(message.body)
        )
        let opened = try await open(stored, &taken, account, store)
        let past = taken.ledger.generation
        let entries = taken.entries
        var failure: MessengerError?
        let entry = taken.ledger.accept(
            stored,
            stored: message.stored,
            opened: opened.map { ($0.box, $0.content, $0.list) },
            own: account.account
        ) { number in
            if let entry = entries.entry(of: number) { return entry.hash }
            do throws(MessengerError) {
                return try store.entry(of: room, number: number)?.hash
            } catch {
                failure = error
                return nil
            }
        }
        if let failure {
            // The room was judged without what could not be read.
            taken.entries = []
            throw failure
        }
        if taken.ledger.generation > past, case .success(let opened) = opened { taken.keys.append(opened.key) }
        taken.entries.append(entry)
    }

    /// Takes in all that a room has; for what cannot be done otherwise, since it takes as long as it takes.
    ///
    /// - Throws: `behind` where a room has more than a hundred commands take in.
    func catchUpWhole(
        _ room: RoomID,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) {
        for _ in 0..<100 {
            takes = Messenger.takenAtOnce
            guard try await catchUpInPart(room, account, store).backlog != nil else { return }
        }
        try await catchUp(room, account, store)
    }

    /// What is new in a room as far as one command takes it in, and what is left.
    func catchUpInPart(
        _ room: RoomID,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> (ledger: RoomLedger, backlog: Backlog?) {
        do throws(MessengerError) {
            return (try await catchUp(room, account, store), nil)
        } catch .behind(let backlog) {
            return (try ledger(room, store), backlog)
        }
    }
}
