/// A whole response.
public struct HTTPResponse: Sendable, Equatable {
    /// 100 to 599; handlers give 200 or more.
    public var status: Int
    /// Header fields. `Content-Length`, `Transfer-Encoding`, `Connection` and `Date` are the server's to write; any of
    /// them that a handler sets is dropped.
    public var fields: HTTPFields
    /// The content. Not sent in answer to HEAD, nor with 204 or 304.
    public var body: [UInt8]

    /// Makes a response.
    public init(status: Int, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
