import MildamTerminal
import TestSupport
import Testing

@Suite("Keys: what a terminal sends (ECMA-48, UTF-8, bracketed paste)")
struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] { keys(Array(text.utf8)) }

    private func keys(_ bytes: [UInt8]) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.decode(bytes)
    }

    private func typed(_ text: String) -> [Key] { text.unicodeScalars.map { .character($0) } }

    /// What is typed comes back: each scalar once.
    @Test(arguments: ["plain", "안녕 ㅎㅏㄴ", "e\u{301}", "👩‍👩‍👧🇰🇷", "\u{10FFFF}\u{7FF}\u{800}\u{FFFF}"])
    func roundTrip(_ text: String) {
        #expect(keys(text) == typed(text))
    }

    static let sequences: [(String, Key)] = [
        ("\u{1B}[A", .up), ("\u{1B}[B", .down), ("\u{1B}[C", .right), ("\u{1B}[D", .left), ("\u{1B}OA", .up),
        ("\u{1B}OH", .home), ("\u{1B}OF", .end), ("\u{1B}[H", .home), ("\u{1B}[F", .end), ("\u{1B}[1~", .home),
        ("\u{1B}[4~", .end), ("\u{1B}[7~", .home), ("\u{1B}[8~", .end), ("\u{1B}[3~", .delete),
        ("\u{1B}[3;5~", .delete), ("\u{1B}[1;5D", .left), ("\u{1B}\r", .newline), ("\n", .newline), ("\r", .enter),
        ("\u{7F}", .backspace), ("\u{8}", .backspace), ("\u{1B}\u{7F}", .eraseWord), ("\u{17}", .eraseWord),
        ("\u{15}", .eraseToStart), ("\u{B}", .eraseToEnd), ("\u{1}", .home), ("\u{5}", .end), ("\u{C}", .clearScreen),
        ("\u{3}", .interrupt), ("\u{4}", .endOfInput), ("\u{1A}", .suspend), ("\u{10}", .up), ("\u{E}", .down),
        ("\u{1B}[200~two\rlines\r\nthree\nfour\u{1B}[201~", .paste("two\nlines\nthree\nfour")),
        ("\u{1B}[200~\u{1B}[31m\u{3}\u{9}붙\u{7F}\u{85}\u{1B}[201~", .paste("[31m\t붙")),
    ]

    @Test(arguments: sequences)
    func oneKey(_ sequence: String, _ key: Key) {
        #expect(keys("a" + sequence + "b") == [.character("a"), key, .character("b")])
    }

    /// In whatever pieces it arrives, it is the same.
    @Test(arguments: sequences.map(\.0) + ["안녕하세요 👩‍👩‍👧"])
    func cutAtEveryByte(_ text: String) {
        let bytes = Array("a\(text)b".utf8)
        for cut in 0...bytes.count {
            var decoder = KeyDecoder()
            let parts = decoder.decode(bytes[..<cut]) + decoder.decode(bytes[cut...])
            #expect(parts == keys(bytes), "cut at \(cut)")
            // Ended there, it is what came before, or less; nothing is made up.
            var short = KeyDecoder()
            let before = short.decode(bytes[..<cut])
            #expect(keys(bytes).starts(with: before))
        }
    }

    /// With a bit flipped it is another key, or none; what comes after is a key again.
    @Test(arguments: sequences.map(\.0) + ["한👩‍👩‍👧"])
    func oneBitFlipped(_ text: String) {
        let bytes = Array(text.utf8)
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            var decoder = KeyDecoder()
            let found = decoder.decode(flipped)
            for case .character(let scalar) in found {
                #expect(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value), "bit \(bit)")
            }
            // Whatever was begun ends: a paste by its end, a sequence by its final byte, a scalar by the next.
            _ = decoder.decode("x\u{1B}[201~x".utf8)
            decoder.giveUp()
            #expect(decoder.decode("z".utf8) == [.character("z")], "bit \(bit)")
        }
    }

    @Test func nonsense() {
        var random = Seed.generator(for: "keys")
        for _ in 0..<Count.of(few: 2_000, full: 100_000) {
            var bytes = random.bytes(Int.random(in: 0...40, using: &random))
            // Of all bytes alone, few begin a sequence.
            for index in bytes.indices where Bool.random(using: &random) {
                bytes[index] = Array("\u{1B}[O~;0123".utf8).randomElement(using: &random) ?? 0
            }
            _ = keys(bytes)
        }
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE0, 0x80, 0x80],
            [0xF0, 0x80, 0x80, 0x80],
            [0xE1, 0x80],
        ] as [[UInt8]]
    )
    func noUTF8(_ bytes: [UInt8]) {
        let found = keys(bytes + Array("b".utf8))
        #expect(found.last == .character("b"))
        #expect(found.dropLast().allSatisfy { $0 == .character("\u{FFFD}") } && found.count > 1)
    }

    /// Neither a sequence nor a paste takes more memory than it may, and both end.
    @Test func withoutEnd() {
        let digits = String(repeating: "1", count: 100_000)
        #expect(keys("\u{1B}[" + digits + "Ab") == [.character("b")])
        let most = String(repeating: "p", count: KeyDecoder.longestPaste)
        #expect(keys("\u{1B}[200~" + most + "\u{1B}[201~b") == [.paste(most), .character("b")])
        #expect(keys("\u{1B}[200~" + most + "p\u{1B}[201~b") == [.pasteTooLong, .character("b")])
        #expect(keys("\u{1B}[200~" + most + most + "\u{1B}[201~b") == [.pasteTooLong, .character("b")])
    }

    /// ESC by itself is known by what does not follow.
    @Test func escapeAlone() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]).isEmpty && decoder.isWaiting)
        decoder.giveUp()
        #expect(!decoder.isWaiting && decoder.decode("[A".utf8) == typed("[A"))
        #expect(keys("\u{1B}x\u{1B}[[Ay\u{1B}한\u{1B}\u{3}") == typed("y한") + [.interrupt])
        var pasting = KeyDecoder()
        _ = pasting.decode("\u{1B}[200~a".utf8)
        pasting.giveUp()
        #expect(pasting.decode("b\u{1B}[201~".utf8) == [.paste("ab")])
    }
}
