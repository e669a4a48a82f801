import Foundation
import MildamCrypto
import MildamWire
import Testing

@testable import MildamIdentity

@Suite("protocol.md, Identifiers")
struct NameTests {
    @Test func identifiersAreShownAsLowerCaseBase32() throws {
        #expect(Sample.device.description == "gmztgmztgmztgmztgmztgmztgm")
        #expect(try DeviceID("gmztgmztgmztgmztgmztgmztgm") == Sample.device)
        #expect(Sample.device.bytes == [UInt8](repeating: 0x33, count: 16))
    }

    @Test(
        "What is no identifier",
        arguments: [
            "", "gmztgmztgmztgmztgmztgmztg", "gmztgmztgmztgmztgmztgmztgma", "GMZTGMZTGMZTGMZTGMZTGMZTGM",
            "gmztgmztgmztgmztgmztgmztgn", "gmztgmztgmztgmztgmztgmztg0", "gmztgmztgmztgmztgmztgmztg=",
            "gmztgmztgmztgmztgmztgmzt é", "gmztgmztgmztgmztgmztgmztg ",
        ]
    )
    func notAnIdentifier(_ text: String) {
        #expect(throws: WireError.invalidText) { try DeviceID(text) }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([DeviceID].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test func identifiersAreRandomAndOrderedByTheirBytes() throws {
        let drawn = Set((0..<1000).map { _ in RoomID.random() })
        #expect(drawn.count == 1000)
        let sorted = drawn.sorted()
        for (left, right) in zip(sorted, sorted.dropFirst()) {
            #expect(left.bytes.lexicographicallyPrecedes(right.bytes))
        }
    }

    @Test func anIdentifierOfASourceHasItsBytes() throws {
        let source = Randomness(drawing: { SymmetricKey(data: (0..<$0).map { UInt8($0) }) })
        #expect(RoomID.random(from: source).bytes == Array(0..<16))
        #expect(RoomID.random(from: .system) != RoomID.random(from: .system))
    }

    @Test("Handles", arguments: ["abc", "a.b", "...", "a_b-c.9", String(repeating: "z", count: 32)])
    func handle(_ text: String) throws {
        #expect(try Handle(text).text == text)
        #expect(try Handle(wireBytes: Handle(text).wireBytes) == Handle(text))
        #expect(try JSONDecoder().decode([Handle].self, from: JSONEncoder().encode([text])) == [Handle(text)])
    }

    @Test(
        "What is no handle",
        arguments: [
            "", "ab", String(repeating: "z", count: 33), "Alice", "al ice", "ali/ce", "ali%ce", "älice", "alice\n",
            "ali\0ce", "ａｌｉｃｅ", "ali\u{202e}ce", "аlice",
        ]
    )
    func notAHandle(_ text: String) {
        #expect(throws: WireError.invalidValue(field: "handle")) { try Handle(text) }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Handle].self, from: JSONEncoder().encode([text]))
        }
        var writer = WireWriter()
        writer.text(UInt8.self, text)
        let bytes = writer.bytes
        #expect(throws: WireError.self) { try Handle(wireBytes: bytes) }
    }
}
