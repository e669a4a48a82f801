import MildamWire

/// How often a device may come back to one room from outside: three times an hour; each time that this is not enough, it waits
/// twice as long, a day at most (H13).
public struct RepairBudget: Sendable, Equatable {
    /// Repairs in an hour.
    public static let maximum = 3
    /// An hour, in seconds.
    public static let hour: UInt64 = 3600
    /// The longest wait, in seconds: a day.
    public static let longestWait: UInt64 = 86_400

    /// When it came back, in the last hour.
    private var recent: [UInt64] = []
    /// How long the next wait is, in seconds.
    private var wait = RepairBudget.hour
    /// Before this second it does not come back again.
    public private(set) var blockedUntil: UInt64 = 0

    /// It never came back.
    public init() {}

    /// Takes a repair, or refuses it.
    ///
    /// - Parameters:
    ///   - namesAnothersCommit: whether the repair mends another account's commit, which is not counted.
    ///   - hasReadLog: whether the log was read to its end.
    ///   - hasWelcome: whether a Welcome waits for this device.
    ///   - now: seconds of a clock that does not go back.
    /// - Throws: `repairComesLast`, `repairIsNotTooOften`.
    public mutating func take(
        namesAnothersCommit: Bool,
        hasReadLog: Bool,
        hasWelcome: Bool,
        at now: UInt64
    ) throws(RoomRefusal) {
        try require(.repairComesLast, hasReadLog && !hasWelcome)
        guard !namesAnothersCommit else { return }
        try require(.repairIsNotTooOften, now >= blockedUntil)
        recent = recent.filter { $0 + RepairBudget.hour > now } + [now]
        guard recent.count >= RepairBudget.maximum else { return }
        blockedUntil = now + wait
        wait = min(2 * wait, RepairBudget.longestWait)
        recent = []
    }

    /// It works again: the next wait is an hour.
    public mutating func reset() { wait = RepairBudget.hour }

    /// The longest delay before a repair, in milliseconds: 60 for each leaf, a minute at most. What is waited is drawn from
    /// 0 to this.
    public static func longestDelay(leaves: Int) -> UInt64 { UInt64(min(max(leaves, 0), 1000)) * 60 }
}

extension RepairBudget: WireEncodable, WireDecodable {
    /// Reads what a client has stored.
    public init(from reader: inout WireReader) throws(WireError) {
        for _ in 0..<(try reader.integer(UInt8.self)) { recent.append(try reader.integer()) }
        wait = try reader.integer()
        blockedUntil = try reader.integer()
    }

    /// Appends what was taken lately, and the waits: 41 bytes at most.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(recent.count))
        for second in recent { writer.integer(second) }
        writer.integer(wait)
        writer.integer(blockedUntil)
    }
}
