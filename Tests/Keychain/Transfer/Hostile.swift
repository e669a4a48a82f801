/// Bytes as somebody may have changed them.
enum Hostile {
    /// Every beginning of the bytes but the whole.
    static func cuts(_ bytes: [UInt8]) -> [[UInt8]] { bytes.indices.map { Array(bytes[..<$0]) } }

    /// The bytes with one bit changed, each bit in its turn.
    static func flips(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.indices.flatMap { place in
            (0..<8).map { bit in
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                return changed
            }
        }
    }
}
