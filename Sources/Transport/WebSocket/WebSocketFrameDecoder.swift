/// What one end of a WebSocket hears from the other.
enum WebSocketEvent: Equatable {
    case text(String)
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(code: UInt16?, reason: String)
}

/// Reads frames and puts fragmented messages together (RFC 6455, section 5), strictly. Pure and incremental.
///
/// The same bytes give the same events however they are cut. An idle decoder holds no memory beside itself.
struct WebSocketFrameDecoder {
    private let role: WebSocketRole
    private let maxFrameBytes: Int
    private let maxMessageBytes: Int

    private var headerBytes: [UInt8] = []
    private var header: WebSocketFrameHeader?
    private var payloadTaken = 0
    private var control: [UInt8] = []
    /// The data message under way, which a control frame may interrupt.
    private var messageOpcode: WebSocketFrameHeader.Opcode?
    private var message: [UInt8] = []
    private var utf8 = UTF8Validator()

    /// Bytes of a message that has come in part.
    var bufferedBytes: Int { message.count }

    /// Whether a message has begun and not ended; bytes of its first frame's header do not count.
    var isInsideMessage: Bool { messageOpcode != nil }

    /// - Parameter role: who is reading.
    init(role: WebSocketRole, maxFrameBytes: Int, maxMessageBytes: Int) {
        self.role = role
        self.maxFrameBytes = maxFrameBytes
        self.maxMessageBytes = maxMessageBytes
    }

    /// Takes bytes from `input` at `position` until there is something to tell.
    ///
    /// - Returns: `nil` when the input is used up first.
    mutating func next(_ input: Span<UInt8>, at position: inout Int) throws(WebSocketViolation) -> WebSocketEvent? {
        while true {
            guard let header else {
                guard position < input.count else { return nil }
                headerBytes.append(input[position])
                position += 1
                guard let (header, _) = try WebSocketFrameHeader.decode(headerBytes, role: role) else { continue }
                try begin(header)
                continue
            }
            let count = min(header.length - payloadTaken, input.count - position)
            if count > 0 {
                try take(input.extracting(position..<position + count), of: header)
                position += count
            }
            guard payloadTaken == header.length else { return nil }
            self.header = nil
            if let event = try finish(header) { return event }
        }
    }

    /// Lets go of what has come in part; nothing more is to be read.
    mutating func forget() {
        message = []
        control = []
    }

    private mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketViolation) {
        headerBytes = []
        payloadTaken = 0
        self.header = header
        guard !header.opcode.isControl else { return }
        guard (header.opcode == .continuation) == (messageOpcode != nil) else { throw .fragmentation }
        guard header.length <= maxFrameBytes, header.length <= maxMessageBytes - message.count else {
            throw .tooLarge
        }
        if messageOpcode == nil { messageOpcode = header.opcode }
    }

    private mutating func take(_ bytes: Span<UInt8>, of header: WebSocketFrameHeader) throws(WebSocketViolation) {
        let isControl = header.opcode.isControl
        let start = isControl ? control.count : message.count
        if isControl { control.append(bytes) } else { message.append(bytes) }
        if let mask = header.mask {
            let key = [0, 1, 2, 3].map { mask[($0 + payloadTaken) & 3] }
            if isControl { Self.unmask(&control, from: start, key) } else { Self.unmask(&message, from: start, key) }
        }
        payloadTaken += bytes.count
        if !isControl, messageOpcode == .text, !utf8.consume(message[start...]) { throw .utf8 }
    }

    private static func unmask(_ bytes: inout [UInt8], from start: Int, _ key: [UInt8]) {
        let (a, b, c, d) = (key[0], key[1], key[2], key[3])
        var index = start
        while index + 4 <= bytes.count {
            bytes[index] ^= a
            bytes[index + 1] ^= b
            bytes[index + 2] ^= c
            bytes[index + 3] ^= d
            index += 4
        }
        while index < bytes.count {
            bytes[index] ^= key[(index - start) & 3]
            index += 1
        }
    }

    private mutating func finish(_ header: WebSocketFrameHeader) throws(WebSocketViolation) -> WebSocketEvent? {
        if header.opcode.isControl {
            var payload: [UInt8] = []
            swap(&payload, &control)
            switch header.opcode {
            case .ping: return .ping(payload)
            case .pong: return .pong(payload)
            default: return try Self.close(payload)
            }
        }
        guard header.isFinal else { return nil }
        let isText = messageOpcode == .text
        guard !isText || utf8.isComplete else { throw .utf8 }
        var whole: [UInt8] = []
        swap(&whole, &message)
        messageOpcode = nil
        return isText ? .text(String(decoding: whole, as: UTF8.self)) : .binary(whole)
    }

    private static func close(_ payload: [UInt8]) throws(WebSocketViolation) -> WebSocketEvent {
        guard !payload.isEmpty else { return .close(code: nil, reason: "") }
        guard payload.count >= 2 else { throw .closeCode }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard WebSocketCloseCode.isValid(code) else { throw .closeCode }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .utf8 }
        return .close(code: code, reason: reason)
    }
}
