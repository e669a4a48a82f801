import MildamWire

extension AgeArmor {
    /// Reads the armor of a file from pieces of any size.
    public struct Decoder: Sendable {
        /// White space before the armor; its first line; base64; its last line; white space after it.
        private enum Part { case before, begin, body, end, after }

        private var part = Part.before
        private var lineNumber = 1
        /// The current line so far, without its line feed.
        private var line: [UInt8] = []
        /// Bytes of white space so far, on this side of the armor.
        private var space = 0

        private static let newline = UInt8(ascii: "\n")
        private static let carriageReturn = UInt8(ascii: "\r")
        private static let begin = Array(AgeArmor.begin.utf8)
        private static let end = Array(AgeArmor.end.utf8)

        /// A decoder at the start of a text.
        public init() {}

        /// Reads on, and appends to `bytes` what the lines that ended stand for.
        ///
        /// - Throws: `malformedArmor`; the decoder is of no use then, nor is what this call appended.
        public mutating func decode(_ text: Span<UInt8>, into bytes: inout [UInt8]) throws(AgeError) {
            var position = 0
            while position < text.count {
                if takeFullLine(text.extracting(position...), into: &bytes) {
                    position += AgeArmor.columns + 1
                } else {
                    try take(text[position], into: &bytes)
                    position += 1
                }
            }
        }

        /// Takes a full line that is all there without copying it first, which most of a file is.
        ///
        /// - Returns: whether there was one.
        private mutating func takeFullLine(_ text: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
            guard part == .body, line.isEmpty, text.count > AgeArmor.columns,
                text[AgeArmor.columns] == Decoder.newline,
                let decoded = try? Base64.standard.decode(ascii: text.extracting(..<AgeArmor.columns)),
                decoded.count == AgeArmor.bytesPerLine
            else { return false }
            bytes.append(contentsOf: decoded)
            lineNumber += 1
            return true
        }

        /// Ends the reading where the text ends; its last line may lack its end.
        ///
        /// - Throws: `malformedArmor` when the armor has not ended.
        public consuming func finish() throws(AgeError) {
            switch part {
            case .after: return
            case .body, .end:
                let isEnd = line == Decoder.end || line == Decoder.end + [Decoder.carriageReturn]
                guard isEnd else { throw malformed(.endsEarly) }
            case .before, .begin: throw malformed(.endsEarly)
            }
        }

        private mutating func take(_ byte: UInt8, into bytes: inout [UInt8]) throws(AgeError) {
            switch part {
            case .before where AgeArmor.isSpace(byte), .after:
                try take(space: byte)
            case .before:
                // White space stands on lines of its own.
                guard line.isEmpty else { throw malformed(.notArmor) }
                part = .begin
                space = 0
                line.append(byte)
            case .begin, .body, .end:
                guard byte != Decoder.newline else { return try endLine(into: &bytes) }
                // One more than the columns, for a carriage return.
                guard line.count <= AgeArmor.columns else {
                    throw malformed(part == .begin ? .notArmor : .lineTooLong)
                }
                line.append(byte)
            }
        }

        private mutating func take(space byte: UInt8) throws(AgeError) {
            guard AgeArmor.isSpace(byte) else { throw malformed(.trailingData) }
            guard space < AgeArmor.maximumSpace else { throw malformed(.tooMuchSpace) }
            space += 1
            line.append(byte)
            if byte == Decoder.newline { startLine() }
        }

        private mutating func startLine() {
            lineNumber += 1
            line.removeAll(keepingCapacity: true)
        }

        private mutating func endLine(into bytes: inout [UInt8]) throws(AgeError) {
            if line.last == Decoder.carriageReturn { line.removeLast() }
            if part == .begin {
                guard line == Decoder.begin else { throw malformed(.notArmor) }
                part = .body
            } else if line == Decoder.end {
                part = .after
            } else if part == .end {
                throw malformed(.lineAfterLast)
            } else {
                try decodeLine(into: &bytes)
            }
            startLine()
        }

        private mutating func decodeLine(into bytes: inout [UInt8]) throws(AgeError) {
            guard !line.isEmpty else { throw malformed(.emptyLine) }
            guard line.count <= AgeArmor.columns else { throw malformed(.lineTooLong) }
            guard let decoded = try? Base64.standard.decode(ascii: line.span) else { throw malformed(.invalidBase64) }
            bytes.append(contentsOf: decoded)
            if decoded.count < AgeArmor.bytesPerLine { part = .end }
        }

        private func malformed(_ defect: AgeArmorDefect) -> AgeError { .malformedArmor(line: lineNumber, defect) }
    }
}
