/// Something that somebody wrote.
public struct TextContent: Hashable, Sendable {
    /// How a text is written.
    public enum Format: String, Hashable, Sendable {
        /// `text/plain;charset=utf-8`.
        case plain = "text/plain;charset=utf-8"
        /// `text/markdown;variant=GFM-MIMI`: GitHub's Markdown without HTML.
        case markdown = "text/markdown;variant=GFM-MIMI"
    }

    /// The size of the longest text, in bytes.
    public static let maximumSize = 1 << 16

    /// How it is written.
    public let format: Format
    /// What was written.
    public let text: String

    /// A text.
    ///
    /// - Throws: `malformed` where it has more than 65,536 bytes.
    public init(_ text: String, format: Format = .plain) throws(ContentDefect) {
        guard text.utf8.count <= TextContent.maximumSize else { throw .malformed(field: "text") }
        self.text = text
        self.format = format
    }

    /// The text that a part of this format holds.
    init(_ bytes: [UInt8], format: Format) throws(ContentDefect) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed(field: "text") }
        try self.init(text, format: format)
    }

    /// As it is sent.
    public var part: NestedPart { NestedPart(.single(type: format.rawValue, bytes: Array(text.utf8))) }
}

extension TextContent: CustomStringConvertible, CustomReflectable {
    /// How long it is, and nothing of it.
    public var description: String { "TextContent (\(text.utf8.count) bytes)" }

    /// The same: nothing that prints what lies in it shows the text.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
