/// What a server puts up with. Bytes and durations; every one is a positive bound.
public struct ServerLimits: Sendable {
    /// Request line, fields and line ends together.
    public var maxHeadBytes = 16 * 1024
    /// Field lines of a request.
    public var maxFields = 100
    /// Content of a request, unless `HTTPHandler.maximumBody(of:)` grants it more.
    public var maxBodyBytes = 1024 * 1024 + 64 * 1024
    /// Content that has come in part, of all requests together, requests that wait for their turn, and WebSocket messages
    /// that have come in part; what would go beyond is answered 503, or 1013, or cut off.
    public var maxBufferedBodyBytes = 256 * 1024 * 1024
    /// Payload of one WebSocket frame; less than `maxMessageBytes` refuses clients that do not fragment.
    public var maxFrameBytes = 1024 * 1024
    /// A WebSocket message, its fragments together.
    public var maxMessageBytes = 1024 * 1024
    /// Connections at once; further ones wait in the kernel's queue.
    public var maxConnections = 65_536
    /// Connections at once from one IPv4 address, or from one /64 of IPv6; further ones are closed unanswered. As many
    /// as there may be at all, unless set: behind a reverse proxy everyone comes from its address.
    public var maxConnectionsPerAddress = 65_536
    /// Connections at once from one /24 of IPv4, or from one /48 of IPv6; further ones are closed unanswered. As many as there
    /// may be at all, unless set.
    public var maxConnectionsPerNetwork = 65_536
    /// Handshakes that wait to be worked at. One more takes the place of one whose network, or address, has more of them
    /// waiting, or is closed unanswered.
    public var maxWaitingHandshakes = 4096
    /// Those of one IPv4 address, or of one /64 of IPv6, that have to be begun, and as many again that go on. As many as there may
    /// be at all, unless set.
    public var maxWaitingHandshakesPerAddress = 4096
    /// Threads that work at handshakes. Tests have none, and work themselves.
    var handshakeThreads = HandshakeWorkers.usualCount
    /// Bytes that wait for a slow reader before nothing more is queued for it.
    public var maxQueuedBytesPerConnection = 1024 * 1024
    /// Bytes that wait for slow readers, of all connections together. The one that would go beyond is cut off.
    public var maxQueuedBytes = 512 * 1024 * 1024
    /// How much of what has come in part may be of one IPv4 address, or of one /64 of IPv6, and as much again of what
    /// waits to be sent. No less than there may be at all, unless set.
    public var maxBytesPerAddress = Int.max
    /// From the first byte of a connection (TLS handshake) or of a request to the end of the head.
    public var headTimeout = Duration.seconds(10)
    /// From the head to the end of the content, and from the first to the last byte of a WebSocket message, beside the
    /// time that `minBodyBytesPerSecond` allows.
    public var bodyTimeout = Duration.seconds(30)
    /// Content that arrives more slowly than this does not prolong its time.
    public var minBodyBytesPerSecond = 8 * 1024
    /// Between two requests.
    public var idleTimeout = Duration.seconds(60)
    /// While bytes wait to be sent, the longest time in which not one of them goes.
    public var writeTimeout = Duration.seconds(30)
    /// A WebSocket that has been silent so long is pinged, and dropped when it stays silent as long again.
    public var pingInterval = Duration.seconds(45)
    /// From the end of the last answer, or from a WebSocket's close frame, to the end of the connection.
    public var closeTimeout = Duration.seconds(2)

    /// The defaults.
    public init() {}
}
