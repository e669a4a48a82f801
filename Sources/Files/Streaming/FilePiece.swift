/// A piece of a file on its way: read, worked on, written, and used again for another.
struct FilePiece: Sendable {
    /// Bytes of a file that are worked on at once: 1 MiB.
    static let size = 1 << 20

    var bytes: [UInt8] = []
    /// Whether the file ends with it.
    var isLast = false

    /// Makes room to read into: so many bytes, with any content.
    mutating func resize(to count: Int) {
        if bytes.count < count {
            bytes = [UInt8](repeating: 0, count: count)
        } else {
            bytes.removeLast(bytes.count - count)
        }
    }
}
