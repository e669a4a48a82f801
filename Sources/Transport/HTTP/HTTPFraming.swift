/// How long a message's content is (RFC 9112, section 6).
enum HTTPFraming: Equatable {
    case none
    case length(Int)
    case chunked

    /// Reads `Content-Length` and `Transfer-Encoding`: one reading or a refusal.
    init(of fields: HTTPFields, isOldVersion: Bool) throws(HTTPViolation) {
        let lengths = fields.values(of: "Content-Length")
        let codings = fields.values(of: "Transfer-Encoding")
        guard codings.isEmpty else {
            guard lengths.isEmpty else { throw .lengthConflict }
            guard codings.count == 1, !isOldVersion else { throw .transferEncoding }
            guard HTTPFields.isSame(codings[0], "chunked") else {
                throw codings[0].utf8.contains(UInt8(ascii: ",")) ? .transferEncoding : .unknownTransferCoding
            }
            self = .chunked
            return
        }
        guard let text = lengths.first else {
            self = .none
            return
        }
        // 18 digits cannot overflow; no sign, no list, no white space inside.
        guard lengths.count == 1, (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(text)
        else { throw .contentLength }
        self = .length(length)
    }
}
