/// The checked head of a request.
struct HTTPRequestHead: Sendable, Equatable {
    let method: HTTPMethod
    let target: HTTPTarget
    /// HTTP/1.0 rather than 1.1.
    let isOldVersion: Bool
    let fields: HTTPFields
    let framing: HTTPFraming

    /// Whether the connection ends after the answer (RFC 9112, section 9.3).
    var closesAfterwards: Bool {
        fields.contains("close", in: "Connection")
            || (isOldVersion && !fields.contains("keep-alive", in: "Connection"))
    }

    /// Whether the client waits to be told that it may send the content.
    var expectsContinue: Bool { !isOldVersion && fields["Expect"] != nil }

    /// Whether the client asks to speak WebSocket from here on.
    var asksForWebSocket: Bool {
        !isOldVersion && fields.contains("upgrade", in: "Connection") && fields.contains("websocket", in: "Upgrade")
    }
}
