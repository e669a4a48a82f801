/// The request methods that this library serves (RFC 9110, section 9; PATCH: RFC 5789). Others are answered 501.
public enum HTTPMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"

    /// Whether doing it twice is the same as once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool { self != .post && self != .patch }
}
