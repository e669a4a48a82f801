import MildamIdentity

/// What a client says on `GET /v1/socket`, as a text message.
public enum LiveRequest: Codable, Sendable, Equatable {
    /// Deliver the room's messages from this number on, as they come.
    case subscribe(room: RoomID, from: UInt64)
    /// Stop.
    case unsubscribe(room: RoomID)
    /// This device has the room's messages up to this number. What is acknowledged is written down some seconds later, with
    /// what others acknowledge; nothing is answered.
    case acknowledge(room: RoomID, number: UInt64)
    /// Stay open for as long as this access token lives: a fresh one of the session that the socket was opened with.
    ///
    /// A token that is bound to a key comes with a proof that would open a socket with it: for `GET` of this route and for
    /// the token (RFC 9449, section 4.2), and taken once. A nonce, where the relay wants one, is that of its answers over
    /// HTTP.
    case renew(access: String, proof: String? = nil)
}

/// What the relay says on the socket.
public enum LiveEvent: Codable, Sendable, Equatable {
    /// Which store the relay has: the first thing that is said. Another one after it was put back.
    case hello(incarnation: IncarnationID)
    /// A message of a subscribed room; numbers follow each other without a gap.
    case message(room: RoomID, message: RoomMessage)
    /// Numbers of a subscribed room that were lost when the relay's store was put back, and that nobody gave back: its
    /// messages go on behind them.
    case lost(room: RoomID, first: UInt64, last: UInt64)
    /// More lies in the room than the socket could take, or not from where it asked: fetch from this number, then subscribe again.
    case behind(room: RoomID, from: UInt64)
    /// Something is in the device's mailbox up to this number.
    case mailbox(next: UInt64)
    /// The account is no longer a member of the room, or subscribes to one that it is no member of, or that is not there.
    case removed(room: RoomID)
    /// The room goes on in another of its groups: told to all of its members, whatever they follow. Told also to who comes into
    /// it without a Welcome.
    case generation(room: RoomID)
    /// A subscribed room has another GroupInfo of its present epoch: each member answers which key is its own.
    case groupInfo(room: RoomID)
    /// The socket stays open until then, in seconds since 1970 by the relay's clock.
    case renewed(until: Int64)
    /// A request on this socket was refused.
    case refused(error: APIError)
}
