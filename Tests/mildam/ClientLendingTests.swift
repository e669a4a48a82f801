import Foundation
import Glibc
import HouseSupport
import MildamClientAPI
import MildamMessenger
import TestSupport
import Testing

/// Commands that work with the profile by themselves beside its client, which lends it to them.
@Suite("A profile that its client lends to commands")
struct ClientLendingTests {
    private func window(of person: Person) throws -> ClientLink {
        try ClientLink(at: person.folder + "/agent/client")
    }

    private func status(_ link: ClientLink) async throws -> ClientStatus {
        guard case .status(let status) = try await link.ask(.status) else { throw ClientLinkError.ended }
        return status
    }

    /// A program that borrows the profile, and does nothing with it.
    private func borrower(of person: Person) async throws -> Program {
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
            s.sendall(b'{"id":1,"ask":{"lend":{}}}\\n')
            lines = s.makefile()
            for line in lines:
                if '"id":1' in line: print("lent", flush=True)
            """
        let program = try Program("python3", ["-c", script, person.folder + "/agent/client"])
        try #require(try await program.line(with: "lent") != nil)
        return program
    }

    @Test func theClientAndItsWindowsStay() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        expect(try await alice.run("status"), 0)
        let window = try window(of: alice)
        let events = try await window.subscribe()
        expect(try await alice.run("account", "show"), 0, "alice")
        expect(try await alice.run("contact", "list"), 0)
        for await event in events where event == .resync { break }
        #expect(try self.window(of: alice).hello.boot == window.hello.boot, "the same client")
        // The rooms go on, for the window as well.
        guard case .room(let row) = try await window.ask(.createRoom(name: "kitchen")) else {
            Issue.record("no room was made")
            return
        }
        expect(try await alice.run("doctor"), 0, "ok")
        guard case .wished(let said) = try await window.ask(.send(room: row.room, text: "soup")) else {
            Issue.record("nothing was taken on")
            return
        }
        expect(try await alice.run("account", "sessions"), 0)
        guard case .outcome(.done) = try await window.ask(.outcome(of: said, seconds: 30)) else {
            Issue.record("it was not sent")
            return
        }
        try await alice.done("client", "stop")
    }

    @Test func whoWatchesInAnotherTerminalGoesOn() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "invite", "kitchen", "bob")
        try await bob.done("request", "accept", "alice", "--join")
        let watch = try alice.watch()
        #expect(try await watch.line(with: "connected") != nil)
        try await bob.done("send", "kitchen", "before")
        #expect(try await watch.line(with: "before") != nil)
        let boot = try window(of: alice).hello.boot
        for command in [["account", "show"], ["account", "sessions"], ["contact", "list"]] {
            let result = try await Program.result(of: "mildam", command, environment: alice.variables)
            #expect(result.status == 0, "\(result)")
        }
        try await bob.done("send", "kitchen", "after")
        #expect(try await watch.line(with: "after") != nil)
        #expect(try window(of: alice).hello.boot == boot, "by the same client")
        watch.signal(SIGINT)
        _ = try await watch.end()
        for person in people { try await person.done("client", "stop") }
    }

    @Test func killedItHasGivenItBack() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        expect(try await alice.run("status"), 0)
        let boot = try window(of: alice).hello.boot
        let borrower = try await borrower(of: alice)
        // Others can borrow it as well, and end meanwhile.
        expect(try await alice.run("account", "show"), 0, "alice")
        async let waited = alice.run("status")
        try await Task.sleep(for: .milliseconds(500))
        borrower.signal(SIGKILL)
        #expect(try await borrower.end().status == 128 + SIGKILL)
        expect(try await waited, 0, "account      alice")
        #expect(try window(of: alice).hello.boot == boot)
        try await alice.done("client", "stop")
    }

    @Test func stoppedWhileItIsLent() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        expect(try await alice.run("status"), 0)
        let borrower = try await borrower(of: alice)
        #expect(try await alice.done("client", "stop") == "the client has ended\n")
        borrower.signal(SIGKILL)
        _ = try await borrower.end()
        expect(try await alice.run("status"), 0, "account      alice")
        try await alice.done("client", "stop")
    }

    /// What the account is, a window hears anew, and whoever comes later is greeted with.
    @Test func anAccountIsMadeAndItsSessionEnds() async throws {
        let house = try await House.open(isEmpty: true)
        let ana = Person(name: "ana", home: house.folder.file("home"), relay: house.relay.url)
        expect(try await ana.run("status"), 4, "no account yet")
        let window = try window(of: ana)
        #expect(window.hello.stage == .fresh)
        #expect(try await status(window).stage == .fresh)
        let made = try await ana.run("account", "create", "ana", "--password-file", "-", input: ana.password + "\n")
        expect(made, 0, "handle       ana")
        #expect(try await status(window).stage == .ready)
        #expect(try self.window(of: ana).hello.stage == .ready)
        guard case .room = try await window.ask(.createRoom(name: "kitchen")) else {
            Issue.record("no room was made")
            return
        }
        expect(try await ana.run("account", "logout"), 0, "logged out")
        #expect(try await status(window).stage == .loggedOut)
        expect(try await ana.run("status"), 0, "the session has ended: mildam account login")
        let login = try await ana.run("account", "login", "--password-file", "-", input: ana.password + "\n")
        expect(login, 0, "logged in as ana")
        #expect(try await status(window).stage == .ready)
        #expect(try await status(window).rooms == 1)
        let gone = try await ana.run(
            "account",
            "delete",
            "--yes",
            "--from-rooms",
            "--password-file",
            "-",
            input: ana.password + "\n"
        )
        expect(gone, 0, "deleted")
        #expect(try await status(window).rooms == 1, "what is in the profile can be read")
        try await ana.done("client", "stop")
    }

    /// What opens the keychain is asked for while the client has the profile still.
    @Test func nobodyWaitsForWhoTypesAPassphrase() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await makeKeychain(in: alice.folder)
        let bus = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        let passphrase = bus.merging(["MILDAM_PASSPHRASE": "correct horse"]) { $1 }
        expect(try await alice.run("unlock", environment: passphrase), 0, "unlocked")
        expect(try await alice.run("account", "show", environment: passphrase), 0)
        expect(try await alice.run("status", environment: passphrase), 0, "account      alice")
        // The agent is gone; the client has the key.
        let script = """
            import os, signal, socket, struct, sys
            s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
            os.kill(struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0], signal.SIGKILL)
            """
        let killed = try await Program.result(of: "python3", ["-c", script, alice.folder + "/agent/socket"])
        expect(killed, 0)
        let session = try TerminalSession(
            "\"$1\" account show; echo \"ended with $?\"",
            [Program.find("mildam")],
            environment: alice.variables.merging(bus) { $1 }
        )
        #expect(try await session.see("Passphrase of the keychain:"), "\(session.rows)")
        let begun = ContinuousClock.now
        expect(try await alice.run("status", environment: bus), 0, "account      alice")
        #expect(ContinuousClock.now - begun < .seconds(50), "less than an ask waits for a profile that is lent")
        session.type("correct horse\r")
        #expect(try await session.see("ended with 0"), "\(session.rows)")
        try await alice.done("client", "stop")
        expect(try await alice.run("lock", "--stop", environment: passphrase), 0)
    }

    /// The client hides its memory: the agent can look at it for the moment in which the key is another.
    @Test func theKeyMovesIntoTheKeychainBesideIt() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        expect(try await alice.run("status"), 0)
        let window = try window(of: alice)
        guard case .room(let row) = try await window.ask(.createRoom(name: "kitchen")) else {
            Issue.record("no room was made")
            return
        }
        try await makeKeychain(in: alice.folder)
        let passphrase = ["MILDAM_PASSPHRASE": "correct horse", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        // A keychain that nobody has opened is not asked for.
        expect(try await alice.run("unlock", environment: passphrase), 0, "unlocked")
        expect(try await alice.run("account", "show", environment: passphrase), 0)
        try #require(!FileManager.default.fileExists(atPath: alice.folder + "/root.key"))
        #expect(try self.window(of: alice).hello.boot == window.hello.boot, "the same client")
        guard case .rooms(let rows, _) = try await window.ask(.rooms()) else { throw ClientLinkError.ended }
        #expect(rows.map(\.room) == [row.room] && rows.first?.name == "kitchen")
        guard case .wished(let said) = try await window.ask(.send(room: row.room, text: "soup")),
            case .outcome(.done) = try await window.ask(.outcome(of: said, seconds: 30))
        else {
            Issue.record("it was not sent")
            return
        }
        // Once more: now the key is where it stays.
        expect(try await alice.run("account", "show", environment: passphrase), 0)
        #expect(try await status(window).rooms == 1)
        try await alice.done("client", "stop")
        expect(try await alice.run("lock", "--stop", environment: passphrase), 0)
    }
}
