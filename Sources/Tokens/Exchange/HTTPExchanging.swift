import MildamKeychain

/// What carries a request to a server that is not ours, and its answer back: ``CurlExchange``, or another's.
public protocol HTTPExchanging: Sendable {
    /// Sends a request once, and follows no redirect.
    ///
    /// Whoever carries it sends it no second time by itself: a refresh token that was rotated by a lost answer is the
    /// manager's affair.
    ///
    /// - Returns: the answer, whatever its status.
    /// - Throws: `ExchangeError`; whether the server has seen the request is not known then.
    func exchange(_ request: OutgoingRequest) async throws(ExchangeError) -> IncomingAnswer
}

/// A request to a server that is not ours.
public struct OutgoingRequest: Sendable {
    /// "GET", "POST" and so on.
    public var method: String
    /// Where to.
    public var url: ServerURL
    /// Header fields; what stands in them may be secret.
    public var fields: [Field]
    /// The content; `nil` for none.
    public var body: SecretValue?

    /// One header field.
    public struct Field: Sendable {
        /// Its name.
        public let name: String
        /// Its value: bytes from 0x20 to 0x7E.
        public let value: SecretValue

        /// A field.
        public init(_ name: String, _ value: SecretValue) {
            self.name = name
            self.value = value
        }

        /// A field without a secret in it.
        public init(_ name: String, text: String) { self.init(name, SecretValue(text: text)) }
    }

    /// A request.
    public init(_ method: String, _ url: ServerURL, fields: [Field] = [], body: SecretValue? = nil) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// What a server answered.
public struct IncomingAnswer: Sendable {
    /// 200 to 599.
    public let status: Int
    /// Header fields in their order, with names in lower case.
    public let fields: [(name: String, value: String)]
    /// The content, of `CurlExchange.Limits.bodyBytes` at most.
    public let body: SecretValue

    /// An answer.
    public init(status: Int, fields: [(name: String, value: String)], body: SecretValue) {
        self.status = status
        self.fields = fields.map { ($0.name.lowercased(), $0.value) }
        self.body = body
    }

    /// The value of the only field of this name, given in lower case; `nil` when there is none, or more than one.
    public func only(_ name: String) -> String? {
        let found = fields.filter { $0.name == name }
        return found.count == 1 ? found[0].value : nil
    }

    /// Every value of the fields of this name, given in lower case.
    public func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}
