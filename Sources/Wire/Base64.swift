/// Base64, strict (RFC 4648): one text for each sequence of bytes, and no other character.
public enum Base64: Sendable {
    /// `+` and `/`, padded with `=` (section 4).
    case standard
    /// `+` and `/`, without padding, as age headers have it.
    case unpadded
    /// `-` and `_`, without padding (section 5), as JWS has it.
    case url

    /// The text of `bytes`.
    public func encode(_ bytes: some Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        encode(bytes.span, into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the text of `bytes`, as its ASCII characters.
    public func encode(_ bytes: Span<UInt8>, into text: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        text.append(addingCapacity: (bytes.count + 2) / 3 * 4) { encode(bytes, into: &$0) }
    }

    private func encode(_ bytes: Span<UInt8>, into text: inout OutputSpan<UInt8>) {
        let alphabet = self == .url ? Base64.urlAlphabet.span : Base64.standardAlphabet.span
        func append(_ group: UInt32, characters count: Int, to text: inout OutputSpan<UInt8>) {
            for place in 0..<count { text.append(alphabet[Int(group >> UInt32(18 - 6 * place)) & 63]) }
        }
        let rest = bytes.count % 3
        for index in stride(from: 0, to: bytes.count - rest, by: 3) {
            let high = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8
            append(high | UInt32(bytes[index + 2]), characters: 4, to: &text)
        }
        guard rest > 0 else { return }
        let low = rest == 2 ? UInt32(bytes[bytes.count - 1]) << 8 : 0
        append(UInt32(bytes[bytes.count - rest]) << 16 | low, characters: rest + 1, to: &text)
        if self == .standard { text.append(repeating: UInt8(ascii: "="), count: 3 - rest) }
    }

    /// The bytes of `text`. Padding must be exactly what the form asks for, and unused bits must be zero.
    public func decode(_ text: some StringProtocol) throws(WireError) -> [UInt8] {
        let characters = Array(text.utf8)
        return try decode(ascii: characters.span)
    }

    /// The bytes of a text that is given as its ASCII characters.
    public func decode(ascii text: Span<UInt8>) throws(WireError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Base64.maximumByteCount(of: text.count))
        var output = bytes.mutableSpan
        let count = try decode(ascii: text, into: &output)
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// The most bytes that a text of so many characters can stand for.
    public static func maximumByteCount(of characters: Int) -> Int { characters * 3 / 4 }

    /// Decodes into memory of the caller's choosing, and leaves no copy elsewhere.
    ///
    /// - Parameter output: `maximumByteCount` bytes or more; fewer is a programmer's error. After an error what it holds
    ///   has no meaning, but may be a part of the content.
    /// - Returns: how many bytes the text stands for.
    public func decode(ascii text: Span<UInt8>, into output: inout MutableSpan<UInt8>) throws(WireError) -> Int {
        var count = text.count
        if self == .standard {
            guard count.isMultiple(of: 4) else { throw .invalidText }
            for _ in 0..<2 where count > 0 && text[count - 1] == UInt8(ascii: "=") { count -= 1 }
        }
        let rest = count % 4
        guard rest != 1 else { throw .invalidText }
        let values = self == .url ? Base64.urlValues : Base64.standardValues
        // Of all values, so that what is no character at all is looked for once.
        var all: UInt8 = 0
        func group(at index: Int, of size: Int) -> UInt32 {
            var group: UInt32 = 0
            for place in 0..<size {
                let value = values[Int(text[index + place])]
                all |= value
                group = group << 6 | UInt32(value)
            }
            return group << UInt32(6 * (4 - size))
        }
        var position = 0
        for index in stride(from: 0, to: count - rest, by: 4) {
            let bits = group(at: index, of: 4)
            output[position] = UInt8(truncatingIfNeeded: bits >> 16)
            output[position + 1] = UInt8(truncatingIfNeeded: bits >> 8)
            output[position + 2] = UInt8(truncatingIfNeeded: bits)
            position += 3
        }
        if rest > 0 {
            let bits = group(at: count - rest, of: rest)
            guard bits & (rest == 2 ? 0xFFFF : 0xFF) == 0 else { throw .invalidText }
            output[position] = UInt8(truncatingIfNeeded: bits >> 16)
            if rest == 3 { output[position + 1] = UInt8(truncatingIfNeeded: bits >> 8) }
        }
        guard all < 64 else { throw .invalidText }
        return count * 3 / 4
    }

    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let standardAlphabet = Array((letters + "+/").utf8)
    private static let urlAlphabet = Array((letters + "-_").utf8)
    private static let standardValues = values(of: standardAlphabet)
    private static let urlValues = values(of: urlAlphabet)

    /// The value of each byte; 255 for those that the alphabet does not have.
    private static func values(of alphabet: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }
}
