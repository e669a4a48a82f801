/// The limits of one WebSocket; see `ServerLimits` and `ClientLimits` for their meaning.
struct WebSocketSettings {
    let maxFrameBytes: Int
    let maxMessageBytes: Int
    let maxQueuedBytes: Int
    let pingInterval: Duration
    let writeTimeout: Duration
    let closeTimeout: Duration

    init(_ limits: ServerLimits) {
        maxFrameBytes = limits.maxFrameBytes
        maxMessageBytes = limits.maxMessageBytes
        maxQueuedBytes = limits.maxQueuedBytesPerConnection
        pingInterval = limits.pingInterval
        writeTimeout = limits.writeTimeout
        closeTimeout = limits.closeTimeout
    }

    init(_ limits: ClientLimits) {
        maxFrameBytes = limits.maxMessageBytes
        maxMessageBytes = limits.maxMessageBytes
        maxQueuedBytes = limits.maxQueuedBytes
        pingInterval = limits.pingInterval
        writeTimeout = limits.writeTimeout
        closeTimeout = limits.closeTimeout
    }
}
