import MildamClientCore
import MildamIdentity
import MildamRelayAPI

/// What the relay told one after the other, put together: messages that follow each other in a room are one page of its log.
struct LiveBatch {
    /// The pages, each room's in their order.
    private(set) var pages: [LogPage] = []
    /// Rooms of which more is to be read at the relay than came, and up to which number there is something.
    private(set) var behind: [RoomID: UInt64] = [:]

    /// - Parameter incarnation: the relay's store, as it was named when the socket was opened.
    /// - Throws: `relayAnswer`.
    init(_ events: [LiveEvent], _ incarnation: [UInt8]) throws(MessengerError) {
        var gathered: (room: RoomID, messages: [RoomMessage])?
        for event in events {
            switch event {
            case .message(let room, let message):
                if let last = gathered?.messages.last, gathered?.room == room, last.number &+ 1 == message.number {
                    gathered?.messages.append(message)
                } else {
                    if let gathered {
                        pages.append(try LogPage(live: gathered.messages, of: gathered.room, incarnation))
                    }
                    gathered = (room, [message])
                }
            case .behind(let room, let number), .lost(let room, _, let number): behind[room] = number
            case .hello, .mailbox, .removed, .generation, .groupInfo, .renewed, .refused: break
            }
        }
        if let gathered { pages.append(try LogPage(live: gathered.messages, of: gathered.room, incarnation)) }
    }
}

extension LogPage {
    /// That a room has messages up to a number, none of which came.
    init(upTo number: UInt64, of room: RoomID, _ incarnation: [UInt8]) {
        self.init(room: room, messages: [], first: 1, last: number, epoch: 0, incarnation: incarnation)
    }
}
