import MildamWire
import TestSupport
import Testing

@Suite("Bech32 (BIP 173)")
struct Bech32Tests {
    @Test(
        "Valid texts of the BIP decode, and encode to themselves",
        arguments: [
            "A12UEL5L", "a12uel5l",
            "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
            "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
            "11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j",
            "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "?1ezyfcl",
            // Over the BIP's length of 90, which age does not have.
            "an84characterslonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1569pvx",
        ]
    )
    func valid(_ text: String) throws {
        let (prefix, bytes) = try Bech32.decode(text)
        #expect(Bech32.encode(bytes, prefix: prefix) == text)
    }

    @Test(
        "Invalid texts of the BIP are refused",
        arguments: [
            "\u{20}1nwldj5", "\u{7f}1axkwrx", "\u{80}1eym55h", "pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v",
            "li1dgmt3", "de1lg7wt\u{ff}", "A1G7SGD8", "10a06t8", "1qzzfhee",
            // Mixed case, in the prefix, in the data, and between them.
            "A12uEL5L", "a12UEL5L", "A12uel5l", "a12uel5L", "",
        ]
    )
    func invalid(_ text: String) {
        #expect(throws: WireError.invalidText) { try Bech32.decode(text) }
    }

    @Test("Unused bits that are not zero, or a whole unused group, are refused")
    func padding() throws {
        // One byte takes two characters, and two bits are unused: of the 32 second characters 8 are canonical.
        let decoded = texts(dataLength: 2).compactMap { try? Bech32.decode($0) }
        #expect(decoded.count == 32 * 8)
        #expect(texts(dataLength: 1).allSatisfy { (try? Bech32.decode($0)) == nil })
    }

    @Test("Every size round-trips, in both cases", arguments: 0...70)
    func roundTrip(_ size: Int) throws {
        var generator = Seed.generator(for: "bech32 \(size)")
        let bytes = generator.bytes(size)
        for prefix in ["age", "AGE-SECRET-KEY-", "1"] {
            let text = Bech32.encode(bytes, prefix: prefix)
            let decoded = try Bech32.decode(text)
            #expect(decoded.prefix == prefix && decoded.bytes == bytes)
        }
    }

    @Test("Cut anywhere, or with one character or one bit changed, a text is refused")
    func damage() {
        let text = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
        let characters = Array(text.utf8)
        for end in characters.indices {
            #expect(throws: WireError.self) { try Bech32.decode(text.prefix(end)) }
        }
        for index in characters.indices {
            for bit in 0..<8 {
                var changed = characters
                changed[index] ^= 1 << bit
                #expect(throws: WireError.self) { try Bech32.decode(String(decoding: changed, as: UTF8.self)) }
            }
        }
    }

    @Test("The characters come one by one as they stand in the text, which may be given as characters")
    func characters() throws {
        let key = [UInt8](repeating: 0x42, count: 32)
        var characters: [UInt8] = []
        Bech32.encode(key, prefix: "AGE-SECRET-KEY-") { characters.append($0) }
        #expect(String(decoding: characters, as: UTF8.self) == Bech32.encode(key, prefix: "AGE-SECRET-KEY-"))
        var bytes = [UInt8](repeating: 0, count: 32)
        var span = bytes.mutableSpan
        try Bech32.decode(ascii: characters, prefix: "AGE-SECRET-KEY-", into: &span)
        #expect(bytes == key)
    }

    @Test("A key is decoded in place only with its prefix, case and size")
    func inPlace() throws {
        let text = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
        #expect(try decode(text, "AGE-SECRET-KEY-", size: 32) == [UInt8](repeating: 0x42, count: 32))
        #expect(throws: WireError.invalidText) { try decode(text.lowercased(), "AGE-SECRET-KEY-", size: 32) }
        #expect(throws: WireError.invalidText) { try decode(text, "age-secret-key-", size: 32) }
        #expect(throws: WireError.invalidText) { try decode(text, "AGE-SECRET-KEY-PQ-", size: 32) }
        for size in [0, 31, 33] {
            #expect(throws: WireError.lengthOutOfRange(32)) { try decode(text, "AGE-SECRET-KEY-", size: size) }
        }
    }

    private func decode(_ text: String, _ prefix: String, size: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        var span = bytes.mutableSpan
        try Bech32.decode(text, prefix: prefix, into: &span)
        return bytes
    }

    /// Every text with the prefix "a", this many data characters and a right checksum.
    private func texts(dataLength: Int) -> [String] {
        let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
        let data = (0..<(1 << (5 * dataLength))).map { number in
            (0..<dataLength).map { number >> (5 * $0) & 31 }
        }
        return data.map { data in
            var state = 1
            func take(_ value: Int) {
                let top = state >> 25
                state = (state & 0x1ff_ffff) << 5 ^ value
                for (bit, term) in [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3].enumerated()
                where top >> bit & 1 == 1 { state ^= term }
            }
            for value in [97 >> 5, 0, 97 & 31] + data + [0, 0, 0, 0, 0, 0] { take(value) }
            let checksum = (0..<6).map { (state ^ 1) >> (5 * (5 - $0)) & 31 }
            return "a1" + String(decoding: (data + checksum).map { alphabet[$0] }, as: UTF8.self)
        }
    }
}
