import MildamIdentity
import MildamRelayAPI

/// What members offer to give back and is not due yet, held until it is: so they need not take turns, however their messages
/// alternate, and however bad their network is. In memory alone: what is not held any more, they offer again.
struct HeldMessages {
    /// How much of one account is held, in all rooms, in bytes: 8 MiB.
    static let mostOfAccount = 8 << 20
    /// How much is held of all, in bytes: 64 MiB.
    static let most = 64 << 20
    /// For how long what cannot be taken now is tried again, in nanoseconds: a minute. Whoever offers it may be why.
    static let longestFailure: UInt64 = 60_000_000_000

    /// What one device has offered to a room.
    private struct Offer {
        let sender: Sender
        /// Descending: what is due next comes last. Nothing is kept of what was taken.
        var messages: [RefilledMessage]
        /// Whether the request that brought it is under way, and takes of it what is due.
        let isInHand: Bool
    }

    /// What cannot be taken for a while, and since when.
    private struct Failing {
        let number: UInt64
        let since: UInt64
        /// Whether it is held no more, offered again or not.
        var isOver = false
    }

    private var offers: [RoomID: [MailboxAddress: Offer]] = [:]
    /// How many devices offer each number of a room.
    private var counts: [RoomID: [UInt64: Int]] = [:]
    /// What is being held against a room's group, or stored.
    private var inWork: [RoomID: UInt64] = [:]
    private var failing: [RoomID: [MailboxAddress: Failing]] = [:]
    private var costs: [AccountID: Int] = [:]
    private var cost = 0

    /// How many devices offer each number of a room.
    func numbers(in room: RoomID) -> [UInt64: Int] { counts[room] ?? [:] }

    /// Holds what a device has, in the place of what it offered to the room before; as many of the first ones as there is room for.
    /// Where there is none left, the account that has most gives way to those that have less.
    ///
    /// - Parameters:
    ///   - messages: ascending.
    ///   - isInHand: whether the request that brings them is under way: it is offered, and nobody else begins to take it.
    mutating func hold(
        _ messages: some Collection<RefilledMessage>,
        of sender: Sender,
        in room: RoomID,
        isInHand: Bool = false
    ) {
        let before = failing[room]?[sender.address]
        forget(sender.address, in: room)
        let free = Self.mostOfAccount - costs[sender.account, default: 0]
        var (taken, sum) = (0, 0)
        let messages = messages.filter { before?.isOver != true || $0.number != before?.number }
        for message in messages {
            guard sum + message.cost <= free else { break }
            sum += message.cost
            taken += 1
        }
        while Self.most - cost < sum, let most = costs.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
            most.value > costs[sender.account, default: 0] + sum
        {
            forget(allOf: most.key)
        }
        // Who offers the same again has had its time.
        if let before { failing[room, default: [:]][sender.address] = before }
        guard taken > 0, Self.most - cost >= sum else { return }
        let offer = Offer(sender: sender, messages: messages.prefix(taken).reversed(), isInHand: isInHand)
        offers[room, default: [:]][sender.address] = offer
        for message in offer.messages { counts[room, default: [:]][message.number, default: 0] += 1 }
        count(sum, of: sender.account)
    }

    /// Begins to take what a device offers under a number; what is below it goes from all.
    ///
    /// - Parameter tried: whose was tried just now, and is to be tried again later.
    /// - Returns: `nil` where nobody else has it, or it is being taken.
    mutating func begin(
        _ number: UInt64,
        in room: RoomID,
        besides tried: Set<MailboxAddress> = []
    ) -> (sender: Sender, message: RefilledMessage)? {
        pass(below: number, in: room)
        guard inWork[room] == nil, counts[room]?[number] != nil else { return nil }
        let found = (offers[room] ?? [:]).filter { address, offer in
            offer.messages.last?.number == number && !offer.isInHand && !tried.contains(address)
        }
        guard let offer = found.min(by: { ($0.key.account, $0.key.device) < ($1.key.account, $1.key.device) })?.value,
            let message = offer.messages.last
        else { return nil }
        inWork[room] = number
        return (offer.sender, message)
    }

    /// It was taken, or not.
    ///
    /// - Parameters:
    ///   - isOver: whether it is not tried again; then another device's comes the next time. What cannot be taken for a minute is
    ///     not, either.
    ///   - now: nanoseconds of a clock that does not go back.
    mutating func end(_ number: UInt64, of sender: Sender, in room: RoomID, isOver: Bool, at now: UInt64) {
        inWork[room] = nil
        guard offers[room]?[sender.address]?.messages.last?.number == number else { return }
        let before = failing[room]?[sender.address]
        let since = before.map { $0.number == number ? $0.since : now } ?? now
        guard !isOver else { return drop(sender.address, in: room) }
        let hasHadItsTime = now - min(now, since) >= Self.longestFailure
        if hasHadItsTime { drop(sender.address, in: room) }
        failing[room, default: [:]][sender.address] = Failing(number: number, since: since, isOver: hasHadItsTime)
    }

    /// Nothing more is taken back in a room.
    mutating func forget(_ room: RoomID) {
        for address in (offers[room] ?? [:]).keys { forget(address, in: room) }
        failing[room] = nil
    }

    /// What was said is taken back no more.
    mutating func forgetSaid(in room: RoomID) {
        for offer in (offers[room] ?? [:]).values {
            let signed = offer.messages.reversed().filter { !$0.isSaid }
            guard signed.count < offer.messages.count else { continue }
            hold(signed, of: offer.sender, in: room, isInHand: offer.isInHand)
        }
    }

    private mutating func pass(below number: UInt64, in room: RoomID) {
        for address in (offers[room] ?? [:]).keys {
            while let last = offers[room]?[address]?.messages.last, last.number < number { drop(address, in: room) }
        }
    }

    /// The last message of an offer goes.
    private mutating func drop(_ address: MailboxAddress, in room: RoomID) {
        guard let message = offers[room]?[address]?.messages.popLast() else { return }
        endFailing(address, in: room)
        if offers[room]?[address]?.messages.isEmpty == true { offers[room]?[address] = nil }
        if offers[room]?.isEmpty == true { offers[room] = nil }
        release([message], of: address.account, in: room)
    }

    /// Nothing more is taken of what a device has offered to a room.
    mutating func forget(_ address: MailboxAddress, in room: RoomID) {
        guard let offer = offers[room]?.removeValue(forKey: address) else { return }
        endFailing(address, in: room)
        if offers[room]?.isEmpty == true { offers[room] = nil }
        release(offer.messages, of: address.account, in: room)
    }

    /// Nothing more is taken of what a session has offered.
    mutating func forget(_ session: SessionID, of account: AccountID) {
        guard costs[account] != nil else { return }
        for (room, offers) in offers {
            for (address, offer) in offers where address.account == account && offer.sender.session == session {
                forget(address, in: room)
            }
        }
    }

    private mutating func endFailing(_ address: MailboxAddress, in room: RoomID) {
        failing[room]?[address] = nil
        if failing[room]?.isEmpty == true { failing[room] = nil }
    }

    private mutating func forget(allOf account: AccountID) {
        for (room, offers) in offers {
            for address in offers.keys where address.account == account { forget(address, in: room) }
        }
    }

    private mutating func release(_ messages: [RefilledMessage], of account: AccountID, in room: RoomID) {
        for message in messages {
            let left = (counts[room]?[message.number] ?? 1) - 1
            counts[room]?[message.number] = left > 0 ? left : nil
        }
        if counts[room]?.isEmpty == true { counts[room] = nil }
        count(-messages.reduce(0) { $0 + $1.cost }, of: account)
    }

    private mutating func count(_ bytes: Int, of account: AccountID) {
        cost += bytes
        let rest = costs[account, default: 0] + bytes
        costs[account] = rest == 0 ? nil : rest
    }
}
