import MildamIdentity

/// Devices whose messages met `stale_epoch`, in one room: one that was overtaken twice goes first for three seconds, once in ten.
/// Between two turns, whosever they are, the others commit (H12).
public struct OvertakenSenders: Sendable {
    /// A device of an account.
    public struct Sender: Hashable, Sendable {
        /// The account.
        public let account: AccountID
        /// The device.
        public let device: DeviceID

        /// A sender.
        public init(account: AccountID, device: DeviceID) {
            self.account = account
            self.device = device
        }
    }

    /// How often a device is overtaken before it goes first.
    public static let patience = 2
    /// For how many milliseconds it goes first.
    public static let turn: UInt64 = 3000
    /// How many milliseconds pass at least from the end of one turn to the next: a few devices together would otherwise keep a
    /// room from putting them out.
    public static let interval: UInt64 = 3000
    /// How many milliseconds pass between two turns of one device.
    public static let pause: UInt64 = 10_000
    /// For how many milliseconds it counts that a device was overtaken: ten minutes.
    public static let memory: UInt64 = 600_000

    private struct Record {
        var overtaken = 0
        /// When it was overtaken last.
        var last: UInt64 = 0
        var turnBegan: UInt64?
        var isSent = false
    }

    private var records: [Sender: Record] = [:]
    /// When the last turn ends, or has ended.
    private var lastTurnEnds: UInt64?
    /// When a device was overtaken last, whichever it was; 0 for never.
    public private(set) var lastOvertaken: UInt64 = 0

    /// Nobody was overtaken.
    public init() {}

    /// A device's message was of an epoch that is over.
    ///
    /// - Parameter now: milliseconds of a clock that does not go back.
    public mutating func overtake(_ sender: Sender, at now: UInt64) {
        var record = records[sender] ?? Record()
        if now >= record.last + OvertakenSenders.memory { record.overtaken = 0 }
        record.overtaken += 1
        record.last = now
        lastOvertaken = now
        let hasRested = record.turnBegan.map { now >= $0 + OvertakenSenders.pause } ?? true
        let isFree = lastTurnEnds.map { now >= $0 + OvertakenSenders.interval } ?? true
        if record.overtaken >= OvertakenSenders.patience, hasRested, isFree {
            record = Record(overtaken: 0, last: now, turnBegan: now, isSent: false)
            lastTurnEnds = now + OvertakenSenders.turn
        }
        records[sender] = record
    }

    /// A device's message was taken: its turn is over.
    public mutating func take(_ sender: Sender) {
        records[sender]?.overtaken = 0
        records[sender]?.isSent = true
    }

    /// Whether a device may commit now, removals too.
    ///
    /// - Throws: `overtakenSenderGoesFirst`, while another one has its turn.
    public func check(commitBy sender: Sender, at now: UInt64) throws(RoomRefusal) {
        let isAnothersTurn = records.contains { other, record in
            other != sender && !record.isSent && record.turnBegan.map { now < $0 + OvertakenSenders.turn } ?? false
        }
        try require(.overtakenSenderGoesFirst, !isAnothersTurn)
    }

    /// Forgets devices of which nothing counts any more: they were not overtaken for long, and their last turn was long ago.
    public mutating func forget(at now: UInt64) {
        records = records.filter { entry in
            let record = entry.value
            return record.overtaken > 0 && now < record.last + OvertakenSenders.memory
                || record.turnBegan.map { now < $0 + OvertakenSenders.pause } ?? false
        }
    }

    /// Whether nothing counts of what was remembered: no device is left, and the next turn may begin.
    public func isForgotten(at now: UInt64) -> Bool {
        records.isEmpty && lastTurnEnds.map { now >= $0 + OvertakenSenders.interval } ?? true
    }
}
