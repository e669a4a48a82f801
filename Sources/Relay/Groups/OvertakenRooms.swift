import MildamIdentity
import MildamRoomRules
import MildamSystem

/// Whose messages were overtaken by commits, by room: who was, twice, goes first for a while (H12). From any thread.
final class OvertakenRooms: Sendable {
    /// Rooms that are remembered; nothing is kept of one for longer than it counts.
    private static let maximumRooms = 4_096

    private let rooms = Lock<[RoomID: OvertakenSenders]>([:])

    /// A device's message was of an epoch that is over.
    ///
    /// - Parameter now: milliseconds of a clock that does not go back.
    func overtake(_ sender: Sender, in room: RoomID, at now: UInt64) {
        rooms.withLock { rooms in
            if rooms.count >= Self.maximumRooms { rooms = [:] }
            rooms[room, default: OvertakenSenders()].overtake(sender.overtaken, at: now)
        }
    }

    /// A device's message was taken.
    func take(_ sender: Sender, in room: RoomID) {
        rooms.withLock { rooms in
            guard var senders = rooms[room] else { return }
            senders.take(sender.overtaken)
            rooms[room] = senders
        }
    }

    /// Whether a device may commit now.
    ///
    /// - Throws: `overtakenSenderGoesFirst`.
    func check(commitBy sender: Sender, in room: RoomID, at now: UInt64) throws(RoomRefusal) {
        guard let senders = rooms.withLock({ $0[room] }) else { return }
        try senders.check(commitBy: sender.overtaken, at: now)
    }
}

extension Sender {
    fileprivate var overtaken: OvertakenSenders.Sender { OvertakenSenders.Sender(account: account, device: device) }
}
