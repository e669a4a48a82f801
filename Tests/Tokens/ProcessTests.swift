import Foundation
import MildamSystem
import TestSupport
import Testing

@Suite("Several processes, one sign-in")
struct ProcessTests {
    /// A desk whose server goes by the real clock, as the workers do.
    private func realDesk() async throws -> (Desk, RotatingServer) {
        (try await Desk(), try RotatingServer())
    }

    @Test func twoAtExpiryRefreshOnce() async throws {
        let (desk, server) = try await realDesk()
        let workers = [
            try await Worker(keychain: desk.folder.file("keychain.db")),
            try await Worker(keychain: desk.folder.file("keychain.db")),
        ]
        for worker in workers {
            try await worker.ask("open \(server.tokenURL) one \(desk.folder.file("lock"))")
        }
        #expect(try await workers[0].ask("login") == "in")
        #expect(try await workers[1].ask("get") == workers[0].ask("get"))
        for round in 1...3 {
            for worker in workers { try await worker.ask("advance 301000") }
            server.set([.late(200)])
            async let first = workers[0].ask("get")
            async let second = workers[1].ask("get")
            let answers = (try await first, try await second)
            #expect(answers.0 == answers.1 && answers.0?.hasPrefix("token ") == true, "\(answers)")
            #expect(server.refreshes == round)
        }
        // A token that both were refused is refreshed once, too.
        let number = try #require(try await workers[0].ask("get")?.split(separator: " ")[1])
        async let first = workers[0].ask("after \(number)")
        async let second = workers[1].ask("after \(number)")
        #expect(try await first == second)
        #expect(server.refreshes == 4 && server.violations == 0)
        withExtendedLifetime(desk) {}
    }

    @Test(
        "kill -9 at every step of a rotation: the next start is signed in",
        arguments: ["before-read", "after-read", "before-request", "after-answer", "before-write", "after-write"]
    )
    func killed(_ step: String) async throws {
        let (desk, server) = try await realDesk()
        let line = "open \(server.tokenURL) one \(desk.folder.file("lock"))"
        let path = desk.folder.file("keychain.db")
        let first = try await Worker(keychain: path)
        try await first.ask(line)
        #expect(try await first.ask("login") == "in")
        for round in 1...Count.of(few: 2, full: 10) {
            let dying = try await Worker(keychain: path)
            try await dying.ask(line)
            try await dying.ask("advance \(301_000 * round)")
            try await dying.ask("die \(step)")
            #expect(try await dying.ask("get") == nil, "it came past \(step)")
            let next = try await Worker(keychain: path)
            try await next.ask(line)
            try await next.ask("advance \(301_000 * round)")
            #expect(try await next.ask("get")?.hasPrefix("token ") == true)
            try await next.ask("advance 0")
        }
        #expect(server.violations == 0)
        withExtendedLifetime(desk) {}
    }

    @Test("kill -9 at any moment")
    func killedAnywhere() async throws {
        let (desk, server) = try await realDesk()
        let line = "open \(server.tokenURL) one \(desk.folder.file("lock"))"
        let path = desk.folder.file("keychain.db")
        var generator = Seed.generator(for: "killedAnywhere")
        let first = try await Worker(keychain: path)
        try await first.ask(line)
        #expect(try await first.ask("login") == "in")
        for round in 1...Count.of(few: 8, full: 200) {
            let program = try Program(
                "mildam-tokens-worker",
                [path, Desk.passphrase],
                input: "\(line)\nadvance \(301_000 * round)\nget\n"
            )
            _ = try await program.line(with: "advanced")
            try await Task.sleep(for: .microseconds(Int.random(in: 0...30_000, using: &generator)))
            program.signal(SIGKILL)
            _ = try await program.end()
        }
        let last = try await Worker(keychain: path)
        try await last.ask(line)
        try await last.ask("advance \(301_000 * 1000)")
        #expect(try await last.ask("get")?.hasPrefix("token ") == true)
        #expect(server.violations == 0)
        withExtendedLifetime(desk) {}
    }
}
