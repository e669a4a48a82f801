import Foundation
import Glibc
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

    /// Starts the client of a profile on such a machine; one that a command starts has nothing of its environment.
    private func client(of person: Person, offBy seconds: Int64) async throws -> RunningClient {
        var shifted = person
        shifted.environment.merge(try ShiftedClock.environment(seconds: seconds)) { $1 }
        return try await RunningClient.start(shifted)
    }

    /// More than a minute is told, once, and the command does its work.
    @Test(arguments: [-75, 75] as [Int64])
    func told(_ seconds: Int64) async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let side = seconds > 0 ? "ahead of" : "behind"
        let client = try await client(of: alice, offBy: seconds)
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
        try await client.stop()
    }

    /// A token that is still good is taken from a client whose clock is a day behind, which is told all the same.
    @Test func aTokenThatIsStillGood() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.letAccessEnd()
        try await alice.done("room", "create", "kitchen")
        try await alice.done("client", "stop")
        let client = try await client(of: alice, offBy: -100_000)
        let result = try await run(alice, offBy: -100_000, "send", "kitchen", "of yesterday")
        expect(result, 0, "this machine's clock is 1 d 3 h behind the relay's")
        #expect(try await alice.texts("kitchen") == ["of yesterday"])
        try await client.stop()
    }

    /// Who follows rooms is told while they do, once, and not at the end.
    @Test func whoFollowsIsTold() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        try await alice.done("client", "stop")
        let client = try await client(of: alice, offBy: 75)
        let words = "this machine's clock is 1 min "
        let chat = try alice.chat("kitchen")
        #expect(try await chat.see(words), "\(chat.view)")
        chat.type("hello\r")
        #expect(try await chat.see("alice: hello"), "\(chat.view)")
        chat.type("/quit\r")
        #expect(try await chat.see("ended 0: as before"), "\(chat.view)")
        #expect(chat.rows.filter { $0.contains("clock") }.count == 1, "\(chat.view)")

        let watch = try Program("mildam", ["watch"], environment: alice.variables)
        #expect(try await watch.complaint(with: words)?.hasPrefix("mildam: ") == true)
        try await alice.done("send", "kitchen", "one")
        #expect(try await watch.line(with: "one") != nil)
        watch.signal(SIGTERM)
        let told = try await watch.end().errors.split(separator: "\n").filter { $0.contains("clock") }
        #expect(told.count == 1, "\(told)")
        try await client.stop()
    }

    /// Less than a minute is nobody's business.
    @Test func untold() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        for seconds in [-55, 55] as [Int64] {
            let client = try await client(of: alice, offBy: seconds)
            let result = try await run(alice, offBy: seconds, "room", "list")
            expect(result, 0)
            #expect(result.errors.isEmpty, "\(result)")
            try await client.stop()
        }
    }

    /// The right password is not called wrong, and nothing is made or lost.
    @Test(arguments: Cases.drawn(1, of: [-100_000, 100_000] as [Int64], for: "clocks"))
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
        // What is said is kept, and goes out with a clock that is right.
        let client = try await client(of: alice, offBy: seconds)
        let kept = try await run(alice, offBy: seconds, "send", "kitchen", "later")
        expect(kept, 7, "kept: ")
        for word in words { #expect(kept.output.contains(word), "\(kept)") }
        try await client.stop()
        try await alice.done("send", "kitchen", "now")
        #expect(try await alice.texts("kitchen") == ["later", "now"])

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

    /// Over TLS it is the certificate that does not fit the day: this machine's clock is named beside it.
    @Test(
        arguments: [
            (-100_000, "is not valid yet: is this machine's clock behind?"),
            (100_000, "has expired: whoever runs the relay renews it; or is this machine's clock ahead?"),
        ] as [(Int64, String)]
    )
    func aCertificateOfAnotherDay(_ seconds: Int64, _ words: String) async throws {
        let turn = await Turn.take()
        defer { withExtendedLifetime(turn) {} }
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority(in: folder)
        let files = try await authority.certificate(name: "IP:127.0.0.1", days: 1)
        let relay = try await RelayProcess.start(
            data: folder.file("relay"),
            tls: ["--certificate", files.chain, "--key", files.key]
        )
        let alice = Person(name: "alice", home: folder.file("home"), relay: relay.url)
        let create = ["account", "create", "alice", "--password-file", "-", "--authority", authority.file]
        let made = try await Program.result(
            of: "mildam",
            create,
            input: alice.password + "\n",
            environment: alice.variables
        )
        #expect(made.status == 0, "\(made)")
        try await alice.done("client", "stop")
        let client = try await client(of: alice, offBy: seconds)
        expect(try await run(alice, offBy: seconds, "room", "list"), 0, "no rooms yet", words)
        try await client.stop()
        try await alice.done("client", "stop")
        let well = try await alice.run("room", "list")
        expect(well, 0)
        #expect(well.errors.isEmpty, "\(well)")
        try await alice.done("client", "stop")
        withExtendedLifetime(relay) {}
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
