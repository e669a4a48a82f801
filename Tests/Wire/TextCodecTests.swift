import Testing

@testable import MildamWire

@Suite("RFC 4648: base32 and base16")
struct TextCodecTests {
    /// Section 10, in lower case and without padding.
    static let base32Vectors = [
        ("", ""), ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foob", "mzxw6yq"), ("fooba", "mzxw6ytb"),
        ("foobar", "mzxw6ytboi"),
    ]

    @Test(arguments: base32Vectors)
    func base32(_ plain: String, _ text: String) throws {
        #expect(Base32.encode(plain.utf8) == text)
        #expect(try Base32.decode(text) == Array(plain.utf8))
    }

    @Test("Base32 of every length comes back, and no other text gives the same bytes", arguments: 0...40)
    func base32RoundTrip(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }
        let text = Base32.encode(bytes)
        #expect(try Base32.decode(text) == bytes)
        // Cut at every character: never the same bytes.
        for length in 0..<text.count {
            #expect((try? Base32.decode(text.prefix(length))) != bytes)
        }
        // One bit of each character flipped: never the same bytes.
        for index in text.utf8.indices {
            for bit in 0..<8 {
                var changed = Array(text.utf8)
                changed[text.utf8.distance(from: text.utf8.startIndex, to: index)] ^= 1 << bit
                #expect((try? Base32.decode(String(decoding: changed, as: UTF8.self))) != bytes)
            }
        }
    }

    @Test(
        "Upper case, padding, other letters, odd lengths, and unused bits that are set",
        arguments: [
            "MY", "my======", "m", "mzx", "mzxw6y", "m1", "m0", "m8", "m9", "m y", "my\n", "mÿ", "mz", "mzxr", "mzxw7",
            "mzxw6yr", "밀담",
        ]
    )
    func base32Refused(_ text: String) {
        #expect(throws: WireError.invalidText) { try Base32.decode(text) }
    }

    @Test(arguments: [("", ""), ("f", "66"), ("fo", "666f"), ("foobar", "666f6f626172")])
    func hex(_ plain: String, _ text: String) throws {
        #expect(Hex.encode(plain.utf8) == text)
        #expect(try Hex.decode(text) == Array(plain.utf8))
        #expect(try Hex.decode(text.uppercased()) == Array(plain.utf8))
    }

    @Test func hexRoundTrip() throws {
        let all = Array(UInt8.min ... .max)
        let text = Hex.encode(all)
        #expect(try Hex.decode(text) == all)
        for length in 0..<text.count { #expect((try? Hex.decode(String(text.prefix(length)))) != all) }
    }

    @Test(arguments: ["0", "000", "0g", "g0", " 00", "0x00", "00\n", "/0", ":0", "@0", "G0", "`0", "０0", "é"])
    func hexRefused(_ text: String) {
        #expect(throws: WireError.invalidText) { try Hex.decode(text) }
    }
}
