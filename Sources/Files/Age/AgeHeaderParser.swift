import MildamWire

/// Reads the header of an age file, and the nonce after it, from pieces of any size.
///
/// There is one text for each header: what is accepted here is what `AgeHeader.bytes` gives back.
public struct AgeHeaderParser: Sendable {
    private enum Part { case version, stanza, body, nonce, complete }

    private var part = Part.version
    private var lineNumber = 1
    /// The current line so far, without its end.
    private var line: [UInt8] = []
    /// The lines before it.
    private var text: [UInt8] = []
    private var stanzas: [AgeStanza] = []
    private var stanza = AgeStanzaParser()
    private var mac: [UInt8] = []
    private var nonce: [UInt8] = []

    private static let newline = UInt8(ascii: "\n")
    private static let versionStart = Array(AgeHeader.versionStart.utf8)

    /// A parser at the start of a file.
    public init() {}

    /// Reads on.
    ///
    /// - Returns: how many of the bytes belong to the header and its nonce; what follows them is the first chunk.
    /// - Throws: `malformedHeader`, `unsupportedVersion`; the parser is of no use then.
    public mutating func consume(_ bytes: Span<UInt8>) throws(AgeError) -> Int {
        for position in bytes.indices {
            switch part {
            case .complete: return position
            case .nonce: take(nonceByte: bytes[position])
            case .version, .stanza, .body: try take(bytes[position])
            }
        }
        return bytes.count
    }

    /// The header, once all of it was read.
    ///
    /// - Throws: `malformedHeader` when the file ends before that.
    public consuming func finish() throws(AgeError) -> AgeHeader {
        guard part == .complete else { throw malformed(part == .nonce ? .nonceMissing : .endsEarly) }
        return AgeHeader(stanzas: stanzas, authenticated: text, mac: mac, nonce: nonce)
    }

    private mutating func take(nonceByte byte: UInt8) {
        nonce.append(byte)
        if nonce.count == AgePayload.nonceSize { part = .complete }
    }

    private mutating func take(_ byte: UInt8) throws(AgeError) {
        if byte == AgeHeaderParser.newline {
            try endLine()
            lineNumber += 1
            line.removeAll(keepingCapacity: true)
            return
        }
        // Another kind of file shows itself at the first byte that differs, and need not be read to the end of a line.
        if part == .version, line.count < AgeHeaderParser.versionStart.count,
            byte != AgeHeaderParser.versionStart[line.count]
        {
            throw malformed(.notAgeFile)
        }
        guard line.count < AgeHeader.maximumLineLength,
            text.count + line.count < AgeHeader.maximumSize - AgePayload.nonceSize
        else { throw malformed(.tooLong) }
        line.append(byte)
    }

    private mutating func endLine() throws(AgeError) {
        switch part {
        case .version: try endVersionLine()
        case .body: try endBodyLine()
        default:
            if AgeStanzaParser.begins(line) {
                try endArgumentLine()
            } else {
                try endHeader()
            }
        }
    }

    private mutating func endVersionLine() throws(AgeError) {
        let version = line.dropFirst(AgeHeaderParser.versionStart.count)
        guard !version.isEmpty, version.allSatisfy(\.isVisible) else { throw malformed(.notAgeFile) }
        guard version.elementsEqual(AgeHeader.version.utf8) else {
            throw .unsupportedVersion(String(decoding: version.prefix(40), as: UTF8.self))
        }
        keepLine()
        part = .stanza
    }

    private mutating func endArgumentLine() throws(AgeError) {
        guard stanzas.count < AgeHeader.maximumStanzas else { throw malformed(.tooManyStanzas) }
        do throws(AgeHeaderDefect) { try stanza.begin(line) } catch { throw malformed(error) }
        let isBesideScrypt = stanzas.first?.arguments.first == AgeScrypt.type
        guard stanzas.isEmpty || !isBesideScrypt && stanza.arguments.first != AgeScrypt.type else {
            throw malformed(.scryptNotAlone)
        }
        keepLine()
        part = .body
    }

    private mutating func endBodyLine() throws(AgeError) {
        let ended: AgeStanza?
        do throws(AgeHeaderDefect) { ended = try stanza.goOn(line) } catch { throw malformed(error) }
        keepLine()
        guard let ended else { return }
        stanzas.append(ended)
        part = .stanza
    }

    private mutating func endHeader() throws(AgeError) {
        let start = AgeHeader.end + " "
        guard line.starts(with: start.utf8), !stanzas.isEmpty else { throw malformed(.unexpectedLine) }
        guard let bytes = AgeHeaderParser.decode(line[start.utf8.count...]), bytes.count == 32 else {
            throw malformed(.invalidMAC)
        }
        mac = bytes
        text.append(contentsOf: AgeHeader.end.utf8)
        part = .nonce
    }

    private mutating func keepLine() {
        text.append(contentsOf: line)
        text.append(AgeHeaderParser.newline)
    }

    private func malformed(_ defect: AgeHeaderDefect) -> AgeError {
        .malformedHeader(line: lineNumber, defect)
    }

    private static func decode(_ characters: some Collection<UInt8>) -> [UInt8]? {
        try? Base64.unpadded.decode(String(decoding: characters, as: UTF8.self))
    }
}
