/// How long a message's content is (RFC 9112, section 6).
enum HTTPFraming: Equatable {
    case none
    case length(Int)
    case chunked

    /// Reads `Content-Length` and `Transfer-Encoding`: one reading or a refusal.
    init(of fields: HTTPFields, isOldVersion: Bool) throws(HTTPViolation) {
        let lengths = fields.count(of: "Content-Length")
        let codings = fields.count(of: "Transfer-Encoding")
        guard codings == 0 else {
            guard lengths == 0 else { throw .lengthConflict }
            guard let coding = fields.onlyValue(of: "Transfer-Encoding"), !isOldVersion else {
                throw .transferEncoding
            }
            guard coding.isSame("chunked") else {
                throw coding.contains(UInt8(ascii: ",")) ? .transferEncoding : .unknownTransferCoding
            }
            self = .chunked
            return
        }
        guard lengths > 0 else {
            self = .none
            return
        }
        guard let text = fields.onlyValue(of: "Content-Length"), let length = text.decimal else {
            throw .contentLength
        }
        self = .length(length)
    }
}

extension Span<UInt8> {
    /// The number that these digits are: no sign, no list, no white space inside; 18 of them cannot overflow.
    var decimal: Int? {
        guard (1...18).contains(count) else { return nil }
        var value = 0
        for index in indices {
            guard (0x30...0x39).contains(self[index]) else { return nil }
            value = value * 10 + Int(self[index] - 0x30)
        }
        return value
    }

    func contains(_ byte: UInt8) -> Bool {
        !allSatisfy { $0 != byte }
    }
}
