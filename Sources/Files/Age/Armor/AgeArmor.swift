/// The text form of an age file (C2SP age, "ASCII armor"), for where only text can go: strict PEM (RFC 7468, section 3,
/// figure 3), written and read in constant memory.
///
/// ```
/// armor = "-----BEGIN AGE ENCRYPTED FILE-----" eol
///         *(64base64char eol) [1*15(4base64char) eol]
///         "-----END AGE ENCRYPTED FILE-----" [eol]
/// eol = LF / CRLF
/// ```
///
/// The base64 is padded, unlike that of headers. There is one text for each file, but for its line ends and the white
/// space that may stand on lines before it and after it.
public enum AgeArmor {
    /// The most bytes of white space that are read before the armor, and after it.
    public static let maximumSpace = 1024

    static let begin = "-----BEGIN AGE ENCRYPTED FILE-----"
    static let end = "-----END AGE ENCRYPTED FILE-----"
    /// Characters in every line of base64 but the last.
    static let columns = 64
    /// Bytes in such a line.
    static let bytesPerLine = 48

    /// Whether a file that begins with this byte can only be armor: a file without begins with a letter.
    static func canBegin(with byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || isSpace(byte) }

    /// Whether it is white space: the space, and the five controls from tab to carriage return.
    static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
}
