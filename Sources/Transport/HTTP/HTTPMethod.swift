/// The request methods that this library serves (RFC 9110, section 9; PATCH: RFC 5789). Others are answered 501.
public enum HTTPMethod: String, Sendable, CaseIterable {
    /// Transfers what the target is now.
    case get = "GET"
    /// The same without its content.
    case head = "HEAD"
    /// Hands content over, for the target to do with as it does.
    case post = "POST"
    /// Puts content in the target's place.
    case put = "PUT"
    /// Changes a part of the target.
    case patch = "PATCH"
    /// Removes the target.
    case delete = "DELETE"
    /// Asks what the target can be asked.
    case options = "OPTIONS"
    /// Asks for the request itself, as it arrived. Known, as the next is, so that a handler can say that its target does
    /// not take it.
    case trace = "TRACE"
    /// Asks, with content that says what (draft-ietf-httpbis-safe-method-w-body).
    case query = "QUERY"

    /// Whether doing it twice is the same as once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool { self != .post && self != .patch }
}
