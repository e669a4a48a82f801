/// Bech32 (BIP 173) without its limit on length: a prefix, a `1`, and bytes with a checksum of six characters.
///
/// A text is in one case throughout. The prefix is given and compared in the case that the text is in, because that is
/// how kinds of keys are told apart: `age1…` is public, `AGE-SECRET-KEY-1…` is not.
public enum Bech32 {
    /// The text of `bytes` after `prefix`, in the prefix's case.
    ///
    /// - Parameter prefix: one printable ASCII character or more, its letters in one case.
    public static func encode(_ bytes: some Sequence<UInt8>, prefix: String) -> String {
        var text: [UInt8] = []
        encode(bytes, prefix: prefix) { text.append($0) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Gives the characters of the text one by one, so that a secret one is nowhere but where the caller puts it.
    public static func encode(_ bytes: some Sequence<UInt8>, prefix: String, _ take: (UInt8) -> Void) {
        let isUpperCase = prefix.utf8.contains { $0.isUpperCase }
        let characters = isUpperCase ? upperCaseAlphabet : alphabet
        var checksum = Checksum(prefix: prefix.utf8)
        for character in prefix.utf8 { take(character) }
        take(separator)
        func append(_ value: UInt8) {
            checksum.take(value)
            take(characters[Int(value)])
        }
        var groups = BitGroups()
        for byte in bytes {
            groups.push(byte, width: 8)
            while let value = groups.pop(width: 5) { append(value) }
        }
        if groups.count > 0 {
            groups.push(0, width: 5 - groups.count)
            while let value = groups.pop(width: 5) { append(value) }
        }
        for value in checksum.values { take(characters[Int(value)]) }
    }

    /// The prefix, in the text's case, and the bytes.
    ///
    /// - Throws: `invalidText` for mixed case, a character that has no place, a wrong checksum, or unused bits that are
    ///   not zero.
    public static func decode(_ text: some StringProtocol) throws(WireError) -> (prefix: String, bytes: [UInt8]) {
        let (prefix, data) = try verifiedParts(of: Substring(text).utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count * 5 / 8)
        var groups = BitGroups()
        for character in data {
            groups.push(value(of: character) ?? 0, width: 5)
            if let byte = groups.pop(width: 8) { bytes.append(byte) }
        }
        guard groups.isPaddingOfBase32 else { throw .invalidText }
        return (String(decoding: prefix, as: UTF8.self), bytes)
    }

    /// Decodes a key of a known kind and size into memory of the caller's choosing, and leaves no copy elsewhere.
    ///
    /// - Throws: `invalidText` as above, and for another prefix; `lengthOutOfRange` for another size. What `bytes`
    ///   holds then has no meaning.
    public static func decode(
        _ text: some StringProtocol,
        prefix: String,
        into bytes: inout MutableSpan<UInt8>
    ) throws(WireError) {
        try decode(ascii: Substring(text).utf8, prefix: prefix, into: &bytes)
    }

    /// Decodes a key as above from a text that is given as its ASCII characters, such as one in secret memory.
    ///
    /// - Throws: as above.
    public static func decode(
        ascii text: some BidirectionalCollection<UInt8>,
        prefix: String,
        into bytes: inout MutableSpan<UInt8>
    ) throws(WireError) {
        let (found, data) = try verifiedParts(of: text)
        guard found.elementsEqual(prefix.utf8) else { throw .invalidText }
        let size = data.count * 5 / 8
        guard size == bytes.count else { throw .lengthOutOfRange(size) }
        var groups = BitGroups()
        var position = 0
        for character in data {
            groups.push(value(of: character) ?? 0, width: 5)
            guard let byte = groups.pop(width: 8) else { continue }
            bytes[position] = byte
            position += 1
        }
        guard groups.isPaddingOfBase32 else { throw .invalidText }
    }

    /// The characters before the separator and between it and the checksum, once case, alphabet and checksum are right.
    private static func verifiedParts<Text: BidirectionalCollection<UInt8>>(
        of text: Text
    ) throws(WireError) -> (prefix: Text.SubSequence, data: Text.SubSequence) {
        guard text.allSatisfy({ (33...126).contains($0) }),
            !(text.contains { $0.isUpperCase } && text.contains { $0.isLowerCase }),
            let end = text.lastIndex(of: separator), end != text.startIndex
        else { throw .invalidText }
        let prefix = text[..<end]
        let coded = text[text.index(after: end)...]
        guard coded.count >= Checksum.size else { throw .invalidText }
        var checksum = Checksum(prefix: prefix)
        for character in coded {
            guard let value = value(of: character) else { throw .invalidText }
            checksum.take(value)
        }
        guard checksum.isComplete else { throw .invalidText }
        return (prefix, coded.dropLast(Checksum.size))
    }

    private static func value(of character: UInt8) -> UInt8? {
        let value = values[Int(character & 127)]
        return value == none || character > 127 ? nil : value
    }

    private static let separator = UInt8(ascii: "1")
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let upperCaseAlphabet = Array("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".utf8)
    private static let none: UInt8 = 255
    /// The value of each ASCII character, in either case.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: none, count: 128)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        for (value, character) in upperCaseAlphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}

/// The checksum of BIP 173: a BCH code over groups of five bits.
private struct Checksum {
    static let size = 6

    private var state: UInt32 = 1
    private static let generator: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]

    /// The state after the prefix, which counts as lower case.
    init(prefix: some Collection<UInt8>) {
        for character in prefix { take((character.isUpperCase ? character + 32 : character) >> 5) }
        take(0)
        for character in prefix { take(character & 31) }
    }

    mutating func take(_ value: UInt8) {
        let top = state >> 25
        state = (state & 0x1ff_ffff) << 5 ^ UInt32(value)
        for (bit, term) in Checksum.generator.enumerated() where top >> bit & 1 == 1 { state ^= term }
    }

    /// Whether what was taken ended with its own checksum.
    var isComplete: Bool { state == 1 }

    /// The six values that complete what was taken.
    var values: [UInt8] {
        var complete = self
        for _ in 0..<Checksum.size { complete.take(0) }
        let sum = complete.state ^ 1
        return (0..<Checksum.size).map { UInt8(truncatingIfNeeded: sum >> (5 * (5 - $0))) & 31 }
    }
}

/// Bits that arrive in groups of one width and leave in groups of another.
private struct BitGroups {
    private var pending: UInt32 = 0
    private(set) var count = 0

    mutating func push(_ value: UInt8, width: Int) {
        pending = pending << width | UInt32(value)
        count += width
    }

    mutating func pop(width: Int) -> UInt8? {
        guard count >= width else { return nil }
        count -= width
        defer { pending &= (1 << count) - 1 }
        return UInt8(truncatingIfNeeded: pending >> count)
    }

    /// Whether what is left is what an encoder adds to fill its last group: fewer than five bits, all zero.
    var isPaddingOfBase32: Bool { count < 5 && pending == 0 }
}

extension UInt8 {
    fileprivate var isUpperCase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isLowerCase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}
