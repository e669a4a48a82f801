import Foundation
import MildamGroupKey
import MildamIdentity

/// What a client of the first rooms stored of something that waited to be sent.
struct StoredUnsent: Encodable, Sendable {
    let room: RoomID
    let message: MessageID
    let written: Int64
    let event: RoomContent.Event
    let attempt: Attempt?

    struct Attempt: Encodable, Sendable {
        let generation: UInt32
        let counter: UInt64
        let body: Data
    }

    init(_ event: RoomContent.Event, for room: RoomID) {
        self.room = room
        self.event = event
        message = .random()
        written = 9
        attempt = Attempt(generation: 1, counter: 2, body: Data([1, 2, 3]))
    }
}
