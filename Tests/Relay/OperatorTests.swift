import Foundation
import Glibc
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

@Suite("mildam-relay user", .timeLimit(.minutes(3)))
struct OperatorTests {
    private func user(_ relay: TestRelay, _ arguments: String...) throws -> Program.Result {
        try Program.run("mildam-relay", ["user"] + arguments + ["--data", relay.folder.path + "/data"])
    }

    private func json(_ result: Program.Result) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    }

    @Test("beside a running relay: what ends reaches open sockets and access tokens at once")
    func running() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let phone = try await alice.onAnotherDevice()
        _ = try await Person("bob", on: relay)
        let list = try user(relay, "list")
        #expect(list.status == 0 && list.output.split(separator: "\n").count == 3, "\(list)")
        #expect(list.output.contains("alice") && list.output.contains("bob") && list.output.hasPrefix("HANDLE"))
        let sessions = try user(relay, "sessions", "alice", "--json")
        #expect((try json(sessions)["sessions"] as? [Any])?.count == 2)
        #expect(try user(relay, "sessions", "alice").output.contains(alice.tokens.session.description))

        var socket = try await Socket(phone)
        let one = try user(relay, "log-out", "alice", "--session", phone.tokens.session.description, "--json")
        #expect(try json(one)["count"] as? Int == 1)
        let start = ContinuousClock.now
        #expect(try await socket.next() == nil)
        #expect(ContinuousClock.now - start < .seconds(1))
        #expect(try await phone.ask(.get, "/v1/rooms").status == 401)
        #expect(try await alice.ask(.get, "/v1/rooms").status == 200)
        #expect(try await alice.log().first?.kind == .operatorEndedSession)
        #expect(try user(relay, "log-out", "alice").status == 0)
        #expect(try await alice.ask(.get, "/v1/rooms").status == 401)
        await relay.server.stop()
    }

    @Test("a second factor is removed, which the log says; an account is deleted for good")
    func doing() async throws {
        let relay = try TestRelay()
        var alice = try await Person("alice", on: relay)
        _ = try await alice.takeSecondFactor()
        #expect(try json(user(relay, "show", "alice", "--json"))["handle"] as? String == "alice")
        #expect(try user(relay, "show", "alice").output.contains("yes, 10 recovery codes"))
        #expect(try user(relay, "list").output.contains("yes"))
        #expect(try user(relay, "reset-second-factor", "alice", "--yes").output == "second factors removed: 1\n")
        #expect(try user(relay, "reset-second-factor", "alice", "--yes").output == "second factors removed: 0\n")
        try await alice.logIn()
        #expect(try await alice.log().contains { $0.kind == .operatorRemovedSecondFactor })
        #expect(try user(relay, "remove", "alice", "--yes").status == 0)
        #expect(try await alice.ask(.get, "/v1/rooms").status == 401)
        #expect(try user(relay, "remove", "alice", "--yes").status == 4)
        let again = try Person.registration("alice", relay: relay.server.relay)
        #expect(try await relay.ask(Routes.register.at(), again.body).apiError?.code == .handleTaken)
        await relay.server.stop()
    }

    @Test(
        "without a relay it takes the folder, and the next relay finds what was done",
        .enabled(if: StoreUnderTest.isSQLite("the operator's program opens the folder's database itself"))
    )
    func stopped() async throws {
        let folder = try TemporaryFolder()
        let relay = try TestRelay(folder: folder)
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        await relay.server.stop()
        #expect(try user(relay, "list").output.contains("alice"))
        #expect(try user(relay, "remove", "alice", "--yes").status == 0)
        #expect(try user(relay, "log-out", "bob").output == "sessions ended: 1\n")
        let second = try TestRelay(folder: folder)
        #expect(try await second.ask(bob.refreshRequest(bob.tokens.refresh)).status == 400)
        let again = try Person.registration("alice", relay: second.server.relay)
        #expect(try await second.ask(Routes.register.at(), again.body).apiError?.code == .handleTaken)
        withExtendedLifetime(alice) {}
        await second.server.stop()
    }

    @Test("who asks for what is not there, or is not asked, is told so")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let nowhere = try Program.run("mildam-relay", ["user", "list", "--data", folder.file("none")])
        #expect(nowhere.status == 4 && nowhere.errors.contains("no relay's data"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("none")))
        let relay = try TestRelay(folder: folder)
        _ = try await Person("alice", on: relay)
        for arguments in [["show", "nobody"], ["log-out", "nobody"], ["remove", "nobody", "--yes"]] {
            let data = ["--data", relay.folder.path + "/data"]
            #expect(try Program.run("mildam-relay", ["user"] + arguments + data).status == 4)
            let result = try Program.run("mildam-relay", ["user"] + arguments + data + ["--json"])
            #expect((try json(result)["error"] as? [String: Any])?["status"] as? Int == 4)
        }
        #expect(try user(relay, "show", "No Handle").status == 2)
        #expect(try user(relay, "log-out", "alice", "--session", "x").status == 2)
        #expect(try user(relay, "log-out", "alice", "--session", SessionID.random().description).status == 4)
        // Nobody to ask: a test has no terminal.
        let unasked = try user(relay, "remove", "alice")
        #expect(unasked.status == 6 && unasked.errors.contains("--yes"), "\(unasked)")
        #expect(try user(relay, "list").output.contains("alice"))
        // A relay that runs, and whose socket is gone.
        try FileManager.default.removeItem(atPath: relay.folder.path + "/data/control")
        #expect(try user(relay, "list").status == 6)
        await relay.server.stop()
    }

    @Test("the socket is the owner's alone; what is no request is hung up on, and the next is answered")
    func socket() async throws {
        let relay = try TestRelay()
        _ = try await Person("alice", on: relay)
        let path = relay.folder.path + "/data/control"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        for nonsense: [UInt8] in [
            [], [0], [255, 255, 255, 255], [0, 0, 0, 0], [0, 0, 0, 2, 123, 125], [0, 0, 0, 3, 1, 2, 3],
            [0, 0, 0, 9, 123],
        ] {
            let connection = try UnixConnection.connect(to: path)
            try connection.send(nonsense.span)
            connection.shutdown()
        }
        #expect(try user(relay, "list").output.contains("alice"))
        await relay.server.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("more accounts than one answer holds are listed all, each once")
    func pages() async throws {
        let relay = try TestRelay()
        let count = OperatorRequest.page + 3
        let people = try (0..<count).map { (AccountID.random(), try Handle("person-\($0)")) }
        let filled: Result<Void, APIError> = await relay.change { facts, _ in
            for (account, handle) in people {
                facts.make(account, handle: handle, bundle: [1], verifier: SaltedVerifier(salt: [1], verifier: [1]))
            }
            return .success(())
        }
        try filled.get()
        let accounts = try #require(try json(user(relay, "list", "--json"))["accounts"] as? [[String: Any]])
        #expect(Set(accounts.compactMap { $0["handle"] as? String }).count == count && accounts.count == count)
        await relay.server.stop()
    }

    @Test("a relay whose folder has too long a path for a socket has none, says so, and serves")
    func longPath() async throws {
        let folder = try TemporaryFolder()
        let data = folder.file(String(repeating: "d", count: 100))
        let relay = try TestRelay(folder: folder) { $0.dataFolder = data }
        #expect(try await relay.ask(.get, Routes.relay.path).status == 200)
        #expect(relay.lines.withLock { $0.contains { $0.contains("cannot ask this relay") } })
        #expect(try Program.run("mildam-relay", ["user", "list", "--data", data]).status == 6)
        await relay.server.stop()
    }

    @Test("a folder that others may enter is refused, by the relay and by its operator's command")
    func openFolder() async throws {
        let relay = try TestRelay()
        let data = relay.folder.file("data")
        #expect(unsafe chmod(data, 0o755) == 0)
        let refused = try user(relay, "list")
        #expect(refused.status == 6 && refused.errors.contains("chmod 700 '\(data)'"), "\(refused)")
        await relay.server.stop()
        #expect {
            _ = try TestRelay(folder: relay.folder)
        } throws: {
            if case .system(let error) = $0 as? RelayError { error.distrust?.fault == .open(0o755) } else { false }
        }
        #expect(unsafe chmod(data, 0o700) == 0)
        await (try TestRelay(folder: relay.folder)).server.stop()
    }
}
