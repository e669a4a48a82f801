import MildamClientCore
import MildamIdentity
import MildamRelayAPI
import MildamTransport

/// A connection to the relay, and what goes on over it.
struct RoomLink {
    /// How many requests are under way at once; the others wait.
    static let requests = 8
    /// How many rooms are followed at the most: as many as the relay tells of over one connection. The others are looked at from time
    /// to time.
    static let mostFollowed = 1000

    /// Which connection it is.
    let number: Int
    /// What the relay tells over.
    let socket: WebSocketConnection
    /// The rooms that are followed over it.
    var followed: Set<RoomID> = []
    /// Whether the relay is to be asked for all of them again.
    var isToFollowAnew = false
    /// What the relay told and was not taken in yet.
    var arrived: [LiveEvent] = []
    /// How far the relay was told that this device has read.
    var acknowledged: [RoomID: UInt64] = [:]
    /// Whether it is about to be told.
    var isToAcknowledge = false
    /// Whether somebody is about to take it in.
    var isToBeTaken = false
    /// The relay's store, as it names it; empty where it does not.
    var incarnation: [UInt8] = []
    /// Whether the next key packages take the place of those that the relay has.
    var replacesKeyPackages = false
    /// Whether the relay told of something that could not be had: it is looked for soon.
    var isLookDue = false
    private var waiting: [(id: RequestID, request: RoomRequest)] = []
    private var running = 0

    init(number: Int, socket: WebSocketConnection) {
        self.number = number
        self.socket = socket
    }

    /// Something is to be asked.
    mutating func add(_ id: RequestID, _ request: RoomRequest) { waiting.append((id, request)) }

    /// The next request that may be made now.
    mutating func next() -> (id: RequestID, request: RoomRequest)? {
        guard running < RoomLink.requests, !waiting.isEmpty else { return nil }
        running += 1
        return waiting.removeFirst()
    }

    /// A request was answered.
    mutating func finish() { running -= 1 }
}
