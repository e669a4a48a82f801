/// Writes heads. Nothing that could break a line leaves: what is not valid is refused, whole.
enum HTTPEncoder {
    /// Fields that frame the message or belong to the connection; their writer is this library alone.
    private static let reserved = ["Content-Length", "Transfer-Encoding", "Connection", "Date"]

    /// A response with its content (left out where HTTP has none), or `nil` when a field or the status is not valid.
    static func encode(
        _ response: HTTPResponse,
        date: [UInt8],
        closing: Bool,
        confirmKeepAlive: Bool,
        isHead: Bool
    ) -> [UInt8]? {
        guard (200...599).contains(response.status) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256 + response.body.count)
        bytes.append(contentsOf: "HTTP/1.1 \(response.status) \(reason(response.status))\r\nDate: ".utf8)
        bytes.append(contentsOf: date)
        let mayHaveBody = response.status != 204 && response.status != 304
        // 204 must not carry a length; 304 need not.
        if mayHaveBody { bytes.append(contentsOf: "\r\nContent-Length: \(response.body.count)".utf8) }
        if closing {
            bytes.append(contentsOf: "\r\nConnection: close".utf8)
        } else if confirmKeepAlive {
            bytes.append(contentsOf: "\r\nConnection: keep-alive".utf8)
        }
        bytes.append(contentsOf: "\r\n".utf8)
        guard append(response.fields, to: &bytes) else { return nil }
        bytes.append(contentsOf: "\r\n".utf8)
        if mayHaveBody, !isHead { bytes.append(contentsOf: response.body) }
        return bytes
    }

    /// A request with its content, or `nil` when a field is not valid.
    static func encode(_ request: HTTPClientRequest, host: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256 + request.body.count)
        bytes.append(contentsOf: "\(request.method.rawValue) \(request.target) HTTP/1.1\r\nHost: \(host)\r\n".utf8)
        guard request.fields["Host"] == nil, append(request.fields, to: &bytes) else { return nil }
        let usuallyHasBody = request.method == .post || request.method == .put || request.method == .patch
        if !request.body.isEmpty || usuallyHasBody {
            bytes.append(contentsOf: "Content-Length: \(request.body.count)\r\n".utf8)
        }
        bytes.append(contentsOf: "\r\n".utf8)
        bytes.append(contentsOf: request.body)
        return bytes
    }

    /// Writes the field lines; `false` when one is not valid.
    static func append(_ fields: HTTPFields, to bytes: inout [UInt8]) -> Bool {
        for field in fields.all where !reserved.contains(where: { HTTPFields.isSame($0, field.name) }) {
            guard isValid(field) else { return false }
            bytes.append(contentsOf: field.name.utf8)
            bytes.append(contentsOf: ": ".utf8)
            bytes.append(contentsOf: field.value.utf8)
            bytes.append(contentsOf: "\r\n".utf8)
        }
        return true
    }

    private static func isValid(_ field: HTTPFields.Field) -> Bool {
        !field.name.isEmpty && field.name.utf8.allSatisfy(HTTPBytes.isToken)
            && field.value.utf8.allSatisfy(HTTPBytes.isLineByte)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: ""
        }
    }
}
