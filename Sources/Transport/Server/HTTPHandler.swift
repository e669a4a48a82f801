/// Answers a server's requests. Everything is called on the server's loop, so nothing here may block.
public protocol HTTPHandler: AnyObject, Sendable {
    /// A whole request has come. `reply` may be kept and answered later, from any thread, once.
    func handle(_ request: HTTPRequest, _ reply: HTTPReply)

    /// A well-formed WebSocket upgrade has come (RFC 6455, section 4.2.1). Says how to answer it.
    func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade
}

extension HTTPHandler {
    /// A server without WebSockets: 404.
    public func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
        .refuse(HTTPResponse(status: 404))
    }
}

/// The answer to a WebSocket upgrade.
public enum WebSocketUpgrade: Sendable {
    /// 101; messages go to the handler.
    case accept(any WebSocketHandler)
    /// Anything else.
    case refuse(HTTPResponse)
}
