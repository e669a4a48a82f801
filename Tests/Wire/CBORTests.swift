import TestSupport
import Testing

@testable import MildamWire

@Suite("RFC 8949, section 4.2: deterministic CBOR")
struct CBORTests {
    /// The numbers from 1 to 25.
    private static let twentyFive = CBORValue.array((UInt64(1)...25).map { .unsigned($0) })

    /// The items of RFC 8949's appendix A that the profile has.
    private static let admitted = simple + composed

    private static let simple: [(hex: String, value: CBORValue)] = [
        ("00", .unsigned(0)), ("01", .unsigned(1)), ("0a", .unsigned(10)), ("17", .unsigned(23)),
        ("1818", .unsigned(24)), ("1819", .unsigned(25)), ("1864", .unsigned(100)), ("1903e8", .unsigned(1000)),
        ("1a000f4240", .unsigned(1_000_000)), ("1b000000e8d4a51000", .unsigned(1_000_000_000_000)),
        ("1bffffffffffffffff", .unsigned(.max)), ("3bffffffffffffffff", .negative(.max)), ("20", .integer(-1)),
        ("29", .integer(-10)), ("3863", .integer(-100)), ("3903e7", .integer(-1000)), ("f4", .bool(false)),
        ("f5", .bool(true)), ("f6", .null), ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])),
        ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", .uri("http://www.example.com")), ("60", .text("")),
        ("6161", .text("a")), ("6449455446", .text("IETF")), ("62225c", .text("\"\\")), ("62c3bc", .text("\u{fc}")),
        ("63e6b0b4", .text("\u{6c34}")), ("64f0908591", .text("\u{10151}")),
    ]

    private static let composed: [(hex: String, value: CBORValue)] = [
        ("80", .array([])),
        ("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
        (
            "8301820203820405",
            .array([
                .unsigned(1), .array([.unsigned(2), .unsigned(3)]), .array([.unsigned(4), .unsigned(5)]),
            ])
        ),
        ("98190102030405060708090a0b0c0d0e0f101112131415161718181819", twentyFive), ("a0", .map(CBORMap())),
        ("a201020304", map([(.unsigned(1), .unsigned(2)), (.unsigned(3), .unsigned(4))])),
        ("a26161016162820203", map([(.text("a"), .unsigned(1)), (.text("b"), .array([.unsigned(2), .unsigned(3)]))])),
        ("826161a161626163", .array([.text("a"), map([(.text("b"), .text("c"))])])),
        ("a56161614161626142616361436164614461656145", map("abcde".map { (.text("\($0)"), .text($0.uppercased())) })),
    ]

    /// Those that it leaves out: bignums, floats, other simple values, other tags, and what says nothing of its length.
    static let leftOut = [
        "c249010000000000000000", "c349010000000000000000", "f90000", "f98000", "f93c00", "fb3ff199999999999a",
        "f93e00",
        "f97bff", "fa47c35000", "fa7f7fffff", "fb7e37e43c8800759c", "f90001", "f90400", "f9c400", "fbc010666666666666",
        "f97c00", "f97e00", "f9fc00", "fa7f800000", "fa7fc00000", "faff800000", "fb7ff0000000000000",
        "fb7ff8000000000000", "fbfff0000000000000", "f7", "f0", "f818", "f8ff",
        "c074323031332d30332d32315432303a30343a30305a", "c11a514b67b0", "c1fb41d452d9ec200000", "d74401020304",
        "d818456449455446", "5f42010243030405ff", "7f657374726561646d696e67ff", "9fff", "9f018202039f0405ffff",
        "9f01820203820405ff", "83018202039f0405ff", "83019f0203ff820405",
        "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", "bf61610161629f0203ffff",
        "826161bf61626163ff", "bf6346756ef563416d7421ff",
    ]

    private static func map(_ entries: [(CBORValue, CBORValue)]) -> CBORValue {
        .map(CBORMap(entries.map { CBORMap.Entry($0, $1) }))
    }

    /// An item of each kind, in a list.
    private static let sample = CBORValue.array([
        .unsigned(1000), .integer(-500), .bytes([1, 2, 3]), .text("\u{bc00}\u{b2f4}"), .uri("a:b"), .bool(true), .null,
        map([(.unsigned(7), .text("x")), (.integer(-3), .array([.unsigned(0)])), (.text("k"), .bool(false))]),
    ])

    @Test("Appendix A, as far as the profile has it: read as it is meant, and written as it stands")
    func appendixA() throws {
        for (hex, value) in Self.admitted {
            let bytes = try Hex.decode(hex)
            #expect(try CBORValue(encoded: bytes) == value, "\(hex)")
            #expect(value.encoded == bytes, "\(hex)")
        }
        #expect(Self.admitted.count + Self.leftOut.count == 82)
    }

    @Test("Appendix A, what the profile leaves out", arguments: CBORTests.leftOut)
    func isLeftOut(_ hex: String) throws {
        let bytes = try Hex.decode(hex)
        do throws(CBORDefect) {
            _ = try CBORValue(encoded: bytes)
            Issue.record("taken: \(hex)")
        } catch {
            switch error {
            case .unsupported, .indefiniteLength: break
            default: Issue.record("\(hex): \(error)")
            }
        }
    }

    @Test func roundTrip() throws {
        let bytes = Self.sample.encoded
        #expect(try CBORValue(encoded: bytes) == Self.sample)
        #expect(try CBORValue(encoded: bytes).encoded == bytes)
    }

    @Test("Cut at every byte")
    func truncated() {
        let bytes = Self.sample.encoded
        for count in bytes.indices {
            #expect(throws: CBORDefect.truncated) { try CBORValue(encoded: Array(bytes.prefix(count))) }
        }
    }

    @Test("One bit flipped: refused, or another item that is written as it was read")
    func flipped() {
        let bytes = Self.sample.encoded
        for bit in 0..<bytes.count * 8 {
            var other = bytes
            other[bit / 8] ^= 1 << (bit % 8)
            guard let value = try? CBORValue(encoded: other) else { continue }
            #expect(value != Self.sample, "bit \(bit)")
            #expect(value.encoded == other, "bit \(bit)")
        }
    }

    @Test("Nothing follows an item", arguments: [1, 2, 1000])
    func trailing(_ count: Int) {
        #expect(throws: CBORDefect.trailingBytes(count: count)) {
            try CBORValue(encoded: [0] + [UInt8](repeating: 0, count: count))
        }
    }

    @Test(
        "A number stands in as few bytes as hold it",
        arguments: [
            "1800", "1817", "190017", "1900ff", "1a0000ffff", "1b00000000ffffffff", "3817", "5800", "580161", "7800",
            "9800", "b800", "d90020613a", "9a00000000",
        ]
    )
    func notShortest(_ hex: String) throws {
        let bytes = try Hex.decode(hex)
        #expect(throws: CBORDefect.notShortest(at: 0)) { try CBORValue(encoded: bytes) }
    }

    @Test("Keys ascend by their encodings, and each is there once")
    func keys() throws {
        for (hex, place) in [("a203040102", 3), ("a201020103", 3), ("a2616101206162", 4), ("a2200018ff00", 3)] {
            let bytes = try Hex.decode(hex)
            #expect(throws: CBORDefect.keyOutOfOrder(at: place), "\(hex)") { try CBORValue(encoded: bytes) }
        }
        // 10, 100, -1, "z", "aa": the order that the RFC gives.
        let bytes = try Hex.decode("a50a001864002000617a00626161" + "00")
        guard case .map(let map) = try CBORValue(encoded: bytes) else {
            Issue.record("no map")
            return
        }
        let keys: [CBORValue] = [.unsigned(10), .unsigned(100), .integer(-1), .text("z"), .text("aa")]
        #expect(map.entries.map(\.key) == keys)
        #expect(map[100] == .unsigned(0) && map[-1] == .unsigned(0) && map[11] == nil)
        #expect(CBORMap(map.entries.reversed()) == map)
    }

    @Test(arguments: ["61ff", "62c080", "63eda080", "64f4908080", "62e282"])
    func notUTF8(_ hex: String) throws {
        let bytes = try Hex.decode(hex)
        #expect(throws: CBORDefect.notUTF8(at: 0)) { try CBORValue(encoded: bytes) }
    }

    @Test(
        "Bytes that CBOR does not use, and ends of nothing",
        arguments: ["1c", "3d", "5e", "7c", "9d", "bc", "dc", "fc", "ff", "1f", "3f", "df"]
    )
    func reserved(_ hex: String) throws {
        let bytes = try Hex.decode(hex)
        #expect(throws: CBORDefect.unsupported(at: 0)) { try CBORValue(encoded: bytes) }
    }

    @Test("A million arrays in one another, and tags before tags, end at once")
    func tooDeep() throws {
        let depth = CBORReader.maximumDepth
        func nested(_ depth: Int) -> [UInt8] { [UInt8](repeating: 0x81, count: depth) + [0] }
        _ = try CBORValue(encoded: nested(depth))
        for depth in [depth + 1, 1_000_000] {
            #expect(throws: CBORDefect.tooDeep) { try CBORValue(encoded: nested(depth)) }
        }
        let maps = [UInt8](repeating: 0xa1, count: 1_000_000)
        #expect(throws: CBORDefect.tooDeep) { try CBORValue(encoded: maps) }
        let tags = (0..<100_000).flatMap { _ in [0xd8, 0x20] as [UInt8] }
        #expect(throws: CBORDefect.unsupported(at: 2)) { try CBORValue(encoded: tags) }
        let open = [UInt8](repeating: 0x9f, count: 1_000_000)
        #expect(throws: CBORDefect.indefiniteLength(at: 0)) { try CBORValue(encoded: open) }
    }

    @Test("A length that is not there is refused before anything is kept for it")
    func hugeLengths() throws {
        for first: UInt8 in [0x5b, 0x7b, 0x9b, 0xbb] {
            let bytes = [first] + [UInt8](repeating: 0xff, count: 8)
            #expect(throws: CBORDefect.truncated) { try CBORValue(encoded: bytes) }
        }
        #expect(throws: CBORDefect.truncated) { try CBORValue(encoded: [0x9a, 0x7f, 0xff, 0xff, 0xff, 0]) }
        let most = CBORValue.array([CBORValue](repeating: .null, count: CBORReader.maximumItems - 1))
        #expect(try CBORValue(encoded: most.encoded) == most)
        let more = CBORValue.array([CBORValue](repeating: .null, count: CBORReader.maximumItems))
        #expect(throws: CBORDefect.tooManyItems) { try CBORValue(encoded: more.encoded) }
        let half = CBORValue.array([CBORValue](repeating: .null, count: CBORReader.maximumItems / 2))
        #expect(throws: CBORDefect.tooManyItems) { try CBORValue(encoded: CBORValue.array([half, half]).encoded) }
    }

    @Test("Random bytes: refused, or written as they were read")
    func random() {
        var generator = Seed.generator(for: "cbor")
        for _ in 0..<Count.of(few: 2000, full: 200_000) {
            let bytes = generator.bytes(Int.random(in: 0...24, using: &generator))
            guard let value = try? CBORValue(encoded: bytes) else { continue }
            #expect(value.encoded == bytes)
        }
    }
}
