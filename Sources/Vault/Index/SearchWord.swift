/// A word that is looked for in any case of letters.
struct SearchWord {
    private let folded: [UInt8]
    private let isASCII: Bool

    init(_ word: String) {
        let lowered = word.lowercased()
        folded = Array(lowered.utf8)
        isASCII = folded.allSatisfy { $0 < 0x80 }
    }

    /// Whether it is somewhere in a text.
    func isIn(_ text: String) -> Bool {
        guard isASCII else { return text.lowercased().utf8.contains(folded) }
        var text = text
        return text.withUTF8 { bytes in
            guard let first = folded.first else { return true }
            guard bytes.count >= folded.count else { return false }
            for start in 0...(bytes.count - folded.count) where unsafe Self.lowered(bytes[start]) == first {
                if (1..<folded.count).allSatisfy({ unsafe Self.lowered(bytes[start + $0]) == folded[$0] }) {
                    return true
                }
            }
            return false
        }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension Sequence where Element == UInt8 {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        let bytes = Array(self)
        guard bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { bytes[$0..<$0 + part.count].elementsEqual(part) }
    }
}
