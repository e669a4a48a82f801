import MildamIdentity
import MildamRelayAPI

/// What a room has that this device has not taken in: more than one command does.
public struct Backlog: Codable, Sendable, Equatable {
    /// The room's name.
    public var room: String
    /// How many messages.
    public var waiting: UInt64
    /// Who sent more than half of those that were taken in last.
    public var most: Handle?

    /// - Parameters:
    ///   - page: the messages that were taken in last, and what the room's next number is.
    ///   - number: the first message that was not taken in.
    init(of ledger: RoomLedger, behind page: MessagePage, from number: UInt64) {
        room = ledger.name
        waiting = page.next - number
        let counts = Dictionary(page.messages.map { ($0.account, 1) }, uniquingKeysWith: +)
        most = counts.first { $0.value > page.messages.count / 2 }.flatMap { ledger.member($0.key)?.handle }
    }
}

extension Backlog: CustomStringConvertible {
    /// What is missing, and what to do.
    public var description: String {
        let whose = most.map { " (most of the last ones are \($0.text)'s)" } ?? ""
        return "\(waiting) messages of \(room) are not taken in yet\(whose): do the same again, or let `mildam watch` do it"
    }
}
