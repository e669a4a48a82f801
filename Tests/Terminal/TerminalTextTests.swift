import Testing

@testable import MildamTerminal

@Suite("Text from elsewhere")
struct TerminalTextTests {
    @Test(arguments: [
        ("plain", "plain"),
        ("\u{1B}[31mred\u{1B}]0;title\u{7}", "␛[31mred␛]0;title␇"),
        ("a\nb", "a␊b"), ("a\r\nb", "a␍␊b"), ("a\tb", "a b"), ("\0", "␀"), ("\u{7F}", "␡"),
        ("\u{9B}2J", "<U+009B>2J"),
        ("user\u{202E}gnp.exe", "user<U+202E>gnp.exe"),
        ("\u{2066}a\u{2069}", "<U+2066>a<U+2069>"),
        ("ad\u{200B}min", "ad<U+200B>min"), ("ad\u{200D}min", "ad<U+200D>min"), ("\u{FEFF}x", "<U+FEFF>x"),
        ("a\u{AD}b", "a<U+00AD>b"), ("a\u{2028}b", "a<U+2028>b"), ("\u{3164}", "<U+3164>"), ("\u{E0041}", "<U+E0041>"),
        ("\u{200E}a", "<U+200E>a"),
        ("밀담 密談 ひらがな", "밀담 密談 ひらがな"), ("é e\u{301}", "é e\u{301}"), ("می\u{200C}خواهم", "می\u{200C}خواهم"),
        ("क्\u{200D}ष", "क्\u{200D}ष"), ("👩‍👩‍👧‍👦 🇰🇷 ❤️ 👍🏽", "👩‍👩‍👧‍👦 🇰🇷 ❤️ 👍🏽"), ("葛\u{E0100}", "葛\u{E0100}"),
        ("🏴\u{E0067}\u{E007F}", "🏴\u{E0067}\u{E007F}"), ("🏴x\u{E0067}", "🏴x<U+E0067>"),
        ("👩\u{200D}\u{200D}", "👩\u{200D}<U+200D>"),
    ])
    func oneLine(_ text: String, _ shown: String) {
        #expect(Array(TerminalText.sanitized(text).unicodeScalars) == Array(shown.unicodeScalars))
    }

    @Test(arguments: [
        ("a\nb", "a\nb"), ("a\r\nb", "a\nb"), ("a\rb", "a␍b"), ("a\n\u{1B}c", "a\n␛c"), ("\u{2029}", "<U+2029>"),
    ])
    func manyLines(_ text: String, _ shown: String) {
        #expect(Array(TerminalText.sanitized(text, keepingNewlines: true).utf8) == Array(shown.utf8))
    }

    @Test("No scalar below U+3000 that acts or hides gets through, alone or in a word")
    func nothingActs() {
        for value in UInt32(0)..<0x3000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let shown = TerminalText.sanitized("a\(scalar)b").unicodeScalars
            for scalar in shown {
                let category = scalar.properties.generalCategory
                #expect(category != .control && category != .lineSeparator && category != .paragraphSeparator)
                #expect(!scalar.properties.isBidiControl)
                // Signs of Arabic and Syriac that are drawn, though of category Cf.
                let isDrawn =
                    (0x0600...0x0605).contains(scalar.value)
                    || [0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2].contains(scalar.value)
                #expect(category != .format || isDrawn, "\(scalar.value)")
            }
        }
    }

    @Test func marksDoNotPileUp() {
        let piled = TerminalText.sanitized("e" + String(repeating: "\u{301}", count: 1000))
        #expect(piled.unicodeScalars.count { $0 == "\u{301}" } == 8)
    }

    @Test func sanitizingTwiceChangesNothing() {
        let once = TerminalText.sanitized("\u{1B}[2J\u{202E}\u{0}\u{E0001}👩‍👩‍👧‍👦밀담")
        #expect(TerminalText.sanitized(once) == once)
    }

    @Test(
        arguments: [
            (true, [:], false), (true, ["TERM": "xterm"], true), (false, ["TERM": "xterm"], false),
            (true, ["TERM": "dumb"], false), (true, ["TERM": "xterm", "NO_COLOR": "1"], false),
            (true, ["TERM": "xterm", "NO_COLOR": ""], true),
        ] as [(Bool, [String: String], Bool)]
    )
    func style(_ isTerminal: Bool, _ variables: [String: String], _ isEnabled: Bool) {
        let style = Style(onTerminal: isTerminal, environment: { variables[$0] })
        #expect(style.isEnabled == isEnabled)
        #expect(style.apply(.red, to: "x") == (isEnabled ? "\u{1B}[31mx\u{1B}[0m" : "x"))
        #expect(style.bold("") == "")
    }
}
