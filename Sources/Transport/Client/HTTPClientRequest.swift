/// A request that a client sends.
public struct HTTPClientRequest: Sendable {
    /// What to do.
    public var method: HTTPMethod
    /// To what.
    public var target: HTTPTarget
    /// Header fields. `Host`, `Content-Length`, `Transfer-Encoding`, `Connection` and `Date` are not the caller's.
    public var fields: HTTPFields
    /// The content.
    public var body: [UInt8]
    /// Whether doing it twice is the same as once, so that it may be sent again when a kept connection turns out to
    /// have been closed before any byte of an answer.
    public var isIdempotent: Bool

    /// Makes a request.
    ///
    /// - Parameter isIdempotent: `nil`: as the method says.
    public init(
        _ method: HTTPMethod,
        _ target: HTTPTarget,
        fields: HTTPFields = [:],
        body: [UInt8] = [],
        isIdempotent: Bool? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.isIdempotent = isIdempotent ?? method.isIdempotent
    }
}
