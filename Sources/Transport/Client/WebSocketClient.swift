/// Opens WebSockets to servers.
public enum WebSocketClient {
    /// Connects, upgrades, and returns the open connection.
    ///
    /// - Parameter fields: added to the upgrade request, for example `Authorization`.
    /// - Parameter tls: used with a `https` endpoint only.
    /// - Throws: `upgradeRefused` with the server's answer when it is not 101; otherwise as `HTTPClient.send`.
    public static func connect(
        _ endpoint: Endpoint,
        _ target: HTTPTarget,
        fields: HTTPFields = [:],
        tls: TLSClientConfiguration = .init(),
        limits: ClientLimits = .init()
    ) async throws(TransportError) -> WebSocketConnection {
        let loop = try ClientLoop.shared.get()
        let context = try TLSContext.make(tls, for: endpoint)
        let key = WebSocketHandshake.newKey()
        guard
            let request = WebSocketHandshake.request(
                target: target,
                host: endpoint.authority,
                key: key,
                fields: fields
            )
        else { throw .invalid("header field") }
        let ticket = Ticket<WebSocketConnection>(on: loop)
        return try await ticket.wait { done in
            let opening = WebSocketOpening(endpoint, key: key, request: request, limits: limits, loop: loop, done: done)
            opening.start(context)
            let bound = LoopBound(opening, on: loop.thread)
            return { bound.value.cancel() }
        }
    }
}
