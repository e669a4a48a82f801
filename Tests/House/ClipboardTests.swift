import Foundation
import Glibc
import TestSupport
import Testing

/// An X11 display of the tests' own, and its clipboard.
private final class Display: Sendable {
    private let server: Program
    let name: String

    /// Whether the programs are here. Under `CI` their absence fails the suite.
    static let isExpected = Program.areExpected(["Xvfb", "xclip", "xsel"], from: "xvfb xclip xsel")

    init() throws {
        server = try Program("Xvfb", ["-displayfd", "1", "-screen", "0", "64x64x8", "-nolisten", "tcp"])
        var number: String?
        for _ in 0..<10 where number == nil {
            number = (0..<10).lazy.compactMap { [server] in server.line(containing: "\($0)", within: 0.5) }.first
        }
        name = ":" + (try #require(number, "Xvfb does not start"))
    }

    deinit {
        server.signal(SIGKILL)
        server.wait()
    }

    /// What is in the clipboard, as another program sees it; empty for nothing.
    func content() async throws -> String {
        let arguments = ["-selection", "clipboard", "-out"]
        return try await Program.result(of: "xclip", arguments, environment: ["DISPLAY": name]).output
    }

    /// Puts something there, as another program does.
    func copy(_ text: String) async throws {
        // What stays behind to answer for it would keep our pipe open.
        let line = "printf %s '\(text)' | xclip -selection clipboard -in >/dev/null 2>&1"
        _ = try await Program.result(of: "sh", ["-c", line], environment: ["DISPLAY": name])
    }
}

/// `mildam otp code --copy`.
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
    private func variables(_ display: Display? = nil, only tool: String? = nil) throws -> [String: String] {
        var variables = ["MILDAM_HOME": folder.file("home"), "WAYLAND_DISPLAY": "", "DISPLAY": display?.name ?? ""]
        if let tool {
            try FileManager.default.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("bin/" + tool),
                withDestinationPath: Program.find(tool)
            )
            variables["PATH"] = folder.file("bin")
        }
        return variables
    }

    @Test("Copied, and cleared", .enabled(if: Display.isExpected), arguments: ["xclip", "xsel"])
    func cleared(_ tool: String) async throws {
        let display = try Display()
        let program = try Program(
            "mildam",
            arguments("--clear-after", "3"),
            input: Self.uri,
            environment: variables(display, only: tool)
        )
        let said = try await program.line(with: "copied the code")
        #expect(
            said == "copied the code, which stands for 1 s; the clipboard is cleared in 3 s, or at once with Ctrl-C"
        )
        #expect(try await display.content() == Self.code)
        #expect(try argumentsOfAll().allSatisfy { !$0.contains(Self.code) })
        let ended = try await program.end()
        #expect(ended.status == 0 && ended.output.hasSuffix("cleared the clipboard\n"), "\(ended)")
        #expect(!ended.output.contains(Self.code))
        #expect(try await display.content().isEmpty)
    }

    /// The arguments of every process that there is.
    private func argumentsOfAll() throws -> [String] {
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
        let found = processes.compactMap { try? Data(contentsOf: URL(fileURLWithPath: "/proc/\($0)/cmdline")) }
            .map { String(decoding: $0, as: UTF8.self) }
        #expect(found.contains { $0.contains("--clear-after") }, "the search is for what is there")
        return found
    }

    @Test(
        "What somebody else has copied meanwhile stays",
        .enabled(if: Display.isExpected),
        arguments: ["xclip", "xsel"]
    )
    func somethingElse(_ tool: String) async throws {
        let display = try Display()
        let program = try Program(
            "mildam",
            arguments("--clear-after", "3"),
            input: Self.uri,
            environment: variables(display, only: tool)
        )
        #expect(try await program.line(with: "copied the code") != nil)
        try await display.copy("a letter")
        let ended = try await program.end()
        #expect(ended.status == 0 && ended.output.contains("holds something else by now"), "\(ended)")
        #expect(try await display.content() == "a letter")
    }

    @Test(.enabled(if: Display.isExpected))
    func controlCClearsAtOnce() async throws {
        let display = try Display()
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

    @Test(.enabled(if: Display.isExpected))
    func aProgramIsToldByOneObject() async throws {
        let display = try Display()
        let result = try await Program.result(
            of: "mildam",
            arguments("--clear-after", "1", "--json"),
            input: Self.uri,
            environment: variables(display)
        )
        #expect(result.output == "{\"clearsAfter\":1,\"copied\":true,\"secondsRemaining\":1}\n", "\(result)")
        #expect(try await display.content().isEmpty)
    }

    @Test("A display that nobody answers for is an error", .enabled(if: Display.isExpected))
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
        #expect(try await mildam("keychain", "create").status == 0)
        #expect(try await mildam("otp", "add", input: uri).status == 0)
        #expect(try await mildam("otp", "code", "bob", "--copy").status == 6)
        #expect(try await mildam("otp", "code", "bob", "--clear-after", "5").status == 2)
        #expect(try await mildam("otp", "code", "bob").output == "755224\n")
        _ = try await mildam("lock", "--stop")
    }
}
