import MildamWire

extension AgeArmor {
    /// Writes the armor of a file that comes in pieces of any size, with line feeds between its lines.
    ///
    /// ```swift
    /// var encoder = AgeArmor.Encoder()
    /// encoder.encode(piece.span, into: &text)
    /// encoder.finish(into: &text)
    /// ```
    public struct Encoder: Sendable {
        private var isBegun = false
        /// The bytes of the line that is not full yet.
        private var line: [UInt8] = []

        private static let newline = UInt8(ascii: "\n")

        /// An encoder at the start of a file.
        public init() {}

        /// Appends to `text` what more of the file makes certain: all whole lines.
        public mutating func encode(_ bytes: Span<UInt8>, into text: inout [UInt8]) {
            begin(&text)
            var position = 0
            if !line.isEmpty {
                position = min(AgeArmor.bytesPerLine - line.count, bytes.count)
                for index in 0..<position { line.append(bytes[index]) }
                guard line.count == AgeArmor.bytesPerLine else { return }
                Encoder.append(line.span, to: &text)
                line.removeAll(keepingCapacity: true)
            }
            while bytes.count - position >= AgeArmor.bytesPerLine {
                Encoder.append(bytes.extracting(position..<position + AgeArmor.bytesPerLine), to: &text)
                position += AgeArmor.bytesPerLine
            }
            for index in position..<bytes.count { line.append(bytes[index]) }
        }

        /// Appends to `text` what stands after the whole lines.
        public consuming func finish(into text: inout [UInt8]) {
            begin(&text)
            if !line.isEmpty { Encoder.append(line.span, to: &text) }
            text.append(contentsOf: AgeArmor.end.utf8)
            text.append(Encoder.newline)
        }

        private mutating func begin(_ text: inout [UInt8]) {
            guard !isBegun else { return }
            isBegun = true
            text.append(contentsOf: AgeArmor.begin.utf8)
            text.append(Encoder.newline)
        }

        private static func append(_ line: Span<UInt8>, to text: inout [UInt8]) {
            Base64.standard.encode(line, into: &text)
            text.append(newline)
        }
    }
}
