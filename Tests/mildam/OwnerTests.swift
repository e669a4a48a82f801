import Foundation
import HouseSupport
import MildamCrypto
import MildamIdentity
import MildamOTP
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

/// What the account's owner sees, ends and changes, at the command line.
@Suite("The account's owner")
struct OwnerTests {
    /// Logs in with what a file holds beside the password.
    private func logIn(_ person: Person, code: String? = nil) async throws -> Program.Result {
        guard let code else {
            return try await person.run("account", "login", "--password-file", "-", input: person.password + "\n")
        }
        let folder = try TemporaryFolder()
        try WholeFile.write(Array(code.utf8).span, to: folder.file("code"))
        return try await person.run(
            "account",
            "login",
            "--password-file",
            "-",
            "--code-file",
            folder.file("code"),
            input: person.password + "\n"
        )
    }

    /// Takes a second factor.
    private func enrol(_ person: Person) async throws -> (token: OneTimePassword, recovery: [String]) {
        let added = try await person.run(
            "account",
            "add-second-factor",
            "--password-file",
            "-",
            "--json",
            input: person.password + "\n"
        )
        expect(added, 0)
        struct Added: Decodable { var uri: String }
        let uri = try JSONDecoder().decode(Added.self, from: Data(added.output.utf8)).uri
        let token = try OneTimePassword(uri: Array(uri.utf8).span)
        let wrong = try await person.run("account", "confirm-second-factor", "--code-file", "-", input: "000000\n")
        expect(wrong, 3, "the code is wrong")
        let code = token.code(at: UInt64(WallClock.system.seconds))
        let confirmed = try await person.run(
            "account",
            "confirm-second-factor",
            "--code-file",
            "-",
            "--json",
            input: code + "\n"
        )
        expect(confirmed, 0)
        struct Confirmed: Decodable { var recoveryCodes: [String] }
        return (token, try JSONDecoder().decode(Confirmed.self, from: Data(confirmed.output.utf8)).recoveryCodes)
    }

    @Test func aSecondFactor() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        expect(try await alice.run("account", "second-factor"), 0, "the password alone")
        let (_, recovery) = try await enrol(alice)
        #expect(recovery.count == 10)
        expect(try await alice.run("account", "second-factor"), 0, "a code", "10 recovery codes are left")
        expect(try await logIn(alice), 6, "--code-file")
        expect(try await logIn(alice, code: "000000"), 3, "the code is wrong")
        expect(try await logIn(alice, code: recovery[0]), 0, "logged in as alice")
        expect(try await logIn(alice, code: recovery[0]), 3, "used before")
        expect(try await alice.run("account", "log"), 0, "a recovery code was used", "a second factor was added")
        let removed = try await alice.run(
            "account",
            "remove-second-factor",
            "--password-file",
            "-",
            "--code-file",
            "/dev/null",
            input: alice.password + "\n"
        )
        #expect(removed.status != 0)
        let folder = try TemporaryFolder()
        try WholeFile.write(Array(recovery[1].utf8).span, to: folder.file("code"))
        let done = try await alice.run(
            "account",
            "remove-second-factor",
            "--password-file",
            "-",
            "--code-file",
            folder.file("code"),
            input: alice.password + "\n"
        )
        expect(done, 0, "the password alone")
        expect(try await logIn(alice), 0)
    }

    @Test func aWrongCodeIsAskedForAgain() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        func terminal(_ command: String) throws -> TerminalSession {
            try TerminalSession(
                "\"$1\" \(command) </dev/null; echo \"ended with $?\"",
                [Program.find("mildam")],
                environment: alice.variables
            )
        }
        let uri = try await alice.run(
            "account",
            "add-second-factor",
            "--password-file",
            "-",
            input: alice.password + "\n"
        )
        let line = try #require(uri.output.split(separator: "\n").first)
        let token = try OneTimePassword(uri: Array(line.utf8).span)
        // Whoever leaves is told that the factor waits.
        let left = try terminal("account confirm-second-factor")
        #expect(try await left.see("A code that your device shows now:"), "\(left.rows)")
        left.type("\r")
        #expect(try await left.see("ended with 6"), "\(left.rows)")
        #expect(left.rows.contains { $0.contains("the second factor waits") }, "\(left.rows)")
        let confirming = try terminal("account confirm-second-factor")
        #expect(try await confirming.see("A code that your device shows now:"), "\(confirming.rows)")
        confirming.type("000000\r")
        #expect(try await confirming.see("That is not right"), "\(confirming.rows)")
        confirming.type(token.code(at: UInt64(WallClock.system.seconds)) + "\r")
        #expect(try await confirming.see("ended with 0"), "\(confirming.rows)")
        let loggingIn = try terminal("account login")
        #expect(try await loggingIn.see("Password:"), "\(loggingIn.rows)")
        loggingIn.type(alice.password + "\r")
        #expect(try await loggingIn.see("Code, or recovery code:"), "\(loggingIn.rows)")
        // Whoever else works with the profile waits for nobody who types.
        expect(try await alice.run("status"), 0, "account      alice")
        loggingIn.type("000000\r")
        #expect(try await loggingIn.see("That is not right"), "\(loggingIn.rows)")
        // The code of the next half-minute: that of this one is used.
        loggingIn.type(token.code(at: UInt64(WallClock.system.seconds + 30)) + "\r")
        #expect(try await loggingIn.see("ended with 0"), "\(loggingIn.rows)")
    }

    /// Whoever else works with the profile does not wait while somebody types.
    @Test(arguments: [
        ("account add-second-factor", "Password:"), ("account remove-second-factor", "Password:"),
        ("account confirm-second-factor", "A code that your device shows now:"),
        ("account password", "Present password:"), ("account login", "Password:"),
        ("account delete --yes", "Password:"),
    ])
    func nobodyWaitsForWhoTypes(_ command: String, _ question: String) async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let session = try TerminalSession(
            "\"$1\" \(command); echo \"ended with $?\"",
            [Program.find("mildam")],
            environment: alice.variables
        )
        #expect(try await session.see(question), "\(session.rows)")
        let begun = ContinuousClock.now
        expect(try await alice.run("status"), 0, "account      alice")
        #expect(ContinuousClock.now - begun < .seconds(50), "less than an ask waits for a profile that is lent")
        session.type("\r")
        #expect(try await session.see("ended with "), "\(session.rows)")
    }

    /// From the QR code to the recovery codes at one terminal, with a wrong code in between.
    @Test func aWrongCodeWhereTheFactorIsAdded() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let session = try TerminalSession(
            "\"$1\" account add-second-factor; echo \"ended with $?\"",
            [Program.find("mildam")],
            environment: alice.variables,
            columns: 250
        )
        #expect(try await session.see("Password:"), "\(session.rows)")
        session.type(alice.password + "\r")
        try #require(try await session.see("A code that your device shows now:"), "\(session.rows)")
        let row = try #require(session.rows.first { $0.contains("otpauth://") }, "\(session.rows)")
        let start = try #require(row.range(of: "otpauth://")?.lowerBound)
        let token = try OneTimePassword(uri: Array(row[start...].utf8).span)
        expect(try await alice.run("status"), 0, "account      alice")
        session.type("000000\r")
        #expect(try await session.see("That is not right"), "\(session.rows)")
        session.type(token.code(at: UInt64(WallClock.system.seconds)) + "\r")
        #expect(try await session.see("ended with 0"), "\(session.rows)")
        #expect(session.rows.contains { $0.contains("From here on logging in takes a code") }, "\(session.rows)")
        expect(try await alice.run("account", "second-factor"), 0, "10 recovery codes are left")
    }

    @Test func sessions() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let list = try await alice.run("account", "sessions", "--json")
        let sessions = try JSONDecoder().decode([SessionDescription].self, from: Data(list.output.utf8))
        #expect(sessions.count == 1 && sessions[0].isCurrent)
        expect(try await alice.run("account", "sessions"), 0, "\(sessions[0].session)", "this one")
        expect(try await alice.run("account", "end-session"), 2, "--others")
        expect(try await alice.run("account", "end-session", "nonsense"), 2, "mildam account sessions")
        expect(try await alice.run("account", "end-session", "\(SessionID.random())"), 6, "no such session")
        expect(try await alice.run("account", "end-session", "--others"), 0)
        try await alice.done("room", "create", "kitchen")
        expect(try await alice.run("account", "end-session", "\(sessions[0].session)"), 0)
        expect(try await alice.run("send", "kitchen", "x"), 7, "kept", "mildam account login")
        expect(try await logIn(alice), 0)
        try await alice.done("send", "kitchen", "y")
        #expect(try await alice.texts("kitchen") == ["x", "y"])
    }

    /// Somebody who has an account elsewhere is not told to make another.
    @Test func loggingInWithoutAnAccount() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let bob = house.person("bob")
        let words = [
            "there is no account", "no folder \(bob.folder)", "other profiles there: alice", "move its folder",
        ]
        let result = try await logIn(bob)
        expect(result, 4, "--profile")
        for word in words { #expect(result.errors.contains(word), "\(result)") }
        #expect(!result.errors.contains("account create"), "\(result)")
        expect(try await bob.run("account", "show"), 4, "other profiles there: alice", "`mildam account create HANDLE`")
        #expect(!FileManager.default.fileExists(atPath: bob.folder))
        withExtendedLifetime(alice) {}
    }

    /// Without the relay the session ends here, which is done and not failed; what is left of it there is said.
    @Test func loggingOutWithoutTheRelay() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await house.kill()
        let result = try await alice.run("account", "logout")
        expect(result, 0, "logged out here", "cannot reach 127.0.0.1", "after 90 days")
        #expect(result.errors.isEmpty, "\(result)")
        expect(try await alice.run("account", "show"), 0, "ended: mildam account login")
        let again = try await alice.run("account", "logout", "--json")
        #expect(again.status == 0 && !again.output.contains("toldRelay"), "\(again)")
        try await house.restart()
        expect(try await alice.run("account", "sessions"), 6, "mildam account login")
        expect(try await logIn(alice), 0)
        let list = try await alice.done("account", "sessions", "--json")
        let sessions = try JSONDecoder().decode([SessionDescription].self, from: Data(list.utf8))
        #expect(sessions.map(\.isCurrent) == [true], "the one that was left has ended")
        expect(try await alice.run("account", "logout", "--json"), 0, "\"toldRelay\":true")
        expect(try await logIn(alice), 0)
        try await house.kill()
        expect(try await alice.run("account", "logout", "--json"), 0, "\"toldRelay\":false", "\"handle\":\"alice\"")
    }

    @Test func theEnd() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await alice.done("send", "kitchen", "I was here")
        #expect(try await bob.texts("kitchen") == ["I was here"])
        try await alice.done("send", "kitchen", "and here")
        #expect(try await alice.texts("kitchen").count == 2)
        func delete(_ password: String) async throws -> Program.Result {
            try await alice.run("account", "delete", "--yes", "--password-file", "-", input: password + "\n")
        }
        expect(try await delete(alice.password), 6, "you are in kitchen", "--from-rooms")
        try await alice.done("room", "leave", "kitchen")
        // bob's client takes her out.
        try await waitUntil { try await alice.done("room", "list").contains("  left") }
        expect(try await delete("wrong"), 3)
        expect(try await delete(alice.password), 0, "can still be read")
        expect(try await alice.run("read", "kitchen", "--offline"), 0, "I was here", "and here")
        expect(try await alice.run("send", "kitchen", "x"), 6)
        #expect(try await bob.texts("kitchen") == ["I was here", "and here"])
        for _ in 0..<100 where try await bob.done("room", "show", "kitchen").contains("alice") {
            try await Task.sleep(for: .milliseconds(100))
        }
        expect(try await bob.run("room", "invite", "kitchen", "alice"), 4)
    }
}
