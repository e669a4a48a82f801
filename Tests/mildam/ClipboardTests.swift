import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// `mildam otp code --copy`, `keychain get --copy` and `keychain generate --copy`.
@Suite("Codes in the clipboard")
struct ClipboardTests {
    // RFC 6238, appendix B.
    private static let uri = "otpauth://totp/ACME:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME&digits=8"
    private static let code = "07081804"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func arguments(_ more: String...) -> [String] {
        ["otp", "code", "--uri", "-", "--at", "1111111109", "--copy"] + more
    }

    /// Without any display, unless one is given.
    private func variables(_ display: Display? = nil) throws -> [String: String] {
        let variables = ["MILDAM_HOME": folder.file("home"), "WAYLAND_DISPLAY": "", "DISPLAY": ""]
        return variables.merging(display?.environment ?? [:]) { $1 }
    }

    /// The same, where of the programs for X11 there is no other.
    private func variables(_ display: Display, _ way: Display.Way) throws -> [String: String] {
        guard way != .wayland else { return try variables(display) }
        try FileManager.default.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("bin/" + way.rawValue),
            withDestinationPath: Program.find(way.rawValue)
        )
        return try variables(display).merging(["PATH": folder.file("bin")]) { $1 }
    }

    /// The command, under way.
    private func copying(to display: Display, _ way: Display.Way) throws -> Program {
        let seconds = arguments("--clear-after", "3")
        return try Program("mildam", seconds, input: Self.uri, environment: variables(display, way))
    }

    @Test("Copied, and cleared", arguments: Cases.drawn(1, of: Display.ways, for: "displays"))
    func cleared(_ way: Display.Way) async throws {
        let display = try await Display(way)
        let program = try copying(to: display, way)
        let said = try await program.line(with: "copied the code")
        #expect(
            said == "copied the code, which stands for 1 s; the clipboard is cleared in 3 s, or at once with Ctrl-C"
        )
        // Its time is not to be over while it is looked at.
        program.signal(SIGSTOP)
        #expect(try await display.content() == Self.code)
        #expect(try argumentsOfAll().allSatisfy { !$0.contains(Self.code) })
        program.signal(SIGCONT)
        let ended = try await program.end()
        #expect(ended.status == 0 && ended.output.hasSuffix("cleared the clipboard\n"), "\(ended)")
        #expect(!ended.output.contains(Self.code))
        #expect(try await display.content().isEmpty)
    }

    @Test("A password of the keychain, copied and cleared", arguments: Display.ways)
    func aPassword(_ way: Display.Way) async throws {
        let display = try await Display(way)
        let own = try variables(display, way).merging([
            "MILDAM_PASSPHRASE": "x", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/none",
        ]) { $1 }
        try await makeKeychain(in: folder.file("home/default"), passphrase: "x")
        expect(
            try await Program.result(
                of: "mildam",
                ["keychain", "set", "mail"],
                input: "in confidence",
                environment: own
            ),
            0
        )
        let program = try Program(
            "mildam",
            ["keychain", "get", "mail", "--copy", "--clear-after", "3"],
            environment: own
        )
        let said = try await program.line(with: "copied the secret of password mail (#1)")
        #expect(said?.hasSuffix("; the clipboard is cleared in 3 s, or at once with Ctrl-C") == true)
        program.signal(SIGSTOP)
        #expect(try await display.content() == "in confidence")
        program.signal(SIGCONT)
        let ended = try await program.end()
        #expect(ended.status == 0 && ended.output.hasSuffix("cleared the clipboard\n"), "\(ended)")
        #expect(try await display.content().isEmpty)
        // What is no text is not copied.
        expect(try await Program.result(of: "mildam", ["keychain", "set", "zero"], input: "\0", environment: own), 0)
        expect(
            try await Program.result(of: "mildam", ["keychain", "get", "zero", "--copy"], environment: own),
            6,
            "no text"
        )
        expect(try await Program.result(of: "mildam", ["lock", "--stop"], environment: own), 0)
    }

    /// Without a display, the terminal has it; without either, nothing is copied, and no password is made in vain.
    @Test func aPasswordThroughTheTerminal() async throws {
        let own = try variables().merging(["MILDAM_PASSPHRASE": "x", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/none"]) {
            $1
        }
        func keychain(_ arguments: String..., input: String? = nil) async throws -> Program.Result {
            try await Program.result(of: "mildam", ["keychain"] + arguments, input: input, environment: own)
        }
        try await makeKeychain(in: folder.file("home/default"), passphrase: "x")
        expect(try await keychain("set", "mail", input: "in confidence"), 0)
        expect(try await keychain("get", "mail", "--copy"), 6, "no clipboard here")
        expect(try await keychain("generate", "wifi", "--copy"), 6, "no clipboard here")
        expect(try await keychain("get", "wifi"), 4)
        let program = try Program.find("mildam")
        for (words, what) in [("get mail", "the secret of password mail (#1)"), ("generate wifi", "the new password")] {
            let record = folder.file("record")
            let line = "\(program) keychain \(words) --copy --clear-after 1"
            let result = try await Program.result(of: "script", ["-qec", line, record], environment: own)
            #expect(result.status == 0, "\(result)")
            let shown = try String(contentsOfFile: record, encoding: .utf8)
            let name = words.split(separator: " ").last.map(String.init) ?? ""
            let secret = try await keychain("get", name).output
            let parts = shown.components(separatedBy: "\u{1b}]52;c;")
            let copied = Data(secret.utf8).base64EncodedString() + "\u{7}"
            #expect(parts.count == 3 && parts[1].hasPrefix(copied) && parts[2].hasPrefix("\u{7}"), "\(parts)")
            #expect(shown.contains("copied \(what)") && !shown.contains(secret), "\(shown)")
        }
        expect(try await Program.result(of: "mildam", ["lock", "--stop"], environment: own), 0)
    }

    /// xsel ends before what it leaves behind has taken the clipboard. Here that takes long, or forever.
    @Test("Said to be copied when it can be pasted", .enabled(if: Display.isX11Expected), arguments: [true, false])
    func slowly(_ isTaken: Bool) async throws {
        let display = try await Display(.xsel)
        try await display.copy("a letter")
        let real = try Program.find("xsel")
        let taking = isTaken ? "sleep 1; printf %s \"$text\" | \(real) \"$@\"" : "true"
        let script = """
            #!/bin/sh
            PATH=/usr/bin:/bin
            case $* in
            *--input*) text=$(cat); (\(taking)) >/dev/null 2>&1 </dev/null & ;;
            *) exec \(real) "$@" ;;
            esac
            """
        let bin = folder.file("bin")
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        try script.write(toFile: bin + "/xsel", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bin + "/xsel")
        let program = try Program(
            "mildam",
            arguments("--clear-after", "3"),
            input: Self.uri,
            environment: variables(display).merging(["PATH": bin]) { $1 }
        )
        guard isTaken else {
            let ended = try await program.end()
            #expect(ended.status == 1 && ended.errors.contains("xsel did not take the clipboard"), "\(ended)")
            #expect(try await display.content() == "a letter")
            return
        }
        #expect(try await program.line(with: "copied the code") != nil)
        program.signal(SIGSTOP)
        #expect(try await display.content() == Self.code)
        program.signal(SIGCONT)
        let ended = try await program.end()
        #expect(ended.status == 0 && ended.output.hasSuffix("cleared the clipboard\n"), "\(ended)")
    }

    /// The arguments of every process that there is.
    private func argumentsOfAll() throws -> [String] {
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
        let found = processes.compactMap { try? Data(contentsOf: URL(fileURLWithPath: "/proc/\($0)/cmdline")) }
            .map { String(decoding: $0, as: UTF8.self) }
        #expect(found.contains { $0.contains("--clear-after") }, "the search is for what is there")
        return found
    }

    @Test("What somebody else has copied meanwhile stays", arguments: Display.ways)
    func somethingElse(_ way: Display.Way) async throws {
        let display = try await Display(way)
        let program = try copying(to: display, way)
        #expect(try await program.line(with: "copied the code") != nil)
        program.signal(SIGSTOP)
        try await display.copy("a letter")
        program.signal(SIGCONT)
        let ended = try await program.end()
        #expect(ended.status == 0 && ended.output.contains("holds something else by now"), "\(ended)")
        #expect(try await display.content() == "a letter")
    }

    @Test(.enabled(if: Display.isX11Expected))
    func controlCClearsAtOnce() async throws {
        let display = try await Display(.xclip)
        let uri = folder.file("uri")
        try Self.uri.write(toFile: uri, atomically: true, encoding: .utf8)
        let session = try TerminalSession(
            "set -m; program=$1 uri=$2; shift 2; \"$program\" \"$@\" <\"$uri\"; echo \"status $?\"; sleep 60",
            [Program.find("mildam"), uri] + arguments(),
            environment: variables(display)
        )
        #expect(try await session.see("copied the code"), "\(session.view)")
        #expect(try await display.content() == Self.code)
        let start = Date()
        session.type("\u{3}")
        #expect(try await session.see("status 0"), "\(session.view)")
        #expect(Date().timeIntervalSince(start) < 20)
        #expect(try await display.content().isEmpty)
    }

    @Test(.enabled(if: Display.isX11Expected))
    func aProgramIsToldByOneObject() async throws {
        let display = try await Display(.xclip)
        let result = try await Program.result(
            of: "mildam",
            arguments("--clear-after", "1", "--json"),
            input: Self.uri,
            environment: variables(display)
        )
        #expect(result.output == "{\"clearsAfter\":1,\"copied\":true,\"secondsRemaining\":1}\n", "\(result)")
        #expect(try await display.content().isEmpty)
    }

    @Test("A display that nobody answers for is an error", .enabled(if: Display.isX11Expected))
    func noServer() async throws {
        let result = try await Program.result(
            of: "mildam",
            arguments(),
            input: Self.uri,
            environment: variables().merging(["DISPLAY": ":9999"]) { $1 }
        )
        #expect(result.status == 1 && result.errors.contains("nothing was copied"), "\(result)")
        #expect(result.output.isEmpty)
    }

    @Test func aTerminalIsToldByASequenceAndEmptiedAfterwards() async throws {
        let record = folder.file("record")
        let uri = folder.file("uri")
        try Self.uri.write(toFile: uri, atomically: true, encoding: .utf8)
        let line = ([try Program.find("mildam")] + arguments("--clear-after", "1")).joined(separator: " ") + " <\(uri)"
        let result = try await Program.result(of: "script", ["-qec", line, record], environment: variables())
        #expect(result.status == 0, "\(result)")
        let shown = try String(contentsOfFile: record, encoding: .utf8)
        let base64 = Data(Self.code.utf8).base64EncodedString()
        let parts = shown.components(separatedBy: "\u{1b}]52;c;")
        #expect(parts.count == 3 && parts[1].hasPrefix(base64 + "\u{7}") && parts[2].hasPrefix("\u{7}"), "\(parts)")
        #expect(shown.contains("the clipboard is cleared in 1 s") && !shown.contains(Self.code))
    }

    @Test(arguments: [[], ["--json"]])
    func withoutAClipboardItIsRefused(_ more: [String]) async throws {
        let result = try await Program.result(
            of: "mildam",
            arguments() + more,
            input: Self.uri,
            environment: variables()
        )
        #expect(result.status == 6 && (result.output + result.errors).contains("no clipboard here"), "\(result)")
        #expect(!(result.output + result.errors).contains(Self.code))
    }

    @Test func aRefusedCopyDoesNotCount() async throws {
        let own = try variables().merging(["MILDAM_PASSPHRASE": "x", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/none"]) {
            $1
        }
        func mildam(_ arguments: String..., input: String? = nil) async throws -> Program.Result {
            try await Program.result(of: "mildam", arguments, input: input, environment: own)
        }
        // RFC 4226, appendix D.
        let uri = "otpauth://hotp/bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&counter=0"
        try await makeKeychain(in: folder.file("home/default"), passphrase: "x")
        #expect(try await mildam("otp", "add", input: uri).status == 0)
        #expect(try await mildam("otp", "code", "bob", "--copy").status == 6)
        #expect(try await mildam("otp", "code", "bob", "--clear-after", "5").status == 2)
        #expect(try await mildam("otp", "code", "bob", "--copy", "--clear-after", "0").status == 2)
        #expect(try await mildam("otp", "code", "bob").output == "755224\n")
        _ = try await mildam("lock", "--stop")
    }
}
