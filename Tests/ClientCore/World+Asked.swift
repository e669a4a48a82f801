import MildamClientCore
import MildamIdentity
import MildamSimulate

/// Standing in for the relay, where it is to answer what no honest one does.
extension World {
    /// What a person's client asks the relay for now; the relay hears nothing of it.
    mutating func asked(_ person: UInt8) -> [(id: RequestID, request: RoomRequest)] {
        var asked: [(id: RequestID, request: RoomRequest)] = []
        for effect in players[person]?.core.delivery.takeAll() ?? [] {
            if case .request(let id, let request) = effect {
                asked.append((id, request))
            } else {
                players[person]?.core.delivery.perform(effect)
            }
        }
        return asked
    }

    /// What a person's client sends now, and the request that it is; the relay hears nothing of it.
    mutating func sent(_ person: UInt8) -> (id: RequestID, message: OutgoingMessage)? {
        for (id, request) in asked(person) {
            if case .send(_, let message) = request { return (id, message) }
        }
        return nil
    }

    /// A part of the room's log without messages.
    func page(
        first: UInt64 = 1,
        last: UInt64,
        epoch: UInt64 = 0,
        incarnation: UInt8 = 1,
        lost: [ClosedRange<UInt64>] = []
    ) -> LogPage {
        LogPage(
            room: Cast.room,
            messages: [],
            first: first,
            last: last,
            epoch: epoch,
            incarnation: [UInt8](repeating: incarnation, count: LogPage.incarnationSize),
            lost: lost
        )
    }

    /// How far a person has read the room.
    func read(_ person: UInt8) -> UInt64 { players[person]?.room()?.history.number ?? 0 }

    /// The room's epoch, as a person has it.
    func epoch(_ person: UInt8) -> UInt64 { players[person]?.room()?.group?.publicGroup.context.epoch ?? 0 }
}
