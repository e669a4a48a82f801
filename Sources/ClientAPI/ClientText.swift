/// Texts within their lengths.
enum ClientText {
    /// Checks a text's length in bytes.
    ///
    /// - Throws: `outOfRange`, with the field's name.
    static func check(_ text: String?, _ field: String, _ sizes: ClosedRange<Int>) throws(ClientLineDefect) {
        guard let text else { return }
        guard sizes.contains(text.utf8.count) else { throw .outOfRange(field) }
    }

    /// Checks what a room is called.
    static func checkName(_ text: String?, _ field: String = "name") throws(ClientLineDefect) {
        try check(text, field, 0...LineLimits.name)
    }

    /// Checks a code.
    static func checkCode(_ text: String?, _ field: String = "code") throws(ClientLineDefect) {
        try check(text, field, 1...LineLimits.code)
    }
}
