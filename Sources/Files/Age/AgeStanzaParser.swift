import MildamWire

/// Reads stanzas line by line, without their line ends.
struct AgeStanzaParser: Sendable {
    /// Whether a stanza has begun and not ended.
    private(set) var isInside = false
    /// What stands in the line that began it.
    private(set) var arguments: [String] = []
    private var body: [UInt8] = []

    /// Whether a line begins a stanza.
    static func begins(_ line: [UInt8]) -> Bool { line.starts(with: AgeStanza.start.utf8) }

    /// Takes the line that begins a stanza.
    mutating func begin(_ line: [UInt8]) throws(AgeHeaderDefect) {
        let words = line.dropFirst(AgeStanza.start.utf8.count)
            .split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isVisible) }) else { throw .invalidArguments }
        arguments = words.map { String(decoding: $0, as: UTF8.self) }
        body = []
        isInside = true
    }

    /// Takes a line of a stanza's body.
    ///
    /// - Returns: the stanza, when the line ends it.
    mutating func goOn(_ line: [UInt8]) throws(AgeHeaderDefect) -> AgeStanza? {
        guard let bytes = try? Base64.unpadded.decode(ascii: line.span),
            bytes.count <= AgeStanza.bytesPerLine
        else { throw .invalidBody }
        body.append(contentsOf: bytes)
        guard bytes.count < AgeStanza.bytesPerLine else { return nil }
        isInside = false
        return AgeStanza(arguments: arguments, body: body)
    }
}

extension UInt8 {
    /// Whether it is `VCHAR`: printable ASCII other than the space.
    var isVisible: Bool { (33...126).contains(self) }
}
