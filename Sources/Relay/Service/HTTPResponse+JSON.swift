import FoundationEssentials
import MildamRelayAPI
import MildamTransport

extension HTTPResponse {
    /// A value as JSON.
    static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(value) else {
            return HTTPResponse(
                status: 500,
                fields: jsonFields,
                body: Array(#"{"error":{"code":"internal_error","message":""}}"#.utf8)
            )
        }
        return json(bytes: [UInt8](body), status: status)
    }

    /// Bytes that are JSON already.
    static func json(bytes: [UInt8], status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, fields: jsonFields, body: bytes)
    }

    /// A receipt, written by hand: it answers every send.
    static func receipt(_ receipt: SendReceipt) -> HTTPResponse {
        json(bytes: Array("{\"number\":\(receipt.number)}".utf8), status: 201)
    }

    /// Nothing to say but that it is done.
    static let done = HTTPResponse(status: 204)

    /// An error, with what its status obliges to.
    ///
    /// - Parameter missed: what the sender of something that came too late has not seen.
    static func error(_ error: APIError, missed: MessagePage? = nil) -> HTTPResponse {
        var response = json(APIErrorBody(error, missed: missed), status: error.code.status)
        if error.code == .unauthorized {
            response.fields.append("WWW-Authenticate", "Bearer realm=\"mildam\", DPoP algs=\"ES256\"")
        }
        if error.code == .invalidProof || error.code == .nonceNeeded {
            response.fields.append("WWW-Authenticate", "DPoP error=\"\(error.code.rawValue)\", algs=\"ES256\"")
        }
        if [.rateLimited, .commitRate, .unavailable].contains(error.code) {
            response.fields.append("Retry-After", "\(error.number ?? 1)")
        }
        return response
    }

    /// How long it is held back: who is told to come later, and comes at once, takes nobody else's time.
    var pause: Duration { status == 429 || status == 503 ? .milliseconds(200) : .zero }

    /// The response, or the error.
    init(_ result: Result<HTTPResponse, APIError>) {
        switch result {
        case .success(let response): self = response
        case .failure(let error): self = .error(error)
        }
    }

    private static let jsonFields: HTTPFields = ["Content-Type": "application/json", "Cache-Control": "no-store"]
}
