import Foundation
import TestSupport
import Testing

@testable import MildamWire

/// Whether cbor2 is there; under `CI` it must be.
private let cbor2IsExpected: Bool = {
    if ProcessInfo.processInfo.environment["CI"] != nil { return true }
    let result = try? Program.run("/usr/bin/python3", ["-c", "import cbor2"])
    guard result?.status == 0 else {
        print("skipped: CBOR held against cbor2, which needs the package python3-cbor2")
        return false
    }
    return true
}()

@Suite("RFC 8949: our CBOR, read by cbor2", .enabled(if: cbor2IsExpected))
struct CBORPeerTests {
    private static let peer = PythonPeer("Tests/Wire/cbor2_peer.py")

    @Test("What we write, cbor2 reads, and writes as we did")
    func again() throws {
        var generator = Seed.generator(for: "cbor2")
        let items = (0..<Count.of(few: 300, full: 5000)).map { _ in
            Hex.encode(CBORPeerTests.value(depth: 0, &generator).encoded)
        }
        let read: [String?] = try CBORPeerTests.peer.run("again", items)
        #expect(read == items.map { Optional($0) })
    }

    @Test("What is cut off, neither reads")
    func truncated() throws {
        var generator = Seed.generator(for: "cbor2, cut")
        let items = (0..<100).flatMap { _ -> [[UInt8]] in
            let bytes = CBORPeerTests.value(depth: 0, &generator).encoded
            return bytes.count > 1 ? [Array(bytes.dropLast())] : []
        }
        for bytes in items { #expect(throws: CBORDefect.truncated) { try CBORValue(encoded: bytes) } }
        let read: [String?] = try CBORPeerTests.peer.run("again", items.map { Hex.encode($0) })
        #expect(read.count == items.count && read.allSatisfy { $0 == nil })
    }

    /// An item of any kind that a dictionary of Python's keeps as it is.
    private static func value(depth: Int, _ generator: inout SeededGenerator) -> CBORValue {
        let kinds = depth < CBORReader.maximumDepth ? 9 : 7
        switch Int.random(in: 0..<kinds, using: &generator) {
        case 0: return .unsigned(number(&generator))
        case 1: return .negative(number(&generator))
        case 2: return .bytes(generator.bytes(Int.random(in: 0...40, using: &generator)))
        case 3: return .text(text(&generator))
        case 4: return .uri("mimi://\(number(&generator))")
        case 5: return .bool(Bool.random(using: &generator))
        case 6: return .null
        case 7:
            let count = Int.random(in: 0...4, using: &generator)
            return .array((0..<count).map { _ in value(depth: depth + 1, &generator) })
        default:
            var entries: [CBORMap.Entry] = []
            let keys = Set((0..<4).map { _ in key(&generator) })
            for name in keys.sorted(by: { $0.encoded.lexicographicallyPrecedes($1.encoded) }) {
                entries.append(CBORMap.Entry(name, value(depth: depth + 1, &generator)))
            }
            return .map(CBORMap(entries))
        }
    }

    private static func key(_ generator: inout SeededGenerator) -> CBORValue {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: .unsigned(number(&generator))
        case 1: .negative(number(&generator))
        default: .text(text(&generator))
        }
    }

    /// A number of any length.
    private static func number(_ generator: inout SeededGenerator) -> UInt64 {
        generator.next() >> UInt64.random(in: 0..<64, using: &generator)
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        let letters = Array("abc-/:\u{fc}\u{bc00}\u{1f511}")
        let count = Int.random(in: 0...30, using: &generator)
        return String((0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
    }
}
