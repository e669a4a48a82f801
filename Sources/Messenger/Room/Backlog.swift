import MildamIdentity

/// What a room has that this device has not taken in: more than one command does.
public struct Backlog: Codable, Sendable, Equatable {
    /// The room's name.
    public var room: String
    /// How many messages.
    public var waiting: UInt64
    /// Who said more than half of what was taken in last, by their own signatures.
    public var most: Handle?

    /// - Parameters:
    ///   - taken: what was taken in last.
    ///   - next: the number that the room's next message will get, by the relay's word.
    init(after taken: TakenIn, next: UInt64) {
        room = taken.ledger.name
        waiting = next - min(next, taken.ledger.seen.number + 1)
        let accepted = taken.entries.filter { if case .accepted = $0.outcome { true } else { false } }
        let counts = Dictionary(accepted.compactMap { entry in entry.sender.map { ($0, 1) } }, uniquingKeysWith: +)
        most = counts.first { $0.value > taken.entries.count / 2 }?.key
    }
}

extension Backlog: CustomStringConvertible {
    /// What is missing.
    public var description: String {
        let whose = most.map { " (most of the last ones are \($0.text)'s)" } ?? ""
        return "\(waiting) messages of \(room) are not taken in yet\(whose)"
    }
}
