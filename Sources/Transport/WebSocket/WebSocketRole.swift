/// Which end of a WebSocket one is. A client masks what it sends; a server does not (RFC 6455, section 5.1).
public enum WebSocketRole: Sendable {
    /// The end that asked for the WebSocket.
    case client
    /// The end that was asked.
    case server
}
