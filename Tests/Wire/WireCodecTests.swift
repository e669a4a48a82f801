import Testing

@testable import MildamWire

/// One field of each kind.
private struct Sample: WireEncodable, WireDecodable, Equatable {
    var byte: UInt8 = 0x01
    var short: UInt16 = 0x0203
    var word: UInt32 = 0x0405_0607
    var long: UInt64 = 0x0809_0A0B_0C0D_0E0F
    var fixed: [UInt8] = [0xAA, 0xBB, 0xCC]
    var vector: [UInt8] = [1, 2, 3, 4, 5]
    var text = "밀담"

    init() {}

    func encode(into writer: inout WireWriter) {
        writer.integer(byte)
        writer.integer(short)
        writer.integer(word)
        writer.integer(long)
        writer.fixed(fixed)
        writer.vector(UInt16.self, vector)
        writer.text(UInt8.self, text)
    }

    init(from reader: inout WireReader) throws(WireError) {
        byte = try reader.integer()
        short = try reader.integer()
        word = try reader.integer()
        long = try reader.integer()
        fixed = try reader.fixed(3)
        vector = try reader.vector(UInt16.self, in: 1...100)
        text = try reader.text(UInt8.self, in: 0...32)
    }
}

@Suite("RFC 8446, section 3: presentation language")
struct WireCodecTests {
    private let encoded: [UInt8] = [
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0xAA, 0xBB, 0xCC,
        0x00, 0x05, 1, 2, 3, 4, 5, 0x06, 0xEB, 0xB0, 0x80, 0xEB, 0x8B, 0xB4,
    ]

    @Test func roundTrip() throws {
        #expect(Sample().wireBytes == encoded)
        #expect(try Sample(wireBytes: encoded) == Sample())
    }

    @Test("Cut at every byte", arguments: 0..<32)
    func truncated(_ count: Int) {
        #expect(throws: WireError.truncated) { try Sample(wireBytes: Array(encoded.prefix(count))) }
    }

    @Test("One bit flipped: another value or a refusal, never the same", arguments: 0..<32 * 8)
    func flipped(_ bit: Int) {
        var bytes = encoded
        bytes[bit / 8] ^= 1 << (bit % 8)
        if let other = try? Sample(wireBytes: bytes) {
            #expect(other != Sample())
            #expect(other.wireBytes == bytes)
        }
    }

    @Test(arguments: [1, 2, 1000])
    func trailing(_ count: Int) {
        #expect(throws: WireError.trailingBytes(count: count)) {
            try Sample(wireBytes: encoded + [UInt8](repeating: 0, count: count))
        }
    }

    @Test(arguments: [
        ([0, 0], WireError.lengthOutOfRange(0)), ([0, 101], .lengthOutOfRange(101)),
        ([255, 255], .lengthOutOfRange(65535)),
        ([0, 3, 1, 2], .truncated), ([0], .truncated), ([], .truncated),
    ])
    func vectorLength(_ bytes: [UInt8], _ error: WireError) {
        #expect(throws: error) {
            var reader = WireReader(bytes.span)
            _ = try reader.vector(UInt16.self, in: 1...100)
        }
    }

    @Test("A length that no machine could hold is refused before anything is allocated")
    func hugeLength() {
        let bytes = [UInt8](repeating: 0xFF, count: 8)
        #expect(throws: WireError.lengthOutOfRange(.max)) {
            var reader = WireReader(bytes.span)
            _ = try reader.vector(UInt64.self, in: 0...1000)
        }
        #expect(throws: WireError.truncated) {
            var reader = WireReader(bytes.span)
            _ = try reader.vector(UInt32.self, in: 0...Int.max)
        }
    }

    @Test(
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]]
    )
    func notUTF8(_ bytes: [UInt8]) {
        let field = [UInt8(bytes.count)] + bytes
        #expect(throws: WireError.invalidText) {
            var reader = WireReader(field.span)
            _ = try reader.text(UInt8.self, in: 0...10)
        }
    }

    @Test func whatWasReadIsThereAsItWasSent() throws {
        let bytes: [UInt8] = [1, 0, 2, 3, 4]
        var reader = WireReader(bytes.span)
        _ = try reader.integer(UInt8.self)
        let start = reader.offset
        let nothing = reader.readBytes(since: start)
        _ = try reader.integer(UInt16.self)
        let (number, all, end) = (reader.readBytes(since: start), reader.readBytes(since: 0), reader.offset)
        #expect(start == 1 && nothing.isEmpty && end == 3)
        #expect(number == [0, 2] && all == [1, 0, 2])
    }

    @Test(arguments: [0, 1, .max / 2, .max] as [UInt64])
    func integers(_ value: UInt64) throws {
        var writer = WireWriter()
        writer.integer(value)
        writer.integer(UInt8(truncatingIfNeeded: value))
        let bytes = writer.bytes
        #expect(bytes.count == 9)
        var reader = WireReader(bytes.span)
        #expect(try reader.integer(UInt64.self) == value)
        #expect(try reader.integer(UInt8.self) == UInt8(truncatingIfNeeded: value))
        try reader.finish()
    }
}
