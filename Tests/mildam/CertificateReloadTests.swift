import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// A certificate that is changed under a relay that runs.
@Suite("Another certificate")
struct CertificateReloadTests {
    @Test func whileItRuns() async throws {
        let turn = await Turn.take()
        defer { withExtendedLifetime(turn) {} }
        let folder = try TemporaryFolder()
        let (old, new) = (
            try await TestAuthority(in: folder, name: "old"), try await TestAuthority(in: folder, name: "new")
        )
        let files = try await old.certificate(name: "IP:127.0.0.1", days: 1)
        let relay = try await RelayProcess.start(
            data: folder.file("relay"),
            tls: ["--certificate", files.chain, "--key", files.key, "--log", "text"]
        )
        let alice = Person(name: "alice", home: folder.file("home"), relay: relay.url)
        expect(try await join(alice, trusting: old), 0)
        try await alice.done("room", "create", "kitchen")
        let watch = try alice.start("watch")
        #expect(try await watch.complaint(with: "connected") != nil)
        let carl = Person(name: "carl", home: folder.file("home"), relay: relay.url)
        expect(try await join(carl, trusting: old), 0)
        try await carl.done("client", "stop")

        let later = try await new.certificate(name: "IP:127.0.0.1", days: 1)
        for (from, to) in [(later.chain, files.chain), (later.key, files.key)] {
            try Data(contentsOf: URL(fileURLWithPath: from)).write(to: URL(fileURLWithPath: to))
        }
        relay.program.signal(SIGHUP)
        #expect(try await relay.program.complaint(with: "certificate_read") != nil)
        expect(try await carl.run("room", "create", "attic"), 6, "no trusted authority")
        let bob = Person(name: "bob", home: folder.file("home"), relay: relay.url)
        expect(try await join(bob, trusting: new), 0)
        // What was connected before still is.
        watch.signal(SIGTERM)
        let result = try await watch.end()
        #expect(!result.errors.contains("trying again"), "\(result)")

        // A file that is no certificate changes nothing.
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: files.chain))
        relay.program.signal(SIGHUP)
        #expect(try await relay.program.complaint(with: "the certificate stays what it was") != nil)
        try await bob.done("room", "create", "cellar")
        // One that is missing is told as that, and changes nothing, either.
        try FileManager.default.removeItem(atPath: files.chain)
        relay.program.signal(SIGHUP)
        let missing = "the certificate stays what it was: cannot open \(files.chain): No such file or directory"
        #expect(try await relay.program.complaint(with: missing) != nil)
        try await bob.done("room", "create", "loft")
        #expect(try await relay.stop().status == 0)
    }

    /// The certificate ends: who watches and who reads is told how to go on, and with the next one both go on.
    @Test func whoFollowsIsTold() async throws {
        let turn = await Turn.take()
        defer { withExtendedLifetime(turn) {} }
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority(in: folder)
        let files = try await authority.certificate(name: "IP:127.0.0.1", days: 1)
        let tls = ["--certificate", files.chain, "--key", files.key]
        let first = try await RelayProcess.start(data: folder.file("relay"), tls: tls)
        let alice = Person(name: "alice", home: folder.file("home"), relay: first.url)
        expect(try await join(alice, trusting: authority), 0)
        try await alice.done("room", "create", "kitchen")
        try await alice.done("send", "kitchen", "in time")
        let (watch, chat) = (try alice.watch(), try alice.chat("kitchen"))
        #expect(try await watch.line(with: "connected") != nil)
        #expect(try await chat.see("connected"), "\(chat.view)")
        _ = try await first.stop()
        _ = try await authority.certificate(name: "IP:127.0.0.1", days: -1)
        let late = try await RelayProcess.start(data: folder.file("relay"), at: first.url, tls: tls)
        let words = "the server's certificate has expired: whoever runs the relay renews it"
        #expect(try await watch.line(with: words) != nil)
        #expect(try await chat.see("the server's certificate has expired"), "\(chat.view)")
        expect(try await alice.run("read", "kitchen"), 6, "in time", words)
        expect(try await alice.run("send", "kitchen", "later"), 7, "kept: " + words)
        _ = try await late.stop()
        _ = try await authority.certificate(name: "IP:127.0.0.1", days: 1)
        let again = try await RelayProcess.start(data: folder.file("relay"), at: first.url, tls: tls)
        #expect(try await watch.line(with: "alice: later") != nil)
        let isSent = try await chat.see { screen in
            screen.rows.contains { !$0.hasPrefix("wait ") && $0.hasSuffix("alice: later") }
        }
        #expect(isSent, "\(chat.view)")
        watch.signal(SIGTERM)
        _ = try await watch.end()
        chat.type("\u{4}")
        #expect(try await chat.see("ended 0: as before"), "\(chat.view)")
        #expect(try await again.stop().status == 0)
    }

    @Test func outOfDate() async throws {
        let turn = await Turn.take()
        defer { withExtendedLifetime(turn) {} }
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority(in: folder)
        let files = try await authority.certificate(name: "IP:127.0.0.1", days: -1)
        let tls = ["--certificate", files.chain, "--key", files.key, "--log", "json"]
        let late = try await RelayProcess.start(data: folder.file("relay"), tls: tls)
        #expect(try await late.program.complaint(with: "certificate_expired") != nil)
        #expect(try await late.stop().status == 0)

        // From here on it is always the same two files, with another certificate in them.
        _ = try await authority.certificate(name: "IP:127.0.0.1", days: 30)
        let relay = try await RelayProcess.start(data: folder.file("relay"), tls: tls)
        relay.program.signal(SIGHUP)
        #expect(try await relay.program.complaint(with: "certificate_read") != nil)
        _ = try await authority.certificate(name: "IP:127.0.0.1", days: -1)
        relay.program.signal(SIGHUP)
        #expect(try await relay.program.complaint(with: "certificate_expired") != nil)
        let result = try await relay.stop()
        #expect(result.status == 0)
        let told = result.errors.split(separator: "\n").filter { $0.contains("certificate_") }
        #expect(told.count == 3 && told[0].contains("certificate_read"), "\(result)")
    }

    @Test func anAuthorityThatIsNotThere() async throws {
        let folder = try TemporaryFolder()
        let missing = folder.file("nowhere.pem")
        let alice = Person(name: "alice", home: folder.file("home"), relay: "https://127.0.0.1:1")
        let result = try await Program.result(
            of: "mildam",
            ["-p", "alice", "account", "create", "alice", "--password-file", "-", "--authority", missing],
            input: alice.password + "\n",
            environment: ["MILDAM_HOME": alice.home, "MILDAM_RELAY": alice.relay]
        )
        expect(result, 4, "cannot open \(missing): No such file or directory")
    }

    private func join(_ person: Person, trusting authority: TestAuthority) async throws -> Program.Result {
        try await Program.result(
            of: "mildam",
            [
                "-p", person.name, "account", "create", person.name, "--password-file", "-", "--authority",
                authority.file,
            ],
            input: person.password + "\n",
            environment: ["MILDAM_HOME": person.home, "MILDAM_RELAY": person.relay]
        )
    }
}
