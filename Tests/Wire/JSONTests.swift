import Foundation
import TestSupport
import Testing

@testable import MildamWire

@Suite("JSON: RFC 8259")
struct JSONTests {
    private func read(_ text: String) throws(JSONDefect) -> JSONNode {
        let bytes = Array(text.utf8)
        return try JSONReader.read(bytes.span)
    }

    /// What a text says, as Foundation would write it.
    private func plain(_ node: JSONNode, _ text: Span<UInt8>) -> Any {
        switch node {
        case .object(let members): return members.mapValues { plain($0, text) }
        case .array(let elements): return elements.map { plain($0, text) }
        case .string: return node.string(in: text) ?? "?"
        case .number(let range): return Double(String(decoding: range.map { text[$0] }, as: UTF8.self)) ?? .nan
        case .bool(let value): return value
        case .null: return NSNull()
        }
    }

    @Test(
        "It says the same as Foundation",
        arguments: [
            "[]", "{}", " { \"a\" : [ 1 , -2.5e3 , true , false , null , \"x\" ] } \r\n\t",
            "\"\\u00e9\\ud83d\\ude00\\n\\/\"",
            "0", "-0", "1E+2", "0.5", "[[[[]]]]", "{\"\":{\"\":\"\"}}", "\"밀담 🔑\"", "\"\\\"\\\\\\b\\f\\r\\t\"",
            "{\"é\":1,\"e\\u0301x\":2}", "[1e5,1.0]",
        ]
    )
    func sameAsFoundation(text: String) throws {
        let bytes = Array(text.utf8)
        let ours = plain(try JSONReader.read(bytes.span), bytes.span)
        let theirs = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
        #expect(NSArray(array: [ours]) == NSArray(array: [theirs]))
    }

    @Test(
        "What is no JSON is refused with its place",
        arguments: [
            ("", 0), (" ", 1), ("[", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("]", 0),
            ("{", 1),
            ("{\"a\"", 4), ("{\"a\":", 5), ("{\"a\":1,}", 7), ("{a:1}", 1), ("{\"a\" 1}", 5), ("\"", 1),
            ("\"\u{1}\"", 1),
            ("\"\\x\"", 1), ("\"\\u12\"", 1), ("\"\\ud800\"", 1), ("\"\\ud800\\u0041\"", 1), ("\"\\udc00\"", 1),
            ("01", 1),
            ("-", 1), ("1.", 2), (".5", 0), ("1e", 2), ("+1", 0), ("tru", 3), ("nulL", 3), ("NaN", 0), ("[] []", 3),
            ("'a'", 0),
            ("/**/1", 0), ("1 2", 2), ("\"\n\"", 1), ("\u{feff}\u{feff}1", 3), ("\"\\u００４１\"", 1),
        ]
    )
    func refusals(text: String, place: Int) {
        #expect(throws: JSONDefect.malformed(at: place)) { try read(text) }
    }

    @Test func limits() throws {
        let depth = JSONReader.maximumDepth
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try read(nested(depth))
        #expect(throws: JSONDefect.tooDeep) { try read(nested(depth + 1)) }
        #expect(throws: JSONDefect.tooDeep) { try read(String(repeating: "{\"a\":", count: 100_000)) }
        #expect(throws: JSONDefect.duplicateName(at: 7)) { try read("{\"a\":1,\"a\":2}") }
        #expect(throws: JSONDefect.duplicateName(at: 7)) { try read("{\"a\":1,\"\\u0061\":2}") }
        let many = "[" + String(repeating: "0,", count: JSONReader.maximumNodes) + "0]"
        #expect(throws: JSONDefect.tooManyValues) { try read(many) }
        for bytes in [[0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]] as [[UInt8]] {
            #expect(throws: JSONDefect.notUTF8) { try JSONReader.read(bytes.span) }
        }
        #expect(try read("\u{feff}[]").elements?.isEmpty == true)
    }

    @Test func values() throws {
        let text =
            "\u{feff} {\"a\\u0062\":[1,-2.5e3,true,false,null,\"\\ud83d\\ude00\\n\\/\"],\"n\":9223372036854775807} \n"
        let bytes = Array(text.utf8)
        let node = try JSONReader.read(bytes.span)
        let elements = try #require(node["ab"]?.elements)
        #expect(elements.count == 6)
        #expect(elements[0].integer(in: bytes.span) == 1)
        #expect(elements[1].integer(in: bytes.span) == nil)
        #expect(elements[2].flag == true && elements[3].flag == false)
        #expect(elements[5].string(in: bytes.span) == "😀\n/")
        #expect(node["n"]?.integer(in: bytes.span) == .max)
        #expect(node.members?.count == 2)
        #expect(node["x"] == nil && node["n"]?.string(in: bytes.span) == nil)
        var decoded: [UInt8] = []
        #expect(elements[5].decode(in: bytes.span) { decoded.append($0) })
        #expect(decoded == Array("😀\n/".utf8))
    }

    /// Foundation takes the last of two members of one name, and some numbers that are none; anything else is the same.
    @Test("With any byte of a text changed, it agrees with Foundation on whether that is JSON")
    func differential() throws {
        let text = Array(#"{"a":[1,-2.5,"x\u00e9\n",true,null],"b":{"c":"밀"}}"#.utf8)
        var generator = Seed.generator(for: "json")
        for index in text.indices {
            for _ in 0..<Count.of(few: 16, full: 256) {
                var other = text
                other[index] = UInt8.random(in: .min ... .max, using: &generator)
                let theirs = (try? JSONSerialization.jsonObject(with: Data(other))) != nil
                let ours: Bool
                do throws(JSONDefect) {
                    _ = try JSONReader.read(other.span)
                    ours = true
                } catch {
                    if case .duplicateName = error { continue }
                    ours = false
                }
                #expect(ours == theirs, "\(String(decoding: other, as: UTF8.self))")
            }
        }
    }
}
