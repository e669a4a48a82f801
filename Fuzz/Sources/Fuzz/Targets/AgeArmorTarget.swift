import MildamFiles

extension FuzzTarget {
    /// The armor of an age file.
    static let ageArmor = FuzzTarget(
        name: "age-armor",
        source: .file,
        seeds: {
            let file = (0..<100).map { UInt8($0) }
            return [
                armored(Array(file.prefix(3))), armored(Array(file.prefix(50))), armored(Array(file.prefix(96))),
                Array("\r\n \n".utf8) + armored(file) + Array("\n\t".utf8),
            ]
        },
        take: { input in
            let fed = mustBeTheSame(input, "armor", feed: decode)
            guard case .ended(let file, _) = fed else { return }
            planted(file.first.map { $0 >> 2 == 16 } == true)
            mustHold(
                plain(armored(file)) == plain(input),
                "armor has one form but for line ends and the space around it"
            )
        }
    )

    private static func armored(_ file: [UInt8]) -> [UInt8] {
        var encoder = AgeArmor.Encoder()
        var text: [UInt8] = []
        encoder.encode(file.span, into: &text)
        encoder.finish(into: &text)
        return text
    }

    private static func decode(_ parts: [ArraySlice<UInt8>]) -> Fed<[UInt8], AgeError> {
        var decoder = AgeArmor.Decoder()
        var file: [UInt8] = []
        do throws(AgeError) {
            for part in parts { try decoder.decode(Array(part).span, into: &file) }
            try decoder.finish()
        } catch {
            return .refused(error)
        }
        return .ended(file, taken: parts.reduce(0) { $0 + $1.count })
    }

    /// A text without the white space around it, its lines ended by line feeds.
    private static func plain(_ text: [UInt8]) -> [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
        guard let start = text.firstIndex(where: { !isSpace($0) }), let end = text.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return text[start...end].enumerated().compactMap { offset, byte in
            let next = start + offset + 1
            return byte == 13 && next <= end && text[next] == 10 ? nil : byte
        }
    }
}
