/// Answers a server's requests. Everything is called on the server's loop, so nothing here may block.
public protocol HTTPHandler: AnyObject, Sendable {
    /// Whether a connection from this address may begin. Asked before TLS's handshake; who may not is hung up on.
    func admits(_ peer: SocketAddress) -> Bool

    /// Whether a client from this address may have a handshake, of which the first bytes are here. Asked before any of it is
    /// looked at; who may not is hung up on, and has cost no cryptography.
    func admitsHandshake(_ peer: SocketAddress) -> Bool

    /// A whole request has come. `reply` may be kept and answered later, from any thread, once.
    func handle(_ request: HTTPRequest, _ reply: HTTPReply)

    /// A well-formed WebSocket upgrade has come (RFC 6455, section 4.2.1). Says how to answer it.
    func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade

    /// How many bytes of content a request may have, of which only the head has come. Asked when they may be more than
    /// `ServerLimits.maxBodyBytes`; `nil` is that.
    func maximumBody(of request: HTTPRequest) -> Int?

    /// What to answer where the server refuses by itself: a rule was broken or a limit passed. The connection ends with it.
    ///
    /// - Parameters:
    ///   - status: 400 to 505.
    ///   - request: the head, without content; `nil` when there is none that could be read.
    func refusal(_ status: Int, of request: HTTPRequest?) -> HTTPResponse
}

extension HTTPHandler {
    /// A server without WebSockets: 404.
    public func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
        .refuse(HTTPResponse(status: 404))
    }

    /// A server that anybody may come to as often as they like.
    public func admits(_ peer: SocketAddress) -> Bool { true }

    /// A server that shakes hands with everybody.
    public func admitsHandshake(_ peer: SocketAddress) -> Bool { true }

    /// A server with one limit for all.
    public func maximumBody(of request: HTTPRequest) -> Int? { nil }

    /// The status alone.
    public func refusal(_ status: Int, of request: HTTPRequest?) -> HTTPResponse {
        HTTPResponse(status: status)
    }
}

/// The answer to a WebSocket upgrade.
public enum WebSocketUpgrade: Sendable {
    /// 101; messages go to the handler.
    case accept(any WebSocketHandler)
    /// Anything else, held back for so long.
    case refuse(HTTPResponse, heldBackFor: Duration = .zero)
}
