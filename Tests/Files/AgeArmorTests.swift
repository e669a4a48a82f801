import Foundation
import MildamFiles
import TestSupport
import Testing

@Suite("age: ASCII armor")
struct AgeArmorTests {
    private static let begin = "-----BEGIN AGE ENCRYPTED FILE-----\n"
    private static let end = "-----END AGE ENCRYPTED FILE-----\n"

    private func decoded(_ text: String) throws(AgeError) -> [UInt8] { try unarmored(Array(text.utf8)) }

    /// An armor of two full lines and a short one.
    private func example() -> (file: [UInt8], text: [UInt8]) {
        var generator = Seed.generator(for: "armor")
        let file = generator.bytes(100)
        return (file, armored(file))
    }

    @Test(
        "Every size is written as Foundation's base64 has it, in pieces of any size, and read back",
        arguments: Array(0...150) + [4800, 65_536]
    )
    func roundTrip(_ size: Int) throws {
        var generator = Seed.generator(for: "armor \(size)")
        let file = generator.bytes(size)
        let lines = Data(file).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let expected = AgeArmorTests.begin + lines + (lines.isEmpty ? "" : "\n") + AgeArmorTests.end
        for piece in [1, 5, 47, 48, 49, 1000] {
            let text = armored(file, piece: piece)
            #expect(String(decoding: text, as: UTF8.self) == expected)
            #expect(try unarmored(text, piece: piece) == file)
        }
    }

    @Test("Lines may end with CR LF, and the last one with nothing")
    func lineEnds() throws {
        let (file, text) = example()
        let lines = String(decoding: text, as: UTF8.self)
        #expect(try decoded(lines.replacingOccurrences(of: "\n", with: "\r\n")) == file)
        #expect(try decoded(String(lines.dropLast())) == file)
        #expect(try decoded(lines.dropLast() + "\r") == file)
    }

    @Test("White space on lines before and after is passed over, up to a limit")
    func space() throws {
        let (file, bytes) = example()
        let text = String(decoding: bytes, as: UTF8.self)
        let most = String(repeating: " \t\r\u{B}\u{C}\n\n\n", count: AgeArmor.maximumSpace / 8)
        #expect(try decoded(most + text + most) == file)
        #expect(throws: AgeError.malformedArmor(line: 385, .tooMuchSpace)) { try decoded(most + " " + text) }
        #expect(throws: AgeError.malformedArmor(line: 390, .tooMuchSpace)) { try decoded(text + most + " ") }
    }

    @Test("What breaks the rules is refused, with its line", arguments: MalformedArmor.all)
    func malformed(_ example: MalformedArmor) {
        for piece in [1, .max] {
            #expect(throws: AgeError.malformedArmor(line: example.line, example.defect)) {
                try unarmored(Array(example.text.utf8), piece: piece)
            }
        }
    }

    @Test("Cut at any byte but the last line feed, armor is refused")
    func cuts() throws {
        let (file, text) = example()
        for count in 0..<text.count - 1 {
            #expect(throws: AgeError.self) { try unarmored(Array(text[..<count])) }
        }
        #expect(try unarmored(Array(text.dropLast())) == file)
    }

    @Test("One bit changed anywhere, armor is refused or stands for something else")
    func flips() {
        let (file, text) = example()
        for position in text.indices {
            for bit in 0..<8 {
                var changed = text
                changed[position] ^= 1 << bit
                #expect((try? unarmored(changed)) != file, "byte \(position), bit \(bit)")
            }
        }
    }
}
