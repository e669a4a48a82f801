/// A rule of HTTP/1.1 that a message broke, or a limit that it passed.
public enum HTTPViolation: String, Error, Equatable, Sendable, CaseIterable {
    /// A line feed without a carriage return, the other way round, or another control character.
    case controlCharacter
    /// Not method SP target SP version.
    case requestLine
    /// Not version SP three digits SP reason.
    case statusLine
    /// A well-formed method that this library does not serve.
    case unknownMethod
    /// A target that is neither in origin nor in absolute form, or has bytes that do not belong there.
    case target
    /// The request line alone passes the limit of the head.
    case targetTooLong
    /// A well-formed version other than HTTP/1.0 and HTTP/1.1.
    case version
    /// A field name that is empty, not a token, followed by white space, or missing its colon.
    case fieldName
    /// A field value that is not UTF-8.
    case fieldValue
    /// A line that continues the one before (obs-fold).
    case foldedLine
    /// More bytes in the head, or in the trailers, than allowed.
    case headTooLarge
    /// More field lines than allowed.
    case tooManyFields
    /// A `Host` that is missing, repeated, or not a host.
    case host
    /// A `Content-Length` that is repeated or not a number.
    case contentLength
    /// `Content-Length` beside `Transfer-Encoding`.
    case lengthConflict
    /// A `Transfer-Encoding` that is repeated, or sent with HTTP/1.0.
    case transferEncoding
    /// A transfer coding other than `chunked`.
    case unknownTransferCoding
    /// An expectation other than `100-continue`.
    case expectation
    /// A chunk size that is not a hexadecimal number, or a chunk without its line end.
    case chunk
    /// More content than allowed.
    case bodyTooLarge
    /// A response whose length nothing tells.
    case lengthMissing
    /// The connection ended inside a message.
    case truncated
    /// A response that nobody asked for, or 101 without an upgrade.
    case unexpectedResponse
    /// A WebSocket upgrade request that is not well formed (RFC 6455, section 4.2.1).
    case upgrade
    /// A WebSocket version other than 13.
    case upgradeVersion

    /// The status that a server answers with.
    public var status: Int {
        switch self {
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .expectation: 417
        case .upgradeVersion: 426
        case .headTooLarge, .tooManyFields: 431
        case .unknownMethod, .unknownTransferCoding: 501
        case .version: 505
        default: 400
        }
    }

    /// The fields that the answer has beside the status (RFC 9110, section 15.5.22; RFC 6455, section 4.4).
    var fields: [(name: String, value: String)] {
        self == .upgradeVersion ? [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")] : []
    }
}
