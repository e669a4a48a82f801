import MildamIdentity

/// What a relay has less of than this profile has had from it. An older copy of its data may have been put back, which is
/// no attack; a relay that hides what came since looks alike.
public enum RelayLag: Equatable, Sendable {
    /// The last message of a room that the relay has, and the last that was taken in here; 0 for none.
    case room(String, last: UInt64, seen: UInt64)
    /// The newest device list of an account that the relay has, and the newest seen here.
    case deviceList(Handle, last: UInt64, seen: UInt64)
    /// The last number that the relay gave in this device's mailbox, and the last that was taken from it; 0 for none.
    case mailbox(last: UInt64, taken: UInt64)
}

extension RelayLag: CustomStringConvertible {
    /// What is missing, the likely cause, and what to do.
    public var description: String {
        let cause = "an older copy of its data was probably put back"
        let remedy = "ask whoever runs it"
        return switch self {
        case .room(let room, 0, let seen):
            "the relay has nothing of \(room), of which this profile has seen message \(seen): \(cause); "
                + "nothing was sent; \(remedy)"
        case .room(let room, let last, let seen):
            "the relay has \(room) up to message \(last), and this profile has seen \(seen): \(cause); "
                + "nothing was sent; \(remedy)"
        case .deviceList(let handle, let last, let seen):
            "the relay has device list \(last) of \(handle), and this profile has seen \(seen): \(cause); "
                + "nothing was sent; \(remedy)"
        case .mailbox(let last, let taken):
            "the relay has this device's mail up to number \(last), and this profile has taken \(taken): \(cause); "
                + "invitations that it numbers up to \(taken) do not arrive; \(remedy)"
        }
    }
}

extension RoomLedger {
    /// What a relay lacks of the room; `nil` where it has all that was taken in here. What an invitation alone says of the
    /// room is its sender's word, and proves nothing of the relay.
    ///
    /// - Parameter next: the number that the relay gives the room's next message.
    func lag(of next: UInt64) -> RelayLag? {
        guard seen.number > start.number, next <= seen.number else { return nil }
        return .room(name, last: next == 0 ? 0 : next - 1, seen: seen.number)
    }
}
