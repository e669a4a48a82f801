import MildamSystem

/// An age file as a descriptor gives it, out of its armor if it stands in one; counted and hashed as it comes.
struct AgeInput {
    private enum Form { case unknown, plain, armored }

    private var form = Form.unknown
    private var meter: AgeCiphertext.Meter
    private var armor = AgeArmor.Decoder()
    /// What was read last of an armored file.
    private var text: [UInt8] = []
    /// What the text stood for, from `position` on not handed out yet.
    private var decoded: [UInt8] = []
    private var position = 0

    private static let pieceSize = 65_536

    init(digesting: Bool) {
        meter = AgeCiphertext.Meter(digesting: digesting)
    }

    /// How many bytes were read, those of armor too.
    var size: Int { meter.size }

    /// What was read, as it came.
    var ciphertext: AgeCiphertext { meter.ciphertext }

    /// Reads on, until the buffer is full or the file ends.
    ///
    /// - Parameter start: where in the buffer to begin; what stands before it is kept.
    /// - Returns: where in the buffer the reading ended.
    /// - Throws: `malformedArmor`, `io`.
    mutating func fill(
        _ buffer: inout [UInt8],
        from start: Int = 0,
        reading source: borrowing Descriptor,
        path: String?
    ) throws(AgeError) -> Int {
        switch form {
        case .unknown:
            let end = try AgeInput.read(into: &buffer, from: start, &meter, source, path)
            let isArmored = end > start && AgeArmor.canBegin(with: buffer[start])
            form = isArmored ? .armored : .plain
            guard isArmored else { return end }
            try armor.decode(buffer.span.extracting(start..<end), into: &decoded)
            return try fillFromArmor(&buffer, from: start, source, path)
        case .plain: return try AgeInput.read(into: &buffer, from: start, &meter, source, path)
        case .armored: return try fillFromArmor(&buffer, from: start, source, path)
        }
    }

    private mutating func fillFromArmor(
        _ buffer: inout [UInt8],
        from start: Int,
        _ source: borrowing Descriptor,
        _ path: String?
    ) throws(AgeError) -> Int {
        var end = start
        while end < buffer.count {
            if position == decoded.count, try !decodeMore(source, path) { break }
            let count = min(buffer.count - end, decoded.count - position)
            buffer.replaceSubrange(end..<end + count, with: decoded[position..<position + count])
            position += count
            end += count
        }
        return end
    }

    /// Whether there was more to decode.
    private mutating func decodeMore(_ source: borrowing Descriptor, _ path: String?) throws(AgeError) -> Bool {
        if text.isEmpty { text = [UInt8](repeating: 0, count: AgeInput.pieceSize) }
        let end = try AgeInput.read(into: &text, from: 0, &meter, source, path)
        guard end > 0 else {
            try armor.finish()
            return false
        }
        decoded.removeAll(keepingCapacity: true)
        position = 0
        let piece = text
        try armor.decode(piece.span.extracting(..<end), into: &decoded)
        return true
    }

    private static func read(
        into buffer: inout [UInt8],
        from start: Int,
        _ meter: inout AgeCiphertext.Meter,
        _ source: borrowing Descriptor,
        _ path: String?
    ) throws(AgeError) -> Int {
        let end = try AgeError.reporting { () throws(SystemError) in try source.fill(&buffer, from: start, path: path) }
        meter.take(buffer.span.extracting(start..<end))
        return end
    }
}
