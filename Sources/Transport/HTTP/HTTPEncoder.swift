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
        bytes.append("HTTP/1.1 ")
        bytes.append(decimal: response.status)
        bytes.append(" ")
        bytes.append(reason(response.status))
        bytes.append("\r\nDate: ")
        bytes.append(contentsOf: date)
        let mayHaveBody = response.status != 204 && response.status != 304
        // 204 must not carry a length; 304 need not.
        if mayHaveBody {
            bytes.append("\r\nContent-Length: ")
            bytes.append(decimal: response.body.count)
        }
        if closing {
            // Upgrade, which this status has (RFC 9110, section 15.5.22), belongs to the connection (section 7.8).
            bytes.append(response.status == 426 ? "\r\nConnection: close, upgrade" : "\r\nConnection: close")
        } else if confirmKeepAlive {
            bytes.append("\r\nConnection: keep-alive")
        }
        bytes.append("\r\n")
        guard append(response.fields, to: &bytes) else { return nil }
        bytes.append("\r\n")
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
        var areValid = true
        fields.visitLines { name, value in
            guard !isReserved(name) else { return }
            areValid =
                areValid && !name.isEmpty && name.allSatisfy(HTTPBytes.isToken)
                && value.allSatisfy(HTTPBytes.isLineByte)
            bytes.append(name)
            bytes.append(": ")
            bytes.append(value)
            bytes.append("\r\n")
        }
        return areValid
    }

    private static func isReserved(_ name: Span<UInt8>) -> Bool {
        for reserved in reserved where name.isSame(reserved) { return true }
        return false
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

extension [UInt8] {
    fileprivate mutating func append(_ text: String) {
        append(text.utf8.span)
    }

    /// Appends a number's digits; the number is not negative.
    fileprivate mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}
