import MildamWire
import TestSupport
import Testing

@Suite("RFC 6749, appendix B: forms")
struct FormFieldsTests {
    private func read(_ text: String) throws(WireError) -> FormFields { try FormFields(text: Array(text.utf8).span) }

    @Test("The RFC's own value")
    func theValueOfTheRFC() throws {
        #expect(FormFields([("v", " %&+£€")]).text == "v=+%25%26%2B%C2%A3%E2%82%AC")
        #expect(try read("v=+%25%26%2b%c2%a3%e2%82%ac")["v"] == " %&+£€")
    }

    @Test func roundTrip() throws {
        let form = FormFields([
            ("grant_type", "refresh_token"), ("refresh_token", "a.b-c_d~e"), ("empty", ""), ("한글", "값\u{0}\n"),
            ("", "x"),
        ])
        let again = try read(form.text)
        #expect(again == form && again.text == form.text)
        #expect(again["refresh_token"] == "a.b-c_d~e" && again["한글"] == "값\u{0}\n")
        #expect(again["empty"] == nil && again["other"] == nil)
        #expect(try read("").names.isEmpty)
    }

    @Test func cutAtEveryByte() throws {
        let text = "code=a%20b&state=%C2%A3"
        for count in 1..<text.utf8.count {
            guard let form = try? read(String(text.prefix(count))) else { continue }
            #expect(form != (try read(text)), "\(count)")
        }
        for cut in ["code", "code=%", "code=%2", "code=a%20b&", "code=a&state", "code=a&state=%C2"] {
            #expect(throws: WireError.invalidText, "\(cut)") { try read(cut) }
        }
    }

    @Test func oneBitFlipped() throws {
        let bytes = Array("code=a%20b&state=%C2%A3".utf8)
        let genuine = try FormFields(text: bytes.span)
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                guard let form = try? FormFields(text: changed.span) else { continue }
                // The case of a hexadecimal digit is of no matter.
                #expect(form != genuine || bit == 5 && bytes[index] >= 0x41, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test(
        "What is no form",
        arguments: ["a", "&", "a=1&", "&a=1", "a=1&&b=2", "a=%", "a=%g0", "a=%C2", "a=\n", "a=b c", "a=é", "a=\u{7f}"]
    )
    func isNone(_ text: String) {
        #expect(throws: WireError.invalidText) { try read(text) }
    }

    @Test("A name that is there twice, however it is written")
    func twice() {
        #expect(throws: WireError.invalidValue(field: "code")) { try read("code=1&%63ode=2") }
    }

    @Test func limits() throws {
        let most = (0..<FormFields.maximumCount).map { "f\($0)=1" }.joined(separator: "&")
        #expect(try read(most).names.count == FormFields.maximumCount)
        #expect(throws: WireError.lengthOutOfRange(FormFields.maximumCount + 1)) { try read(most + "&g=1") }
        let longest = "a=" + String(repeating: "x", count: FormFields.maximumSize - 2)
        #expect(try read(longest)["a"]?.count == FormFields.maximumSize - 2)
        #expect(throws: WireError.lengthOutOfRange(FormFields.maximumSize + 1)) { try read(longest + "x") }
    }

    @Test("A name is 128 bytes at most, as it is meant")
    func longNames() throws {
        let name = String(repeating: "\u{301}", count: FormFields.maximumName / 2)
        #expect(try read(FormFields([(name, "1")]).text)[name] == "1")
        #expect(throws: WireError.lengthOutOfRange(FormFields.maximumName + 1)) {
            try read(FormFields([(name + "x", "1")]).text)
        }
    }

    @Test func valuesAreNotPrinted() {
        let form = FormFields([("refresh_token", "needle")])
        var dumped = ""
        dump(form, to: &dumped)
        for text in ["\(form)", String(reflecting: form), dumped] {
            #expect(!text.contains("needle") && text.contains("refresh_token"), "\(text)")
        }
    }
}
