/// The limits of one WebSocket; see `ServerLimits` and `ClientLimits` for their meaning.
struct WebSocketSettings {
    let maxFrameBytes: Int
    let maxMessageBytes: Int
    let maxQueuedBytes: Int
    let pingInterval: Duration
    let writeTimeout: Duration
    let closeTimeout: Duration
    /// For a message from its first byte to its last; a client waits as long as its server likes.
    let messageTimeout: Duration?
    let minBytesPerSecond: Int

    init(_ limits: ServerLimits) {
        maxFrameBytes = limits.maxFrameBytes
        maxMessageBytes = limits.maxMessageBytes
        maxQueuedBytes = limits.maxQueuedBytesPerConnection
        pingInterval = limits.pingInterval
        writeTimeout = limits.writeTimeout
        closeTimeout = limits.closeTimeout
        messageTimeout = limits.bodyTimeout
        minBytesPerSecond = max(1, limits.minBodyBytesPerSecond)
    }

    init(_ limits: ClientLimits) {
        maxFrameBytes = limits.maxMessageBytes
        maxMessageBytes = limits.maxMessageBytes
        maxQueuedBytes = limits.maxQueuedBytes
        pingInterval = limits.pingInterval
        writeTimeout = limits.writeTimeout
        closeTimeout = limits.closeTimeout
        messageTimeout = nil
        minBytesPerSecond = 1
    }
}
