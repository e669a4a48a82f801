/// What the first three bits of an item say (RFC 8949, section 3.1), and the numbers that the profile knows.
enum CBORMajorType: UInt8 {
    case unsigned = 0
    case negative = 1
    case bytes = 2
    case text = 3
    case array = 4
    case map = 5
    case tag = 6
    case simple = 7

    /// The tag of a URI.
    static let uriTag: UInt64 = 32
    static let falseValue: UInt64 = 20
    static let trueValue: UInt64 = 21
    static let nullValue: UInt64 = 22
}
