import Foundation
import HouseSupport
import TestSupport
import Testing

/// Every command that takes a secret takes it in the same ways.
@Suite("Secrets, at the command line")
struct SecretOptionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try write("correct horse\n", "passphrase")
    }

    private func write(_ text: String, _ name: String) throws {
        try text.write(toFile: folder.file(name), atomically: false, encoding: .utf8)
    }

    /// Runs a line of bash, in which `mildam` is the program and no terminal is there.
    private func shell(_ line: String, variable: String? = nil, input: String? = nil) async throws -> Program.Result {
        let home = ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        return try await Program.result(
            of: "bash",
            [
                "-c", "cd \"$1\"; mildam() { \"$program\" \"$@\"; }; program=$2; \(line)", "bash", folder.path,
                Program.find("mildam"),
            ],
            input: input,
            environment: home.merging(variable.map { ["MILDAM_PASSPHRASE": $0] } ?? [:]) { $1 }
        )
    }

    private func end() async throws { expect(try await shell("mildam lock --stop"), 0) }

    /// Files that hold no secret of one line.
    private static let noSecrets: Set = ["recipients-file"]

    @Test func whatComesFromAFileComesFromADescriptorToo() async throws {
        let page = try await shell("mildam reference").output
        for section in page.components(separatedBy: "\n## ").dropFirst() {
            let command = section.prefix { $0 != "\n" }
            let named = section.matches(of: /`--([a-z-]+)-(file|fd) (FILE|N)`/).map { ($0.output.1, $0.output.2) }
            let files = Set(named.filter { $0.1 == "file" }.map { String($0.0) })
            let descriptors = Set(named.filter { $0.1 == "fd" }.map { String($0.0) })
            let secrets = files.filter { !Self.noSecrets.contains("\($0)-file") }
            #expect(secrets == descriptors, "\(command)")
        }
        #expect(
            page.matches(of: /`--passphrase-fd N`/).count > 60,
            "every command of a profile can be told the passphrase"
        )
    }

    @Test(arguments: [
        ("account create alice --relay http://127.0.0.1:1", "the account's password", "--password-file FILE"),
        ("keychain create", "the passphrase, or the PIN, of the new keychain", "MILDAM_PASSPHRASE"),
        ("file encrypt -p -o out passphrase", "the file's passphrase", "--passphrase-fd N"),
        ("vault import table --as x", "the store's password", "--password-fd N"),
    ])
    func whereNobodyCanBeAskedTheWaysAreNamed(_ command: String, _ what: String, _ way: String) async throws {
        try write("", "table")
        expect(try await shell("mildam vault init"), 0)
        let asked = try await shell("setsid \"$program\" \(command)")
        expect(asked, 6, "there is no terminal to ask for \(what) on; use --", way)
    }

    @Test(arguments: [
        ("enclave create k --software", "the key's PIN or passphrase", "--pin-file FILE or --pin-fd N"),
        ("keychain export out", "the password or passphrase of the file", "--password-file FILE or --password-fd N"),
        (
            "keychain add-slot passphrase --passphrase-file passphrase", "the keychain's new passphrase",
            "--new-passphrase-file FILE or --new-passphrase-fd N"
        ),
        ("keychain passphrase", "the keychain's old passphrase", "--passphrase-fd N or MILDAM_PASSPHRASE"),
        ("keychain recovery-code", "the keychain's passphrase, PIN or code", "--passphrase-fd N or MILDAM_PASSPHRASE"),
        (
            "keychain export out --password-file passphrase", "the keychain's passphrase, PIN or code",
            "--passphrase-fd N or MILDAM_PASSPHRASE"
        ),
        ("keychain edit a", "the keychain's passphrase, PIN or code", "or `mildam unlock` first"),
    ])
    func soItIsBesideAKeychain(_ command: String, _ what: String, _ ways: String) async throws {
        try await makeKeychain(in: folder.file("home/default"))
        if command.hasPrefix("enclave") { expect(try await shell("mildam unlock --passphrase-file passphrase"), 0) }
        let asked = try await shell("setsid \"$program\" \(command)")
        expect(asked, 6, "there is no terminal to ask for \(what) on; use --", ways)
        #expect(!asked.errors.contains("`mildam unlock`") || command == "keychain edit a", "it would ask all the same")
        #expect(!FileManager.default.fileExists(atPath: folder.file("out")))
        try await end()
    }

    /// A command line that takes a secret: its name, what comes before, and the command, where `WAY` is the option and
    /// `TURN` differs from turn to turn; then a line that shows that this was the secret, and what it says.
    struct Taking: Sendable, CustomTestStringConvertible {
        let name: String
        var before = ":"
        let command: String
        var after = ":"
        var says = ""

        var testDescription: String { "--\(name)-… of \(command)" }
    }

    static let takings = [
        Taking(name: "passphrase", before: "mildam lock --stop", command: "unlock WAY", says: "unlocked"),
        Taking(
            name: "pin",
            command: "enclave create keyTURN --software WAY",
            after: "mildam enclave test keyTURN --pin-file secret",
            says: "agreement: right"
        ),
        Taking(
            name: "password",
            command: "keychain export outTURN --passphrase-file passphrase WAY",
            after: "mildam keychain import --dry-run outTURN --password-file secret --passphrase-file passphrase",
            says: "kept 1 that were there already"
        ),
        Taking(
            name: "password",
            before: "[ -e in ] || mildam keychain export in --password-file secret --passphrase-file passphrase",
            command: "keychain import --dry-run in --passphrase-file passphrase WAY",
            says: "kept 1 that were there already"
        ),
        Taking(
            name: "new-passphrase",
            command: "keychain passphrase --passphrase-file passphrase WAY",
            after: "mildam lock --stop && mildam unlock --passphrase-file secret",
            says: "unlocked"
        ),
        Taking(
            name: "new-passphrase",
            command: "keychain add-slot passphrase --passphrase-file passphrase WAY",
            says: "added, number"
        ),
        Taking(
            name: "passphrase",
            command: "file encrypt -p WAY -o noteTURN.age note",
            after: "mildam file decrypt --passphrase-file secret noteTURN.age",
            says: "a note"
        ),
        Taking(
            name: "passphrase",
            before: "[ -e note.age ] || mildam file encrypt -p --passphrase-file secret -o note.age note",
            command: "file decrypt WAY note.age",
            says: "a note"
        ),
        Taking(
            name: "uri",
            before: "printf 'otpauth://totp/ACME:TURN?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' >uri",
            command: "otp add WAY",
            after: "mildam otp code TURN --at 59",
            says: "287082"
        ),
        Taking(
            name: "uri",
            before: "printf 'otpauth://totp/ACME:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' >uri",
            command: "otp code --at 59 WAY",
            says: "287082"
        ),
        Taking(
            name: "secret",
            command: "keychain set other WAY",
            after: "mildam keychain get other",
            says: "correct horse"
        ),
    ]

    /// From a file, from standard input, and from a descriptor; with no terminal on which it might have been asked for.
    @Test(arguments: Cases.drawn(4, of: takings, for: "takings"))
    func itIsTakenFromEachPlace(_ taking: Taking) async throws {
        try write("correct horse\n", "secret")
        try write("a note\n", "note")
        try await makeKeychain(in: folder.file("home/default"))
        expect(try await shell("printf kept | mildam keychain set a b --passphrase-file passphrase"), 0)
        let file = taking.name == "uri" ? "uri" : "secret"
        let ways = ["-file \(file)", "-file - <\(file)", "-fd 3 3<\(file)"]
        for (number, way) in ways.enumerated() {
            func filled(_ line: String) -> String {
                line.replacing("WAY", with: "--\(taking.name)\(way)").replacing("TURN", with: "n\(number)")
            }
            expect(try await shell(filled(taking.before)), 0)
            let taken = try await shell("setsid \"$program\" " + filled(taking.command))
            let shown = try await shell(filled(taking.after))
            expect(taken, 0)
            expect(shown, 0)
            #expect((taken.output + shown.output).contains(taking.says), "\(taking) \(taken) \(shown)")
        }
        try await end()
    }

    @Test func aPassphraseIsTheStoresWhereNoKeychainIsOpened() async throws {
        try write("id,file_path,salt,iv\n1,a.enc,00,00\n", "table.csv")
        expect(try await shell("mildam vault init"), 0)
        let command = "setsid \"$program\" vault import table.csv"
        let taken = try await shell("\(command) --passphrase-fd 3 3<passphrase")
        #expect(taken.errors.contains("--passphrase-fd is taken for the store's password"), "\(taken)")
        #expect(!taken.errors.contains("no terminal"), "\(taken)")
        let named = try await shell("\(command) --password-fd 3 3<passphrase")
        #expect(!named.errors.contains("is taken for") && !named.errors.contains("no terminal"), "\(named)")
    }

    @Test func aPassphraseThatOpensTheKeychainIsNotTheStores() async throws {
        try write("id,file_path,salt,iv\n1,a.enc,00,00\n", "table.csv")
        expect(try await shell("mildam keychain create --passphrase-file passphrase"), 0)
        expect(try await shell("mildam vault init --passphrase-fd 3 3<passphrase"), 0)
        expect(try await shell("mildam lock"), 0)
        try await end()
        let asked = try await shell("setsid \"$program\" vault import table.csv --passphrase-fd 3 3<passphrase")
        expect(asked, 6, "there is no terminal to ask for the store's password on; use --")
        try await end()
    }

    @Test func aLockedKeychainIsToldInTheSameWordsEverywhere() async throws {
        expect(try await shell("mildam keychain create --passphrase-file passphrase"), 0)
        expect(try await shell("mildam vault init --passphrase-fd 3 3<passphrase"), 0, "vault")
        expect(try await shell("mildam lock"), 0)
        try await end()
        for command in ["keychain list", "vault list", "room list", "otp list", "token list"] {
            let asked = try await shell("setsid \"$program\" \(command)")
            expect(asked, 6, "there is no terminal to ask for the keychain's passphrase, PIN or code on")
            let opened = try await shell("mildam \(command) --passphrase-file - < passphrase")
            #expect(![3, 6].contains(opened.status), "\(command): \(opened)")
            try await end()
        }
    }

    @Test func aSecretIsTakenFromEachPlace() async throws {
        expect(try await shell("mildam keychain create --passphrase-file passphrase"), 0)
        try write("of two\nlines\n", "secret")
        expect(try await shell("mildam keychain set a b --secret-file secret --passphrase-file passphrase"), 0)
        expect(try await shell("mildam keychain get a b --passphrase-fd 7 7<passphrase"), 0, "of two\nlines")
        expect(try await shell("mildam keychain set a b --secret-fd 5 --exact 5<secret; mildam keychain get a b"), 0)
        #expect(try await shell("mildam keychain get a b").output == "of two\nlines\n")
        expect(try await shell("mildam keychain set a b --secret-file - < secret; mildam keychain get a b"), 0)
        #expect(try await shell("mildam keychain get a b").output == "of two\nlines")
        for empty in ["< /dev/null", "--secret-file /dev/null", "--secret-fd 3 3<<<''"] {
            expect(try await shell("mildam keychain set a b \(empty)"), 6, "an empty secret")
        }
        #expect(try await shell("mildam keychain get a b").output == "of two\nlines", "nothing replaced it")
        try await end()
    }

    @Test(arguments: [
        (
            "keychain create --passphrase-file passphrase --passphrase-fd 3 3<passphrase",
            "left out: --passphrase-file is given"
        ),
        ("keychain create --passphrase-fd 9", "an open descriptor"),
        ("keychain set a b --passphrase-file - < passphrase", "standard input is the content"),
        ("file encrypt -p --passphrase-fd 0 -o out - < passphrase", "standard input is the content"),
        ("file decrypt --passphrase-file - < passphrase", "standard input is the content"),
        ("keychain import - --password-file - < passphrase", "standard input is the content"),
        ("otp import - --password-fd 0 < passphrase", "standard input is the content"),
        ("enclave create k --pin-fd 3 --passphrase-fd 3 3<passphrase", "another place than --"),
        ("account login --password-file - --passphrase-file - < passphrase", "another place than --"),
        ("account password --password-file passphrase --new-password-file passphrase", "another place than --"),
    ])
    func onePlaceHoldsOneThing(_ command: String, _ words: String) async throws {
        expect(try await shell("mildam \(command)"), 2, words)
        #expect(!FileManager.default.fileExists(atPath: folder.file("home")) || command.hasPrefix("keychain"))
    }

    @Test func thePassphraseOfTheVariableIsTheOldOne() async throws {
        expect(try await shell("mildam keychain create", variable: "old"), 0)
        let unsaid = try await shell("setsid \"$program\" keychain passphrase", variable: "old")
        expect(unsaid, 6, "the keychain's new passphrase", "--new-passphrase-file FILE")
        expect(try await shell("mildam keychain passphrase --new-passphrase-file passphrase", variable: "old"), 0)
        try await end()
        expect(try await shell("mildam unlock", variable: "old"), 3)
        expect(try await shell("mildam unlock --passphrase-file passphrase"), 0)
        // From one stream, one line after the other.
        expect(try await shell("printf 'correct horse\\nnewest\\n' | mildam keychain passphrase --passphrase-fd 0"), 0)
        try await end()
        expect(try await shell("mildam unlock", variable: "newest"), 0)
        try await end()
    }

    @Test func aNewSecretIsTypedTwice() async throws {
        expect(try await shell("mildam keychain create --passphrase-file passphrase"), 0)
        let session = try TerminalSession(
            "\"$1\" keychain set a b; echo \"ended with $?\"",
            [try Program.find("mildam")],
            environment: ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        )
        #expect(try await session.see("Secret:"), "\(session.rows)")
        session.type("one\r")
        #expect(try await session.see("Once more:"), "\(session.rows)")
        session.type("two\r")
        #expect(try await session.see("ended with 6"), "\(session.rows)")
        #expect(session.rows.contains { $0.contains("not the same") }, "\(session.rows)")
        expect(try await shell("mildam keychain get a b --passphrase-file passphrase"), 4)
        try await end()
    }

    /// A command at a terminal, where the keychain's passphrase is known.
    private func terminal(_ command: String) throws -> TerminalSession {
        try TerminalSession(
            "cd \"$1\"; \"$2\" \(command); echo \"ended with $?\"",
            [folder.path, try Program.find("mildam")],
            environment: [
                "MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
                "MILDAM_PASSPHRASE": "correct horse",
            ],
            columns: 120
        )
    }

    @Test(
        arguments: [
            ("xk7q", "a weak secret: 4 characters are soon guessed"),
            ("Password1", "a weak secret: it is among those that are tried first"),
            ("three words of mine", nil),
        ] as [(String, String?)]
    )
    func aWeakSecretIsToldToWhoeverTypesIt(_ secret: String, _ words: String?) async throws {
        let session = try terminal("account create alice --relay http://127.0.0.1:1")
        for question in ["Password:", "Once more:"] {
            try #require(try await session.see(question), "\(session.rows)")
            session.type(secret + "\r")
        }
        #expect(try await session.see("ended with 7"), "\(session.rows)")
        let told = session.rows.filter { $0.contains("weak") }
        #expect(told.count == (words == nil ? 0 : 1) && told.allSatisfy { $0.contains(words ?? "") }, "\(session.rows)")
        #expect(!session.rows.contains { $0.contains(secret) }, "\(session.rows)")
        // Whoever writes it into a file knows what it is.
        try write(secret + "\n", "secret")
        let piped = try await shell("mildam account create alice --relay http://127.0.0.1:1 --password-file secret")
        expect(piped, 7)
        #expect(!piped.errors.contains("weak"), "\(piped)")
    }

    /// It is told, and taken all the same.
    @Test func aWeakSecretIsTaken() async throws {
        let session = try TerminalSession(
            "\"$1\" keychain create; echo \"ended with $?\"",
            [try Program.find("mildam")],
            environment: ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"],
            columns: 120
        )
        for question in ["New passphrase:", "Once more:"] {
            try #require(try await session.see(question), "\(session.rows)")
            session.type("xk7q\r")
        }
        #expect(try await session.see("ended with 0"), "\(session.rows)")
        let told = session.rows.filter { $0.contains("a weak secret: 4 characters are soon guessed") }
        #expect(told.count == 1, "\(session.rows)")
        expect(try await shell("mildam unlock", variable: "xk7q"), 0)
        try await end()
    }

    @Test func aTerminalIsAskedBeforeASecretIsReplaced() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let passphrase = "correct horse"
        expect(try await shell("printf old | mildam keychain set a b", variable: passphrase), 0)
        for (options, answer, status, kept) in [
            ("", "n", 6, "old"), ("", "", 6, "old"), ("", "y", 0, "of y"), ("--replace", nil, 0, "of nobody asked"),
        ] as [(String, String?, Int, String)] {
            let session = try terminal("keychain set a b \(options)")
            for question in ["Secret:", "Once more:"] {
                try #require(try await session.see(question), "\(session.rows)")
                session.type("of \(answer ?? "nobody asked")\r")
            }
            if let answer {
                try #require(try await session.see("Replace what is in "), "\(session.rows)")
                session.type(answer + "\r")
            }
            #expect(try await session.see("ended with \(status)"), "\(session.rows)")
            #expect(session.rows.contains { $0.contains("[y/N]") } == (answer != nil), "\(session.rows)")
            expect(try await shell("mildam keychain get a b"), 0, kept)
        }
        try await end()
    }
}
