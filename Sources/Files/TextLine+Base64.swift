import MildamCrypto
import MildamWire

extension TextLine {
    /// What lines of base64 stand for together; no copy of them is left elsewhere.
    ///
    /// - Throws: `WireError.invalidText`.
    static func base64(_ lines: some Collection<TextLine>, of text: Span<UInt8>) throws(WireError) -> SecretBytes {
        let characters = unsafe SecretBytes(count: lines.reduce(0) { $0 + $1.range.count }) { memory in
            var position = 0
            for line in lines {
                for index in line.range {
                    unsafe memory[position] = text[index]
                    position += 1
                }
            }
        }
        var count = 0
        let room = Base64.maximumByteCount(of: characters.count)
        let bytes = try unsafe SecretBytes(count: room) { (memory) throws(WireError) in
            var output = unsafe MutableSpan<UInt8>(_unsafeBytes: memory)
            count = try Base64.standard.decode(ascii: characters.span, into: &output)
        }
        return SecretBytes(copying: bytes.span.extracting(..<count))
    }
}
