import Foundation
import MildamWire
import TestSupport
import Testing

@Suite("RFC 4648: base64")
struct Base64Tests {
    @Test("Every length is Foundation's text, in each form, and comes back", arguments: 0...100)
    func roundTrip(_ count: Int) throws {
        var generator = Seed.generator(for: "base64 \(count)")
        let bytes = generator.bytes(count)
        let text = Data(bytes).base64EncodedString()
        let unpadded = String(text.prefix { $0 != "=" })
        let url = unpadded.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        for (form, text) in [(Base64.standard, text), (.unpadded, unpadded), (.url, url)] {
            #expect(form.encode(bytes) == text)
            #expect(try form.decode(text) == bytes)
            var appended: [UInt8] = [7]
            form.encode(bytes.span, into: &appended)
            #expect(appended == [7] + Array(text.utf8))
        }
    }

    @Test("Cut anywhere, or with one bit changed, a text stands for something else or nothing", arguments: 0...12)
    func damage(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }
        for form in [Base64.standard, .unpadded, .url] {
            let text = Array(form.encode(bytes).utf8)
            for end in text.indices {
                let cut = Array(text[..<end])
                #expect((try? form.decode(ascii: cut.span)) != bytes)
            }
            for index in text.indices {
                for bit in 0..<8 {
                    var changed = text
                    changed[index] ^= 1 << bit
                    #expect((try? form.decode(ascii: changed.span)) != bytes)
                }
            }
        }
    }

    @Test(
        "Wrong padding, other characters, and unused bits that are set",
        arguments: [
            "A", "AA", "AAA", "AA=", "AA===", "A===", "====", "AA==AAAA", "AAAA====", "AB==", "AAB=", "AA-_", "AA A",
            "AAA\n", "ÿAAA", "AAAAA",
        ]
    )
    func refused(_ text: String) {
        #expect(throws: WireError.invalidText) { try Base64.standard.decode(text) }
    }

    @Test("In memory of the caller's choosing nothing is written behind the content")
    func inPlace() throws {
        for (text, content) in [("", []), ("AQ==", [1]), ("AQI=", [1, 2]), ("AQID", [1, 2, 3])] as [(String, [UInt8])] {
            let characters = Array(text.utf8)
            #expect(Base64.maximumByteCount(of: characters.count) >= content.count)
            var memory = [UInt8](repeating: 9, count: 5)
            var span = memory.mutableSpan
            let count = try Base64.standard.decode(ascii: characters.span, into: &span)
            #expect(count == content.count && memory == content + [UInt8](repeating: 9, count: 5 - count))
        }
    }
}
