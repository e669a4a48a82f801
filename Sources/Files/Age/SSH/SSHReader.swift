/// Reads SSH's data types (RFC 4251, section 5) from borrowed bytes, and says where they lie instead of copying them:
/// some of them are secret.
struct SSHReader: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    /// Where what was not read yet lies.
    var rest: Range<Int> { position..<bytes.count }

    /// Exactly `count` bytes.
    @_lifetime(self: copy self)
    mutating func fixed(_ count: Int) throws(AgeKeyDefect) -> Range<Int> {
        guard rest.count >= count else { throw .malformedSSHKey }
        defer { position += count }
        return position..<position + count
    }

    /// `uint32`
    @_lifetime(self: copy self)
    mutating func number() throws(AgeKeyDefect) -> UInt32 {
        var number: UInt32 = 0
        for index in try fixed(4) { number = number << 8 | UInt32(bytes[index]) }
        return number
    }

    /// `string`: a length and so many bytes.
    @_lifetime(self: copy self)
    mutating func string() throws(AgeKeyDefect) -> Range<Int> {
        let count = try number()
        return try fixed(Int(count))
    }

    /// A string that can be only this one.
    @_lifetime(self: copy self)
    mutating func string(_ expected: String) throws(AgeKeyDefect) {
        let found = try string()
        guard bytes.extracting(found).equals(expected) else { throw .malformedSSHKey }
    }

    /// A string of exactly `count` bytes.
    @_lifetime(self: copy self)
    mutating func string(count: Int) throws(AgeKeyDefect) -> Range<Int> {
        let found = try string()
        guard found.count == count else { throw .malformedSSHKey }
        return found
    }

    /// Ends the reading; whatever is left over is an error.
    func finish() throws(AgeKeyDefect) {
        guard rest.isEmpty else { throw .malformedSSHKey }
    }
}
