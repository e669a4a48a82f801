import MildamWire

/// A recipient stanza: the file key, wrapped for one recipient (C2SP age, "Recipient stanza").
///
/// ```
/// stanza = arg-line *full-line final-line
/// arg-line = "-> " argument *(SP argument) LF
/// full-line = 64base64char LF
/// final-line = *63base64char LF
/// ```
public struct AgeStanza: Sendable, Equatable {
    /// One argument or more, each of printable ASCII without spaces. The first names the recipient's type.
    public let arguments: [String]
    /// What wraps the file key.
    public let body: [UInt8]

    static let start = "-> "
    /// Bytes in a full line of 64 characters.
    static let bytesPerLine = 48

    /// How many lines it takes: the arguments, the full lines, and a shorter one that may be empty.
    var lineCount: Int { body.count / AgeStanza.bytesPerLine + 2 }

    /// How many bytes it takes in a header.
    var encodedSize: Int {
        let words = arguments.reduce(AgeStanza.start.utf8.count) { $0 + $1.utf8.count + 1 }
        return words + (body.count * 4 + 2) / 3 + lineCount - 1
    }

    /// Appends the stanza as it stands in a header.
    func append(to text: inout [UInt8]) {
        text.append(contentsOf: (AgeStanza.start + arguments.joined(separator: " ") + "\n").utf8)
        for line in 0..<lineCount - 1 {
            let bytes = body.span.extracting(droppingFirst: line * AgeStanza.bytesPerLine)
            Base64.unpadded.encode(bytes.extracting(first: AgeStanza.bytesPerLine), into: &text)
            text.append(UInt8(ascii: "\n"))
        }
    }
}
