import MildamCrypto
import MildamWire
import Testing

@testable import MildamOneTimeCode

@Suite("JSON: what numbers and strings of exports stand for")
struct JSONNodeTests {
    @Test func values() throws {
        let text = Array(
            #"{"i":12,"s":"34","f":5.00,"g":5.5,"n":null,"e":1e2,"b":true,"m":-3,"h":"0aFF","z":"Zg=="}"#.utf8
        )
        let node = try JSONReader.read(text.span)
        #expect(node["i"]?.tolerantInteger(in: text.span) == 12 && node["s"]?.tolerantInteger(in: text.span) == 34)
        #expect(node["f"]?.tolerantInteger(in: text.span) == 5 && node["g"]?.tolerantInteger(in: text.span) == nil)
        #expect(node["e"]?.tolerantInteger(in: text.span) == nil && node["b"]?.tolerantInteger(in: text.span) == nil)
        #expect(node["m"]?.tolerantInteger(in: text.span) == -3)
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
}
