import Foundation
import HouseSupport
import TestSupport
import Testing

/// A clock that is off is named as such: by every command, and never as a wrong password.
@Suite("A clock that is off")
struct ClockTests {
    /// Runs `mildam` on a machine whose clock is off.
    private func run(
        _ person: Person,
        offBy seconds: Int64,
        _ arguments: String...,
        input: String? = nil
    ) async throws -> Program.Result {
        try await Program.result(
            of: "mildam",
            arguments,
            input: input,
            environment: person.variables.merging(try ShiftedClock.environment(seconds: seconds)) { $1 }
        )
    }

    /// More than a minute is told, once, and the command does its work.
    @Test(arguments: [-120, 120] as [Int64])
    func told(_ seconds: Int64) async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let side = seconds > 0 ? "ahead of" : "behind"
        for command in [["room", "create", "kitchen"], ["send", "kitchen", "hello"], ["read", "kitchen"]] {
            let result = try await Program.result(
                of: "mildam",
                command,
                environment: alice.variables.merging(try ShiftedClock.environment(seconds: seconds)) { $1 }
            )
            expect(result, 0)
            let lines = result.errors.split(separator: "\n")
            #expect(lines.count == 1, "\(result)")
            #expect(lines.first?.hasPrefix("mildam: this machine's clock is ") == true, "\(result)")
            #expect(result.errors.contains(" min ") && result.errors.contains(" \(side) the relay's"), "\(result)")
        }
    }

    /// Half a minute is nobody's business.
    @Test func untold() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        for seconds in [-30, 30] as [Int64] {
            let result = try await run(alice, offBy: seconds, "room", "list")
            expect(result, 0)
            #expect(result.errors.isEmpty, "\(result)")
        }
    }

    /// The right password is not called wrong, and nothing is made or lost.
    @Test(arguments: [-100_000, 100_000] as [Int64])
    func noWrongPassword(_ seconds: Int64) async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let side = seconds > 0 ? "ahead of" : "behind"
        let words = ["this machine's clock is 1 d 3 h \(side) the relay's", "timedatectl"]
        func check(_ result: Program.Result, sourceLocation: SourceLocation = #_sourceLocation) {
            expect(result, 6, sourceLocation: sourceLocation)
            for word in words { #expect(result.errors.contains(word), "\(result)", sourceLocation: sourceLocation) }
            #expect(!result.errors.contains("password"), "\(result)", sourceLocation: sourceLocation)
        }
        let password = alice.password + "\n"
        try await alice.done("account", "logout")
        check(try await run(alice, offBy: seconds, "account", "login", "--password-file", "-", input: password))
        try await alice.done("account", "login", "--password-file", "-", input: password)

        let new = house.folder.file("new")
        try "a new password\n".write(toFile: new, atomically: true, encoding: .utf8)
        try await alice.letAccessEnd()
        check(
            try await run(
                alice,
                offBy: seconds,
                "account",
                "password",
                "--password-file",
                "-",
                "--new-password-file",
                new,
                input: password
            )
        )
        try await alice.done("room", "create", "kitchen")
        try await alice.letAccessEnd()
        check(try await run(alice, offBy: seconds, "send", "kitchen", "later"))
        try await alice.done("send", "kitchen", "now")

        let newcomer = house.person("newcomer")
        check(
            try await run(
                newcomer,
                offBy: seconds,
                "account",
                "create",
                "newcomer",
                "--password-file",
                "-",
                input: newcomer.password + "\n"
            )
        )
        #expect(!FileManager.default.fileExists(atPath: newcomer.folder))
        try await newcomer.create()
    }

    /// A wrong password is one, as long as the clocks agree.
    @Test func aWrongPassword() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let result = try await run(alice, offBy: 30, "account", "login", "--password-file", "-", input: "wrong\n")
        expect(result, 3, "the password is wrong")
    }

    /// Where the relay's clock is the one that is off, the words are the same: they accuse neither.
    @Test func theRelaysClock() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await house.kill()
        let relay = try await RelayProcess.start(
            data: house.data,
            at: house.relay.url,
            environment: try ShiftedClock.environment(seconds: 100_000)
        )
        let result = try await alice.run("account", "login", "--password-file", "-", input: alice.password + "\n")
        expect(result, 6, "this machine's clock is 1 d 3 h behind the relay's", "set the one that is wrong")
        expect(try await alice.run("doctor"), 1, "this machine's clock is ", "behind the relay's")
        withExtendedLifetime(relay) {}
    }
}
