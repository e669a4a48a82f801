/// Which end of a WebSocket one is. A client masks what it sends; a server does not (RFC 6455, section 5.1).
public enum WebSocketRole: Sendable {
    case client, server
}
