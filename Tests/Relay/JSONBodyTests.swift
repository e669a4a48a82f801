import FoundationEssentials
import MildamRelayAPI
import Testing

@testable import MildamRelay

@Suite("JSON bodies: each name once, not nested deeply (RFC 8259, section 4)")
struct JSONBodyTests {
    /// Takes any object.
    private struct Whatever: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    private func refusal(of text: String) -> APIError? {
        do throws(APIError) {
            _ = try JSONBody.decode(Whatever.self, from: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "a name that stands twice in one object is refused, at any depth and however it is written",
        arguments: [
            #"{"a":1,"a":1}"#,
            #"{"a":1,"b":2,"a":{}}"#,
            #"{ "a" : 1 , "a" : 2 }"#,
            #"{"a":1,"\u0061":2}"#,
            #"{"\u0061":1,"a":2}"#,
            #"{"a/b":1,"a\/b":2}"#,
            #"{"😀":1,"\ud83d\ude00":2}"#,
            #"{"":1,"":2}"#,
            #"{"x":{"a":1,"a":2}}"#,
            #"{"x":[[{"b":1},{"a":1,"a":2}]]}"#,
            #"{"a":{"a":{"b":1}},"a":1}"#,
            #"{"a":[1,2,{"b":3}],"c":1,"a":1}"#,
            // Equal as the decoder's strings are.
            "{\"K\":1,\"\u{212A}\":2}",
        ]
    )
    func twice(_ text: String) {
        let error = refusal(of: text)
        #expect(error?.code == .badRequest)
        #expect(error?.message == "the JSON names a field twice")
    }

    @Test(
        "names may come again in other objects, and as values",
        arguments: [
            #"{"a":{"a":{"a":["a","a","a"]}},"b":[{"a":1},{"a":2},{"a":"a"}],"c":"a"}"#,
            #"{"a":"b","b":"a","\\u0061":1,"\"":1,"\\":2}"#,
            #"{"a":[],"b":{},"c":[{}],"d":[[],[]]}"#,
            #"{"a":"{\"a\":1,\"a\":2}"}"#,
            #"{}"#,
        ]
    )
    func once(_ text: String) {
        #expect(refusal(of: text) == nil)
    }

    @Test("names after a large object are held against each other as well")
    func afterLarge() {
        let many = (0..<40).map { "\"n\($0)\":0" }.joined(separator: ",")
        #expect(refusal(of: "{\"x\":[{\(many)},{\"n1\":0},{\"n1\":0}]}") == nil)
        #expect(refusal(of: "{\"x\":[{\(many)},{\"n1\":0,\"n1\":0}]}")?.code == .badRequest)
        #expect(refusal(of: "{\"x\":[{\(many),\"n39\":0}]}")?.code == .badRequest)
    }

    @Test("arrays and objects stand in one another up to the limit")
    func depth() {
        func nested(_ count: Int) -> String {
            "{\"x\":" + String(repeating: "[", count: count - 1) + String(repeating: "]", count: count - 1) + "}"
        }
        #expect(refusal(of: nested(JSONBody.maximumDepth)) == nil)
        #expect(refusal(of: nested(JSONBody.maximumDepth + 1))?.code == .badRequest)
    }

    @Test("very many names cost no more than their bytes")
    func cost() {
        // 40,000 of the longest names, which differ only at their ends: held against each other, 50 GB.
        let start = String(repeating: "n", count: JSONBody.maximumName - 5)
        let names = (10_000..<50_000).map { "\"\(start)\($0)\":0" }.joined(separator: ",")
        #expect(refusal(of: "{\(names)}") == nil)
        #expect(refusal(of: "{\(names),\"\(start)10000\":0}")?.message.contains("twice") == true)
    }
}
