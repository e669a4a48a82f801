import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamWire

/// Reads the body of a send that changes no members, written as clients write it: four fields, no white space, no
/// escapes but that of "/". It is what comes most often by far, and takes this a tenth of the general decoder's time.
///
/// What it does not know, it leaves to ``JSONBody``, which gives the same for everything that is read here.
struct PlainSend: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    /// Reads the whole body; `nil` when it is anything else, well-formed or not.
    static func read(_ body: [UInt8]) -> SendRequest? {
        var reader = PlainSend(body.span)
        return reader.request()
    }

    @_lifetime(copy bytes)
    private init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    @_lifetime(self: copy self)
    private mutating func request() -> SendRequest? {
        var id: MessageID?
        var generation: UInt32?
        var epoch: UInt64?
        var content: Data?
        guard take("{") else { return nil }
        repeat {
            // A field that comes twice, or holds something else, is left to the general decoder as well.
            if id == nil, take("\"id\":\"") {
                guard let range = string(), let value = try? MessageID(ascii: bytes.extracting(range)) else {
                    return nil
                }
                id = value
            } else if generation == nil, take("\"generation\":") {
                guard let value = number().flatMap(UInt32.init(exactly:)) else { return nil }
                generation = value
            } else if epoch == nil, take("\"epoch\":") {
                guard let value = number() else { return nil }
                epoch = value
            } else if content == nil, take("\"body\":\"") {
                guard let range = string(), let value = base64(range) else { return nil }
                content = value
            } else {
                return nil
            }
        } while take(",")
        guard take("}"), position == bytes.count, let id, let generation, let epoch, let content else { return nil }
        return SendRequest(id: id, generation: generation, epoch: epoch, body: content)
    }

    @_lifetime(self: copy self)
    private mutating func take(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        let isThere = literal.withUTF8Buffer { expected in
            for index in 0..<count where unsafe expected[index] != bytes[position + index] { return false }
            return true
        }
        if isThere { position += count }
        return isThere
    }

    /// Up to the closing quotation mark, which is taken: ASCII, and no escape but "\/", which some encoders write.
    @_lifetime(self: copy self)
    private mutating func string() -> Range<Int>? {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return start..<position - 1 }
            guard (0x20..<0x7F).contains(byte) else { return nil }
            if byte == UInt8(ascii: "\\") {
                guard position < bytes.count, bytes[position] == UInt8(ascii: "/") else { return nil }
                position += 1
            }
        }
        return nil
    }

    /// Digits without a leading zero.
    @_lifetime(self: copy self)
    private mutating func number() -> UInt64? {
        let start = position
        var value: UInt64 = 0
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            let digit = UInt64(bytes[position] - UInt8(ascii: "0"))
            guard value < 1_000_000_000_000_000_000 else { return nil }
            value = value * 10 + digit
            position += 1
        }
        guard position > start, position == start + 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        return value
    }

    /// Base64 with padding and without stray bits; of at least one byte.
    private func base64(_ range: Range<Int>) -> Data? {
        let text = bytes.extracting(range)
        var content = try? Base64.standard.decode(ascii: text)
        if content == nil {
            // Some encoders write "\/" for "/".
            var plain: [UInt8] = []
            for index in text.indices where text[index] != UInt8(ascii: "\\") { plain.append(text[index]) }
            if plain.count < text.count { content = try? Base64.standard.decode(ascii: plain.span) }
        }
        guard let content, !content.isEmpty else { return nil }
        return Data(content)
    }
}
