/// Hears what a WebSocket's other end says. Everything is called on the loop, in order, so nothing here may block.
public protocol WebSocketHandler: AnyObject, Sendable {
    /// The upgrade is done; the socket may be kept and used from any thread. Called once, first.
    func opened(_ socket: WebSocket)

    /// A text message has come.
    func received(text: String, on socket: WebSocket)

    /// A binary message has come.
    func received(binary: [UInt8], on socket: WebSocket)

    /// It is over. Called once, last.
    ///
    /// - Parameter code: the other side's close code (RFC 6455, section 7.4); `nil` when it gave none, or when the
    ///   connection ended without a close frame.
    func closed(code: UInt16?, reason: String, on socket: WebSocket)
}
