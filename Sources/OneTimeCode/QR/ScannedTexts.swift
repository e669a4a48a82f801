import MildamCrypto

/// The texts of the QR codes in an image, each a secret: an `otpauth` URI has its key in it.
public struct ScannedTexts: ~Copyable, Sendable {
    /// The texts, each ended by a byte 0.
    private let bytes: SecretBytes
    private let ranges: [Range<Int>]

    /// - Parameter bytes: the texts, each ended by a byte 0; what is behind the last one is ignored.
    init(nullEnded bytes: consuming SecretBytes) {
        var ranges: [Range<Int>] = []
        var start = 0
        for place in bytes.span.indices where bytes.span[place] == 0 {
            ranges.append(start..<place)
            start = place + 1
        }
        self.ranges = ranges
        self.bytes = bytes
    }

    /// How many there are.
    public var count: Int { ranges.count }

    /// A text, in bytes of the code's own; most codes hold UTF-8, not all.
    ///
    /// - Parameter index: 0 to `count` - 1.
    public borrowing func text(at index: Int) -> SecretBytes {
        SecretBytes(copying: bytes.span.extracting(ranges[index]))
    }

    /// How many texts, and nothing of them.
    public var description: String { "\(count) scanned texts" }
}
