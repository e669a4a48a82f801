import MildamSystem

/// An age file as a descriptor gives it, out of its armor if it stands in one; counted and hashed as it comes.
final class AgeInput: PieceInput {
    private enum Form { case unknown, plain, armored }

    private let source: PlainInput
    private var form = Form.unknown
    private var armor = AgeArmor.Decoder()
    /// What was read last of an armored file.
    private var text: [UInt8] = []
    /// What the text stood for, from `position` on not handed out yet.
    private var decoded: [UInt8] = []
    private var position = 0

    private static let pieceSize = 65_536

    init(_ source: PlainInput) {
        self.source = source
    }

    /// How many bytes were read, those of armor too.
    var size: Int { source.size }

    /// Reads on, until the buffer is full or the file ends.
    ///
    /// - Throws: `malformedArmor`, `io`.
    func fill(_ buffer: inout [UInt8], from start: Int = 0) throws(AgeError) -> Int {
        switch form {
        case .unknown:
            let end = try source.fill(&buffer, from: start)
            let isArmored = end > start && AgeArmor.canBegin(with: buffer[start])
            form = isArmored ? .armored : .plain
            guard isArmored else { return end }
            try armor.decode(buffer.span.extracting(start..<end), into: &decoded)
            return try fillFromArmor(&buffer, from: start)
        case .plain: return try source.fill(&buffer, from: start)
        case .armored: return try fillFromArmor(&buffer, from: start)
        }
    }

    private func fillFromArmor(_ buffer: inout [UInt8], from start: Int) throws(AgeError) -> Int {
        var end = start
        while end < buffer.count {
            if position == decoded.count, try !decodeMore() { break }
            let count = min(buffer.count - end, decoded.count - position)
            buffer.replaceSubrange(end..<end + count, with: decoded[position..<position + count])
            position += count
            end += count
        }
        return end
    }

    /// Whether there was more to decode.
    private func decodeMore() throws(AgeError) -> Bool {
        if text.isEmpty { text = [UInt8](repeating: 0, count: AgeInput.pieceSize) }
        let end = try source.fill(&text, from: 0)
        guard end > 0 else {
            try armor.finish()
            return false
        }
        decoded.removeAll(keepingCapacity: true)
        position = 0
        // A span of a property would keep the others from being changed.
        let read = text
        try armor.decode(read.span.extracting(..<end), into: &decoded)
        return true
    }
}
