import Foundation
import HouseSupport
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

/// The relay as a client finds it: gone, slow to answer, or with a certificate that proves nothing.
@Suite("Reaching the relay")
struct ReachTests {
    @Test func nobodyThere() async throws {
        let house = try await House.open(isEmpty: true)
        let alice = house.person("alice")
        try await house.kill()
        expect(
            try await alice.run("account", "create", "alice", "--password-file", "-", input: "password\n"),
            7,
            "cannot reach 127.0.0.1"
        )
        #expect(!FileManager.default.fileExists(atPath: alice.home), "nothing was made")
        expect(try await alice.run("account", "show"), 4)
        try await house.restart()
        try await alice.create()
        try await alice.done("room", "create", "kitchen")
        try await house.kill()
        for command in [
            ["room", "create", "attic"], ["read", "kitchen"], ["room", "invite", "kitchen", "bob"],
        ] {
            let result = try await Program.result(
                of: "mildam",
                ["-p", "alice"] + command,
                environment: ["MILDAM_HOME": alice.home]
            )
            expect(result, 7, "cannot reach 127.0.0.1")
        }
        expect(try await alice.run("room", "list"), 0, "kitchen", "this is what is here: cannot reach 127.0.0.1")
        expect(try await alice.run("read", "kitchen", "--offline"), 0)
    }

    @Test(arguments: ["chat.example.org", "ftp://127.0.0.1", "http://127.0.0.1:99999", "https://user@host", ""])
    func noAddress(_ address: String) async throws {
        let folder = try TemporaryFolder()
        let alice = Person(name: "alice", home: folder.path, relay: address)
        let result = try await alice.run("account", "create", "alice", "--password-file", "-", input: "password\n")
        #expect(result.status != 0 && result.errors.split(separator: "\n").count <= 2, "\(result)")
        #expect(!FileManager.default.fileExists(atPath: alice.folder), "nothing was made")
    }

    @Test(arguments: ["http://chat.example.org", "http://192.0.2.1:8080", "http://[2001:db8::1]"])
    func inClear(_ address: String) async throws {
        let folder = try TemporaryFolder()
        let alice = Person(name: "alice", home: folder.path, relay: address)
        let result = try await alice.run("account", "create", "alice", "--password-file", "-", input: "password\n")
        expect(result, 6, "would send passwords and tokens in clear")
        #expect(!FileManager.default.fileExists(atPath: alice.folder), "nothing was made")
    }

    /// Answers that are lost on the way back: what was asked for is done once, and the log of the room says that it is done.
    @Test func lostAnswers() async throws {
        let house = try await House.open(isEmpty: true)
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice", at: proxy.url), house.person("bob"))
        try await bob.create()
        @Sendable func loseAnswers(to lost: @escaping @Sendable (String) -> Bool) {
            proxy.tamper { route, _, answer in
                lost(route) ? HTTPResponse(status: 502) : answer
            }
        }

        loseAnswers { Routes.register ~= $0 }
        let made = try await alice.run(
            "account",
            "create",
            "alice",
            "--password-file",
            "-",
            input: alice.password + "\n"
        )
        #expect(made.status != 0)
        proxy.behave()
        try await alice.create()

        try await alice.done("room", "create", "kitchen")
        loseAnswers { Routes.sendToGroup ~= $0 }
        try await alice.done("send", "kitchen", "said once")
        try await alice.done("room", "invite", "kitchen", "bob")
        proxy.behave()
        try await bob.join("kitchen")

        loseAnswers { Routes.sendToGroup ~= $0 }
        try await alice.done("room", "remove", "kitchen", "bob")
        proxy.behave()
        try await alice.done("send", "kitchen", "without bob")
        let texts = try await alice.texts("kitchen")
        #expect(texts == ["said once", "without bob"])
        expect(try await bob.run("read", "kitchen"), 0, "you are not, or no longer, a member of kitchen")
    }

    enum Certificate: String, CaseIterable, Sendable {
        case good, unknownAuthority, wrongName, expired

        var words: String {
            switch self {
            case .good: "alice"
            case .unknownAuthority: "no trusted authority signed the server's certificate"
            case .wrongName: "the server's certificate is for another name"
            case .expired: "the server's certificate has expired: whoever runs the relay renews it"
            }
        }
    }

    @Test(arguments: Certificate.allCases)
    func certificates(_ certificate: Certificate) async throws {
        let turn = await Turn.take()
        defer { withExtendedLifetime(turn) {} }
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority(in: folder)
        let files = try await authority.certificate(
            name: certificate == .wrongName ? "DNS:chat.example.org" : "IP:127.0.0.1",
            days: certificate == .expired ? -1 : 1
        )
        let relay = try await RelayProcess.start(
            data: folder.file("relay"),
            tls: ["--certificate", files.chain, "--key", files.key]
        )
        #expect(relay.url.hasPrefix("https://"))
        let alice = Person(name: "alice", home: folder.file("home"), relay: relay.url)
        let trust = certificate == .unknownAuthority ? [] : ["--authority", authority.file]
        let arguments = ["account", "create", "alice", "--password-file", "-"] + trust
        let result = try await Program.result(
            of: "mildam",
            ["-p", "alice"] + arguments,
            input: alice.password + "\n",
            environment: ["MILDAM_HOME": alice.home, "MILDAM_RELAY": relay.url]
        )
        expect(result, certificate == .good ? 0 : 6, certificate.words)
        guard certificate == .good else {
            // Nothing of the password, not even what is derived from it, has left; and nothing was made.
            expect(try await alice.run("account", "show"), 4)
            #expect(!FileManager.default.fileExists(atPath: alice.home))
            return
        }
        // The authority is remembered, and everything runs over TLS.
        try await alice.done("room", "create", "kitchen")
        let watch = try alice.start("watch")
        #expect(try await watch.complaint(with: "connected") != nil)
        try await alice.done("send", "kitchen", "over TLS")
        #expect(try await watch.line(with: "over TLS") != nil)
        watch.signal(15)
        _ = try await watch.end()

        // The same address with a certificate of somebody else's: refused from then on, and what is said stays here.
        try await relay.kill()
        let impostor = try await TestAuthority(in: folder, name: "impostor")
        let forged = try await impostor.certificate(name: "IP:127.0.0.1", days: 1)
        let second = try await RelayProcess.start(
            data: folder.file("relay"),
            at: relay.url,
            tls: ["--certificate", forged.chain, "--key", forged.key]
        )
        expect(try await alice.run("send", "kitchen", "for whom?"), 7, Certificate.unknownAuthority.words)
        expect(try await alice.run("read", "kitchen"), 6, Certificate.unknownAuthority.words)
        #expect(try await alice.outboxTexts() == ["for whom?"])
        try await alice.done("client", "stop")
        withExtendedLifetime(second) {}
    }

    /// Plain HTTP is not spoken to a relay on TLS, nor TLS to one without.
    @Test func theWrongScheme() async throws {
        let house = try await House.open(isEmpty: true)
        let secure = house.relay.url.replacingOccurrences(of: "http:", with: "https:")
        let alice = Person(name: "alice", home: house.folder.file("home"), relay: secure)
        let result = try await alice.run("account", "create", "alice", "--password-file", "-", input: "password\n")
        #expect([6, 7].contains(result.status), "\(result)")
        expect(try await alice.run("account", "show"), 4)
    }
}
