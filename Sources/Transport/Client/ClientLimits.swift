/// What a client puts up with. Bytes and durations; every one is a positive bound.
public struct ClientLimits: Sendable {
    /// Status line, fields and line ends together.
    public var maxHeadBytes = 16 * 1024
    /// Field lines of a response.
    public var maxFields = 100
    /// Content of a response.
    public var maxBodyBytes = 16 * 1024 * 1024
    /// A WebSocket message, its fragments together.
    public var maxMessageBytes = 1024 * 1024
    /// WebSocket messages that wait for the program to take them before the socket is no longer read.
    public var maxBufferedMessages = 64
    /// Bytes that wait to be sent over a WebSocket before `send` waits.
    public var maxQueuedBytes = 1024 * 1024
    /// HTTP connections at once; further requests wait for one.
    public var maxConnections = 8
    /// To look a name up.
    public var resolveTimeout = Duration.seconds(10)
    /// To connect to one address, and for TLS's handshake with it.
    public var connectTimeout = Duration.seconds(10)
    /// From the start of a request, waiting for a connection included, to the end of its response.
    public var requestTimeout = Duration.seconds(60)
    /// How long an unused HTTP connection is kept; less than the server's, or the server wins the race to close it.
    public var keepAlive = Duration.seconds(30)
    /// A WebSocket that has been silent so long is pinged, and dropped when it stays silent as long again.
    public var pingInterval = Duration.seconds(30)
    /// While bytes wait to be sent over a WebSocket, the longest time in which not one of them goes.
    public var writeTimeout = Duration.seconds(30)
    /// From a WebSocket's close frame to the end of the connection.
    public var closeTimeout = Duration.seconds(2)

    /// The defaults.
    public init() {}
}
