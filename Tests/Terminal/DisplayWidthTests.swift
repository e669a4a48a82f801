import Testing

@testable import MildamTerminal

@Suite("UAX #11 and UTS #51: columns")
struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("밀담", 4), ("密談", 4), ("ひらがな", 8), ("ｱ", 1), ("Ａ", 2),
        ("\u{1112}\u{1161}\u{11AB}", 2), ("😀", 2), ("👩‍👩‍👧‍👦", 2), ("🇰🇷", 2), ("👍🏽", 2), ("❤", 1), ("❤️", 2), ("1️⃣", 2),
        ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", 2), ("ก็", 1), ("अ", 1), ("…", 1), ("│", 1),
        ("，", 2),
        ("\u{200B}", 0), ("a\u{FE0F}b", 2), ("𠀀", 2), ("한글 mix", 8), ("\u{7}", 0), ("©", 1),
    ])
    func columns(_ text: String, _ width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("밀담밀담", 5, "밀담…"), ("밀담밀담", 6, "밀담…"), ("밀담", 1, "…"),
        ("abc", 0, ""), ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3, "👩‍👩‍👧‍👦…"),
    ])
    func truncates(_ text: String, _ width: Int, _ expected: String) {
        #expect(DisplayWidth.truncated(text, to: width) == expected)
    }

    @Test(arguments: ["", "a", "밀담", "a밀담b", "👩‍👩‍👧‍👦🇰🇷"], 1...9)
    func padsExactly(_ text: String, _ width: Int) {
        #expect(DisplayWidth.of(DisplayWidth.padded(text, to: width)) == width)
    }

    @Test(arguments: [
        ("one two three", 7, ["one two", "three"]),
        ("one", 7, ["one"]),
        ("", 7, [""]),
        ("a\n\nb", 7, ["a", "", "b"]),
        ("extraordinary", 5, ["extra", "ordin", "ary"]),
        ("an extraordinary day", 5, ["an", "extra", "ordin", "ary", "day"]),
        ("밀담밀담밀담", 5, ["밀담", "밀담", "밀담"]),
        ("  indented text", 10, ["  indented", "text"]),
        ("밀담", 1, ["밀", "담"]),
        ("aaaa  bb", 5, ["aaaa", "bb"]),
        ("      longer", 6, ["longer"]),
    ])
    func wraps(_ text: String, _ width: Int, _ lines: [String]) {
        #expect(DisplayWidth.wrapped(text, to: width) == lines)
    }

    @Test("Wrapping loses nothing but spaces", arguments: 2...40)
    func wrappingKeepsText(_ width: Int) {
        let text = "The 밀담 (密談) is a talk in confidence 👩‍👩‍👧‍👦 between peopleWhoDoNotWantToBeOverheardByAnyoneElse, 이렇게요."
        let lines = DisplayWidth.wrapped(text, to: width)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= width })
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }

    @Test func columnsStandBesideEachOther() {
        let lines = Columns(width: 50, separator: " | ").lines(of: ["kim\n안녕하세요 여러분 반갑습니다", "lee\nhello", "an"])
        #expect(lines.count == 4)
        #expect(lines[0] == "kim            | lee            | an")
        // Every separator at the same column, whatever the widths beside it.
        for line in lines {
            let parts = line.split(separator: "|", omittingEmptySubsequences: false).map { DisplayWidth.of($0) }
            #expect(parts.count == 3)
            #expect(parts[0] == 15)
            #expect(parts[1] == 16)
            #expect(DisplayWidth.of(line) <= 50)
        }
    }

    @Test func columnsStackWhereThereIsNoRoom() {
        #expect(Columns(width: 30).lines(of: ["a", "b", "c"]) == ["a", "", "b", "", "c"])
        #expect(Columns(width: 30).lines(of: []) == [])
        #expect(Columns(width: 5).lines(of: ["abcdefg"]) == ["abcde", "fg"])
    }
}
