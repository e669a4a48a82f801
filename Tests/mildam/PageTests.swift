import Foundation
import HouseSupport
import TestSupport
import Testing

/// What the programs print about themselves, from one table.
@Suite("Help, manual, reference, completions")
struct PageTests {
    static let commands = [
        [], ["account", "create"], ["account", "login"], ["account", "logout"], ["account", "show"],
        ["account", "renew-keys"], ["account", "sessions"], ["account", "end-session"], ["account", "log"],
        ["account", "password"], ["account", "delete"], ["account", "second-factor"],
        ["account", "add-second-factor"], ["account", "confirm-second-factor"], ["account", "remove-second-factor"],
        ["contact", "list"], ["contact", "accept"], ["room", "create"], ["room", "invite"],
        ["room", "join"],
        ["room", "list"], ["room", "show"], ["room", "remove"], ["room", "mend"], ["room", "leave"], ["send"],
        ["read"], ["watch"], ["chat"], ["save"], ["file", "keygen"], ["file", "encrypt"], ["file", "decrypt"],
        ["file", "convert"], ["file", "inspect"], ["vault", "init"], ["vault", "add"], ["vault", "list"],
        ["vault", "search"], ["vault", "get"], ["vault", "remove"], ["vault", "move"], ["vault", "tag"],
        ["vault", "verify"], ["vault", "rekey"], ["vault", "import"], ["vault", "store-password"], ["vault", "export"],
        ["vault", "repair"], ["keychain", "create"], ["keychain", "set"], ["keychain", "get"], ["keychain", "list"],
        ["keychain", "remove"], ["keychain", "import"], ["keychain", "export"], ["keychain", "verify"],
        ["keychain", "repair"], ["keychain", "slots"],
        ["keychain", "passphrase"], ["keychain", "remove-slot"], ["keychain", "recovery-code"], ["keychain", "grants"],
        ["keychain", "grant"], ["keychain", "revoke"], ["keychain", "audit"], ["keychain", "agent"], ["unlock"],
        ["lock"],
        ["enclave", "status"], ["enclave", "create"], ["enclave", "list"], ["enclave", "delete"], ["enclave", "test"],
        ["enclave", "encrypt"], ["enclave", "decrypt"],
        ["otp", "add"], ["otp", "list"], ["otp", "code"], ["otp", "import"], ["otp", "export"], ["otp", "qr"],
        ["otp", "remove"], ["token", "login"], ["token", "status"], ["token", "get"], ["token", "exec"],
        ["token", "revoke"], ["token", "list"], ["token", "remove"], ["outbox", "list"], ["outbox", "drop"], ["doctor"],
        ["completion"], ["manual"],
        ["reference"],
    ]

    @Test(arguments: commands)
    func help(_ command: [String]) async throws {
        let result = try await Program.result(of: "mildam", command + ["--help"])
        expect(result, 0, (["mildam"] + command).joined(separator: " "), "Usage")
        #expect(result.errors.isEmpty)
        #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(result)")
    }

    /// The reference names every command, and the list above leaves out none.
    @Test func reference() async throws {
        let printed = try await Program.result(of: "mildam", ["reference"])
        let path = Vectors.packageFolder + "/Documentation/reference.md"
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == printed.output,
            "Documentation/reference.md is old: mildam reference > Documentation/reference.md"
        )
        let named = printed.output.split(separator: "\n").filter { $0.hasPrefix("## mildam ") }
            .map { $0.dropFirst(10).split(separator: " ").map(String.init) }
        let groups = [
            ["account"], ["contact"], ["room"], ["file"], ["vault"], ["keychain"], ["enclave"], ["otp"], ["token"],
            ["outbox"], ["relay"], ["relay", "serve"], ["relay", "user"],
        ]
        #expect(named.filter { !groups.contains($0) } == Self.commands.filter { !$0.isEmpty })
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completion(_ shell: String) async throws {
        let result = try await Program.result(of: "mildam", ["completion", shell])
        expect(result, 0, "password-file", "invite")
        expect(try await Program.result(of: "mildam", ["completion", "csh"]), 2)
    }

    @Test func manual() async throws {
        expect(try await Program.result(of: "mildam", ["manual"]), 0, ".TH", "EXIT STATUS")
    }

    @Test(arguments: ["mildam", "mildam-relay"])
    func version(_ program: String) async throws {
        let result = try await Program.result(of: program, ["--version"])
        expect(result, 0, program + " ")
        #expect(result.output.split(separator: "\n").count == 1)
    }

    @Test(arguments: [["--nonsense"], ["send"], ["frobnicate"], ["read", "room", "--since", "x"], ["read", "a", "b"]])
    func wrongUse(_ arguments: [String]) async throws {
        let result = try await Program.result(of: "mildam", arguments)
        #expect(result.status == 2, "\(result)")
        #expect(result.output.isEmpty && !result.errors.isEmpty, "\(result)")
    }
}
