import MildamIdentity
import MildamRelayAPI
import MildamRoomRules
import MildamSystem

/// Whose messages were overtaken by commits, by room: who was, twice, goes first for a while (H12). From any thread.
final class OvertakenRooms: Sendable {
    /// Rooms that are remembered. Where there are more, the one in which nobody was overtaken for longest is forgotten.
    static let maximumRooms = 4_096
    /// How many milliseconds pass at least between two looks through all rooms for those of which nothing counts any more.
    private static let pause: UInt64 = 1000

    private struct State {
        var rooms: [RoomID: OvertakenSenders] = [:]
        var looked: UInt64?
    }

    private let state = Lock(State())

    /// What came of a message that was sent. One of an epoch that is to come was overtaken by nothing: whoever makes epochs up
    /// would otherwise keep the others from committing.
    ///
    /// - Parameter now: milliseconds of a clock that does not go back.
    func note(
        _ result: Result<SendReceipt, APIError>,
        of request: GroupSendRequest,
        by sender: Sender,
        in room: RoomID,
        at now: UInt64
    ) {
        switch result {
        case .success: take(sender, in: room)
        case .failure(let refusal):
            guard refusal.code == .staleEpoch, let generation = refusal.generation, let epoch = refusal.epoch else {
                return
            }
            let isOver = MessageEpoch.isOver(
                generation: UInt64(request.generation),
                epoch: request.epoch,
                presentGeneration: UInt64(generation),
                presentEpoch: epoch
            )
            if isOver { overtake(sender, in: room, at: now) }
        }
    }

    /// A device's message was of an epoch that is over.
    ///
    /// - Parameter now: milliseconds of a clock that does not go back.
    func overtake(_ sender: Sender, in room: RoomID, at now: UInt64) {
        state.withLock { state in
            if state.rooms[room] == nil, state.rooms.count >= Self.maximumRooms { Self.makeSpace(in: &state, at: now) }
            var senders = state.rooms[room] ?? OvertakenSenders()
            senders.forget(at: now)
            senders.overtake(sender.overtaken, at: now)
            state.rooms[room] = senders
        }
    }

    /// A device's message was taken.
    func take(_ sender: Sender, in room: RoomID) {
        state.withLock { state in
            guard var senders = state.rooms[room] else { return }
            senders.take(sender.overtaken)
            state.rooms[room] = senders
        }
    }

    /// Whether a device may commit now.
    ///
    /// - Throws: `overtakenSenderGoesFirst`.
    func check(commitBy sender: Sender, in room: RoomID, at now: UInt64) throws(RoomRefusal) {
        guard let senders = state.withLock({ $0.rooms[room] }) else { return }
        try senders.check(commitBy: sender.overtaken, at: now)
    }

    private static func makeSpace(in state: inout State, at now: UInt64) {
        if state.looked.map({ now >= $0 + pause }) ?? true {
            state.looked = now
            for room in Array(state.rooms.keys) {
                state.rooms[room]?.forget(at: now)
                if state.rooms[room]?.isForgotten(at: now) == true { state.rooms[room] = nil }
            }
        }
        guard state.rooms.count >= maximumRooms,
            let oldest = state.rooms.min(by: { $0.value.lastOvertaken < $1.value.lastOvertaken })
        else { return }
        state.rooms[oldest.key] = nil
    }
}

extension Sender {
    fileprivate var overtaken: OvertakenSenders.Sender { OvertakenSenders.Sender(account: account, device: device) }
}
