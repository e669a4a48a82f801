import Testing

@testable import MildamTerminal

@Suite("Command line: what is understood")
struct ParsingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let operands: [String: [String]]
        let options: [String: [String]]

        init(_ line: String, operands: [String: [String]] = [:], options: [String: [String]] = [:]) {
            arguments = line.split(separator: " ").map(String.init)
            self.operands = operands
            self.options = options
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let understood = [
        Case("room create Tea", operands: ["NAME": ["Tea"]]),
        Case("send tea hi", operands: ["ROOM": ["tea"], "TEXT": ["hi"]]),
        Case("send tea", operands: ["ROOM": ["tea"]]),
        Case("send --file a tea", operands: ["ROOM": ["tea"]], options: ["file": ["a"]]),
        Case("send --file=a=b tea", operands: ["ROOM": ["tea"]], options: ["file": ["a=b"]]),
        Case("send --file= tea", operands: ["ROOM": ["tea"]], options: ["file": [""]]),
        Case("send --file=--json tea", operands: ["ROOM": ["tea"]], options: ["file": ["--json"]]),
        Case("send tea -f a -fb", operands: ["ROOM": ["tea"]], options: ["file": ["a", "b"]]),
        Case(
            "send -qvvfa tea",
            operands: ["ROOM": ["tea"]],
            options: ["quiet": [""], "verbose": ["", ""], "file": ["a"]]
        ),
        Case("send -f - tea", operands: ["ROOM": ["tea"]], options: ["file": ["-"]]),
        Case("send -f -x tea", operands: ["ROOM": ["tea"]], options: ["file": ["-x"]]),
        Case("send tea -- --file", operands: ["ROOM": ["tea"], "TEXT": ["--file"]]),
        Case("send -- -q -", operands: ["ROOM": ["-q"], "TEXT": ["-"]]),
        Case("--profile kim send tea", operands: ["ROOM": ["tea"]], options: ["profile": ["kim"]]),
        Case("send tea --profile=kim", operands: ["ROOM": ["tea"]], options: ["profile": ["kim"]]),
        Case("-- send tea", operands: ["ROOM": ["tea"]]),
        Case("room -p kim create Tea", operands: ["NAME": ["Tea"]], options: ["profile": ["kim"]]),
        Case("room invite tea kim lee", operands: ["ROOM": ["tea"], "HANDLE": ["kim", "lee"]]),
        Case("--colour never send tea", operands: ["ROOM": ["tea"]], options: ["colour": ["never"]]),
    ]

    @Test(arguments: understood)
    func understands(_ line: Case) throws {
        guard case .run(let invocation) = try sample.parse(line.arguments) else {
            Issue.record("not a command")
            return
        }
        #expect(invocation.operands == line.operands)
        #expect(invocation.options == line.options)
    }

    static let explained: [(String, CommandTable.Request)] = [
        ("--help", .help([])), ("-h", .help([])), ("room --help", .help(["room"])),
        ("room create -h", .help(["room", "create"])), ("--help send", .help(["send"])),
        ("send a b c d --help", .help(["send"])), ("send -qh", .help(["send"])),
        ("--version", .version), ("--json --version", .version),
        ("help", .help([])), ("help room", .help(["room"])), ("room help", .help(["room"])),
        ("help room create", .help(["room", "create"])), ("room help create", .help(["room", "create"])),
        ("help room new", .help(["room", "create"])), ("--json help send tea", .help(["send"])),
    ]

    @Test(arguments: explained)
    func explains(_ line: String, _ request: CommandTable.Request) throws {
        #expect(try sample.parse(line.split(separator: " ").map(String.init)) == request)
    }

    static let translated = [
        ("room new Tea", ["room", "create"]), ("room init Tea", ["room", "create"]), ("enter Tea", ["room", "create"]),
        ("send help", ["send"]),
    ]

    @Test("Words of others, and shortcuts, lead to ours", arguments: translated)
    func translates(_ line: String, _ path: [String]) throws {
        guard case .run(let invocation) = try sample.parse(line.split(separator: " ").map(String.init)) else {
            Issue.record("not a command")
            return
        }
        #expect(invocation.path == path)
    }

    @Test("A first word that several groups have is answered with all of them")
    func candidates() throws {
        let paths = [["a", "list"], ["b", "remove"], ["c", "list"], ["d", "list"], ["d", "show"], ["d", "get"]]
        let commands = paths.map { CommandSpec($0, summary: "s") }
        let table = CommandTable(program: "x", version: "1", date: "2026-01-01", summary: "s", commands: commands)
        let error = #expect(throws: UsageError.self) { try table.parse(["ls"]) }
        #expect(error?.candidates == ["a list", "c list", "d list"] && error?.suggestion == nil)
        #expect(error?.description.contains("Did you mean 'a list', 'c list' or 'd list'?") == true)
        let one = #expect(throws: UsageError.self) { try table.parse(["rm"]) }
        #expect(one?.description.contains("Did you mean 'b remove'?") == true)
        // The table's own word goes before another's.
        #expect(try table.path(of: ["d", "get"]) == ["d", "get"])
        #expect(try table.path(of: ["d", "view"]) == ["d", "show"])
        #expect(table.otherNames(of: commands[1]) == ["x b rm", "x b del", "x b delete", "x b erase"])
    }

    static let refused: [(String, UsageError.Problem, String?)] = [
        ("", .missingCommand, nil),
        ("room", .missingCommand, nil),
        ("sned tea", .unknownCommand("sned"), "send"),
        ("sen tea", .unknownCommand("sen"), "send"),
        ("room craete", .unknownCommand("craete"), "create"),
        ("frobnicate", .unknownCommand("frobnicate"), nil),
        ("help frobnicate", .unknownCommand("frobnicate"), nil),
        ("room ls", .unknownCommand("ls"), nil),
        ("send tea --fiel a", .unknownOption("--fiel"), "--file"),
        ("send tea --fil a", .unknownOption("--fil"), "--file"),
        ("send tea --password=geheim", .unknownOption("--password"), nil),
        ("send tea -x", .unknownOption("-x"), nil),
        ("send tea -qx", .unknownOption("-x"), nil),
        ("--quiet send tea", .unknownOption("--quiet"), nil),
        ("send --version", .unknownOption("--version"), nil),
        ("send tea --file", .missingValue(option: "--file", placeholder: "FILE"), nil),
        ("send tea --file --quiet", .missingValue(option: "--file", placeholder: "FILE"), nil),
        ("send tea -f -- x", .missingValue(option: "-f", placeholder: "FILE"), nil),
        ("send tea --quiet=yes", .unexpectedValue(option: "--quiet"), nil),
        ("send tea -q -q", .repeatedOption("-q"), nil),
        ("-p a -p b send tea", .repeatedOption("-p"), nil),
        ("--colour nevr send tea", .invalidValue(name: "--colour", expected: "one of auto, always, never"), "never"),
        ("send", .missingOperand("ROOM"), nil),
        ("room invite tea", .missingOperand("HANDLE"), nil),
        ("send a b c", .extraOperands(given: 3, most: 2), nil),
        ("room create a b", .extraOperands(given: 2, most: 1), nil),
    ]

    @Test(arguments: refused)
    func refuses(_ line: String, _ problem: UsageError.Problem, _ suggestion: String?) {
        let arguments = line.split(separator: " ").map(String.init)
        let error = #expect(throws: UsageError.self) { try sample.parse(arguments) }
        #expect(error?.problem == problem)
        #expect(error?.suggestion == suggestion)
        #expect(error?.description.hasSuffix("--help'.") == true)
    }

    @Test("A refusal never repeats a value, and shows a name without its tricks")
    func saysNoSecret() {
        for line in [
            ["send", "tea", "x", "geheim"], ["send", "--passwrd=geheim"], ["--json=geheim"], ["-pa", "-pgeheim"],
        ] {
            let error = #expect(throws: UsageError.self) { try sample.parse(line) }
            #expect(error?.description.contains("geheim") == false)
        }
        let error = #expect(throws: UsageError.self) { try sample.parse(["\u{1B}[2Jx\u{202E}"]) }
        #expect(error?.description.contains("\u{1B}") == false)
        #expect(error?.description.contains("\u{202E}") == false)
        #expect(error?.command == "mildam")
    }

    @Test(arguments: [
        ("0", 0), ("7", 7), ("9", 9), ("10", nil), ("-1", nil), ("+1", nil), ("", nil), ("٣", nil),
        ("99999999999999999999", nil),
    ])
    func readsNumbers(_ text: String, _ number: Int?) throws {
        guard case .run(let invocation) = try sample.parse(["--profile=\(text)", "send", "tea"]) else { return }
        if let number {
            #expect(try invocation.integer("profile", in: 0...9) == number)
        } else {
            #expect(throws: UsageError.self) { try invocation.integer("profile", in: 0...9) }
        }
    }

    @Test func accessors() throws {
        guard case .run(let invocation) = try sample.parse(["send", "tea", "-q", "-f", "a", "-f", "b"]) else { return }
        #expect(invocation.path == ["send"])
        #expect(invocation.operand("ROOM") == "tea")
        #expect(invocation.optionalOperand("TEXT") == nil)
        #expect(invocation.flag("quiet"))
        #expect(!invocation.flag("json"))
        #expect(invocation.value("file") == "a")
        #expect(invocation.values("file") == ["a", "b"])
    }

    @Test(arguments: [
        ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3),
        ("ca", "abc", 3),
    ])
    func editDistance(_ from: String, _ to: String, _ distance: Int) {
        #expect(EditDistance.between(Array(from.utf8), Array(to.utf8)) == distance)
        #expect(EditDistance.between(Array(to.utf8), Array(from.utf8)) == distance)
    }

    @Test func aVeryLongWordIsRefusedAtOnce() {
        #expect(throws: UsageError.self) { try sample.parse([String(repeating: "s", count: 10_000_000)]) }
    }
}
