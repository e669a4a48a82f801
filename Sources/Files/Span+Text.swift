extension Span<UInt8> {
    /// Whether the bytes begin with those of a text.
    func starts(with text: String) -> Bool {
        guard count >= text.utf8.count else { return false }
        var position = 0
        for byte in text.utf8 {
            guard self[position] == byte else { return false }
            position += 1
        }
        return true
    }

    /// Whether the bytes are those of a text.
    func equals(_ text: String) -> Bool { count == text.utf8.count && starts(with: text) }
}
