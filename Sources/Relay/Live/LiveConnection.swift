import MildamIdentity
import MildamTransport

/// What the hub knows of an open socket.
struct LiveConnection {
    /// A room that the socket follows.
    struct Subscription {
        /// Which `subscribe` it came from; what was read for an earlier one is not for this one.
        let serial: UInt64
        /// The number that is due next.
        var next: UInt64
        /// Whether everything below `next` was sent, and what comes now goes straight out.
        var isLive = false
        /// The highest number that came by while the store was being read.
        var passed: UInt64 = 0
    }

    /// Who opened it.
    let sender: Sender
    let socket: WebSocket
    /// When its newest access token runs out, in seconds since 1970.
    var expires: Int64
    /// Ends it then.
    var expiry: TimerToken
    var subscriptions: [RoomID: Subscription] = [:]
    /// Rooms that are to be read for it, each once, in turn: however often it asks, one read is under way.
    var toRead: [RoomID] = []
    /// The subscription that is being read for, by its serial.
    var reading: UInt64?
}
