import Testing

@testable import MildamWire

@Suite("JSON: RFC 8259")
struct JSONTests {
    private func read(_ text: String) throws(JSONDefect) -> JSONNode { try JSONReader.read(Array(text.utf8).span) }

    @Test func valuesAreWhatTheySay() throws {
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
        var decoded: [UInt8] = []
        #expect(elements[5].decode(in: bytes.span) { decoded.append($0) })
        #expect(decoded == Array("😀\n/".utf8))
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "01", "-", "1.", ".5", "1e",
        "+1",
        "tru", "nul", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\n\"", "1 2",
        "'a'", "[1 2]", "\u{feff}\u{feff}1", "NaN", "\"\\u００４１\"",
    ])
    func whatBreaksTheGrammarIsRefused(_ text: String) { #expect(throws: JSONDefect.self) { try read(text) } }

    @Test func limitsHold() throws {
        #expect(throws: JSONDefect.duplicateName(at: 7)) { try read("{\"a\":1,\"\\u0061\":2}") }
        #expect(throws: JSONDefect.notUTF8) { try JSONReader.read([0x22, 0xff, 0x22].span) }
        let deep = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        _ = try read(deep)
        #expect(throws: JSONDefect.tooDeep) { try read("[" + deep + "]") }
        let many = "[" + String(repeating: "1,", count: JSONReader.maximumNodes) + "1]"
        #expect(throws: JSONDefect.tooManyValues) { try read(many) }
    }
}
