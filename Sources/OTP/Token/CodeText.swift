import MildamCrypto

/// A code as ASCII characters: five to ten of them.
struct CodeText {
    private var characters: InlineArray<10, UInt8> = InlineArray(repeating: 0)
    private let count: Int

    /// The code of a truncated value (RFC 4226, section 5.3): its last digits in decimal, with zeros before them. Of ten
    /// digits the first is 0, 1 or 2, since 31 bits reach no further.
    init(decimal value: UInt32, digits: Int) {
        count = digits
        var rest = value
        for place in (0..<digits).reversed() {
            characters[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Steam Guard's code of a truncated value: five characters of its alphabet of 26, the lowest place first.
    init(steam value: UInt32) {
        count = OneTimePassword.Kind.steamDigits
        var rest = Int(value)
        for place in 0..<count {
            characters[place] = CodeText.steamAlphabet[rest % CodeText.steamAlphabet.count]
            rest /= CodeText.steamAlphabet.count
        }
    }

    /// The characters.
    var span: Span<UInt8> {
        @_lifetime(borrow self)
        get { characters.span.extracting(..<count) }
    }

    /// The characters as a text.
    var text: String {
        unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// No vowels, and nothing that looks like something else.
    private static let steamAlphabet = Array("23456789BCDFGHJKMNPQRTVWXY".utf8)
}
