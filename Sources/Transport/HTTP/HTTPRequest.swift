/// A whole request as a server's handler gets it.
public struct HTTPRequest: Sendable {
    /// What to do.
    public let method: HTTPMethod
    /// To what.
    public let target: HTTPTarget
    /// Header fields as received. Trailer fields of a chunked body are dropped.
    public let fields: HTTPFields
    /// The content, whole and no longer than the server's limit.
    public let body: [UInt8]
    /// The other end of the connection: behind a reverse proxy, the proxy.
    public let peer: SocketAddress
    /// Whether it came over TLS that ends here.
    public let isSecure: Bool

    /// Makes a request, for tests of handlers.
    public init(
        method: HTTPMethod,
        target: HTTPTarget,
        fields: HTTPFields = [:],
        body: [UInt8] = [],
        peer: SocketAddress = .loopback(port: 0),
        isSecure: Bool = false
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.peer = peer
        self.isSecure = isSecure
    }
}
