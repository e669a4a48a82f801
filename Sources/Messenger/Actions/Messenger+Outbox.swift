import MildamGroupKey
import MildamIdentity

/// Something that waits to be sent.
public struct WaitingMessage: Codable, Sendable {
    /// Its place in the outbox.
    public var place: Int64
    /// The name of the room it is for.
    public var room: String
    /// When it was written, in milliseconds since 1970.
    public var written: Int64
    /// What it says; the name of a file.
    public var text: String
}

extension Messenger {
    /// What waits to be sent, in order.
    public func outbox() async throws(MessengerError) -> [WaitingMessage] {
        try await alone { (messenger, store) throws(MessengerError) in
            var waiting: [WaitingMessage] = []
            for (place, item) in try store.outbox() {
                let text =
                    switch item.event {
                    case .text(let body): body
                    case .attachment(let file): file.name
                    default: ""
                    }
                let room = try messenger.ledger(item.room, store).name
                waiting.append(WaitingMessage(place: place, room: room, written: item.written, text: text))
            }
            return waiting
        }
    }

    /// Drops something that waits. The relay may have it all the same, if an earlier attempt's answer was lost.
    public func dropFromOutbox(_ place: Int64) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) in
            guard let (_, item) = try store.outbox().first(where: { $0.place == place }) else {
                throw .notInOutbox(place: place)
            }
            try messenger.drop(item, at: place, store)
            try store.forgetDeleted()
        }
    }
}
