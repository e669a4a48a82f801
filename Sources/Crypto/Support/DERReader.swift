/// Reads DER (X.690, section 10) from borrowed bytes, which may be secret: nothing is copied.
///
/// Every length is checked against the bytes that are there, and has one form. Tags have one byte.
struct DERReader: ~Escapable {
    /// Tags of the universal class (X.690, section 8), and those that a structure gives its optional fields.
    enum Tag {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let null: UInt8 = 0x05
        static let objectIdentifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30

        /// `[number]` around another element.
        static func explicit(_ number: UInt8) -> UInt8 { 0xA0 | number }
        /// `[number]` in place of a string's own tag.
        static func implicit(_ number: UInt8) -> UInt8 { 0x80 | number }
    }

    private let bytes: Span<UInt8>
    private var position = 0

    /// Reads from the start of `bytes`.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    /// Whether an element of this tag comes next.
    func comes(_ tag: UInt8) -> Bool { position < bytes.count && bytes[position] == tag }

    /// The content of the next element.
    ///
    /// - Throws: `invalidParameter` for an element of another tag, and for what is no DER.
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    mutating func content(_ tag: UInt8) throws(CryptoKitError) -> Span<UInt8> {
        guard comes(tag) else { throw .invalidParameter }
        position += 1
        let count = try length()
        guard bytes.count - position >= count else { throw .invalidParameter }
        defer { position += count }
        return bytes.extracting(position..<position + count)
    }

    /// The elements of the next element.
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    mutating func elements(_ tag: UInt8 = Tag.sequence) throws(CryptoKitError) -> DERReader {
        DERReader(try content(tag))
    }

    /// The next element's content, a BIT STRING of whole bytes.
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    mutating func bits(_ tag: UInt8 = Tag.bitString) throws(CryptoKitError) -> Span<UInt8> {
        let content = try content(tag)
        guard content.count > 0, content[0] == 0 else { throw .invalidParameter }
        return content.extracting(1..<content.count)
    }

    /// Takes an element that must have this content.
    @_lifetime(self: copy self)
    mutating func expect(_ tag: UInt8, _ expected: [UInt8]) throws(CryptoKitError) {
        let content = try content(tag)
        guard content.count == expected.count else { throw .invalidParameter }
        for index in expected.indices where content[index] != expected[index] { throw .invalidParameter }
    }

    /// Ends the reading; whatever is left over is an error.
    func finish() throws(CryptoKitError) {
        guard position == bytes.count else { throw .invalidParameter }
    }

    /// A length (X.690, section 10.1): the shortest form, of three bytes at most.
    @_lifetime(self: copy self)
    private mutating func length() throws(CryptoKitError) -> Int {
        let first = try byte()
        guard first >= 0x80 else { return Int(first) }
        guard first == 0x81 || first == 0x82 else { throw .invalidParameter }
        var length = Int(try byte())
        if first == 0x82 { length = length << 8 | Int(try byte()) }
        guard length >= (first == 0x81 ? 0x80 : 0x100) else { throw .invalidParameter }
        return length
    }

    @_lifetime(self: copy self)
    private mutating func byte() throws(CryptoKitError) -> UInt8 {
        guard position < bytes.count else { throw .invalidParameter }
        defer { position += 1 }
        return bytes[position]
    }
}
