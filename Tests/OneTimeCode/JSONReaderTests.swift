import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamOneTimeCode

@Suite("RFC 8259: the reader of imports")
struct JSONReaderTests {
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
            ("/**/1", 0),
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
        let text = Array(
            #"{"i":12,"s":"34","f":5.00,"g":5.5,"n":null,"e":1e2,"b":true,"m":-3,"h":"0aFF","z":"Zg=="}"#.utf8
        )
        let node = try JSONReader.read(text.span)
        #expect(node["i"]?.integer(in: text.span) == 12 && node["s"]?.integer(in: text.span) == 34)
        #expect(node["f"]?.integer(in: text.span) == 5 && node["g"]?.integer(in: text.span) == nil)
        #expect(node["e"]?.integer(in: text.span) == nil && node["b"]?.integer(in: text.span) == nil)
        #expect(node["m"]?.integer(in: text.span) == -3)
        #expect(node["n"] == nil && node["x"] == nil)
        #expect(node["h"]?.hexadecimal(in: text.span) == [0x0a, 0xff])
        guard let letter = try #require(node["z"]).base64(in: text.span) else {
            Issue.record("no base64")
            return
        }
        let count = letter.count
        #expect(count == 1)
        let none = node["h"]?.elements
        #expect(none == nil && node["i"]?.string(in: text.span) == nil)
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
