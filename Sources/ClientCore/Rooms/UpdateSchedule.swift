import MildamWire

/// When a device gives itself new keys in a room (H22): with its first own message after joining, or soon after; then after
/// seven days or 1,000 own messages, drawn over the next tenth, so that not all do it at once.
public struct UpdateSchedule: Hashable, Sendable {
    /// Seven days, in milliseconds.
    static let interval: UInt64 = 7 * 86_400_000
    /// Own messages.
    static let messages: UInt64 = 1000
    /// The longest time that the first one waits, in milliseconds: a day.
    static let longestFirst: UInt64 = 86_400_000

    /// The moment of the steady clock at which it is due, in milliseconds.
    private(set) var dueAt: UInt64
    private var messagesLeft: UInt64
    /// Whether one has had no keys of one's own making since one joined.
    private(set) var isFirst: Bool

    /// For one who was added: so many leaves share the first day.
    ///
    /// - Parameter draw: a number from 0 to the given one.
    init(addedAt now: UInt64, leaves: Int, draw: (UInt64) -> UInt64) {
        dueAt = now + draw(UpdateSchedule.firstSpan(leaves))
        messagesLeft = UpdateSchedule.messages
        isFirst = true
    }

    /// For one who has just made keys.
    init(renewedAt now: UInt64, draw: (UInt64) -> UInt64) {
        dueAt = now + UpdateSchedule.interval + draw(UpdateSchedule.interval / 10)
        messagesLeft = UpdateSchedule.messages + draw(UpdateSchedule.messages / 10)
        isFirst = false
    }

    private static func firstSpan(_ leaves: Int) -> UInt64 { min(longestFirst, UInt64(max(leaves, 0)) * 60_000) }

    /// The relay can be reached: the first one is drawn from the time of being connected.
    mutating func connect(at now: UInt64, leaves: Int, draw: (UInt64) -> UInt64) {
        guard isFirst else { return }
        dueAt = now + draw(UpdateSchedule.firstSpan(leaves))
    }

    /// A message of one's own has its number.
    mutating func say() { messagesLeft -= min(messagesLeft, 1) }

    /// Whether it is due.
    func isDue(at now: UInt64) -> Bool { now >= dueAt || messagesLeft == 0 }
}

/// A schedule as it is stored: 17 bytes.
extension UpdateSchedule {
    /// Reads a schedule.
    init(stored reader: inout WireReader) throws(WireError) {
        dueAt = try reader.integer()
        messagesLeft = try reader.integer()
        isFirst = try reader.flag()
    }

    /// Appends the schedule.
    func store(into writer: inout WireWriter) {
        writer.integer(dueAt)
        writer.integer(messagesLeft)
        writer.flag(isFirst)
    }
}
