import Foundation
import HouseSupport
import MildamIdentity
import MildamMessenger
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

/// What `mildam doctor` finds: the fault that is there, at the step where it is, and nothing else.
@Suite("Doctor")
struct DoctorTests {
    private struct Answer: Decodable {
        var findings: [Finding]
    }

    /// The doctor's findings, as programs get them and as people do, held against each other.
    private func findings(
        of person: Person,
        _ status: Int32,
        _ arguments: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Finding] {
        @Sendable func run(_ more: [String]) async throws -> Program.Result {
            try await Program.result(of: "mildam", ["doctor"] + arguments + more, environment: person.variables)
        }
        // Both at once: where a profile is held by another, each waits for it.
        async let asked = run([])
        let json = try await run(["--json"])
        let lines = try await asked
        #expect(lines.status == status && json.status == status, "\(lines)", sourceLocation: sourceLocation)
        #expect(lines.errors.isEmpty, "\(lines)", sourceLocation: sourceLocation)
        let findings = try JSONDecoder().decode(Answer.self, from: Data(json.output.utf8)).findings
        let shown = lines.output.split(separator: "\n")
        #expect(shown.count == findings.count, "a line each: \(lines)", sourceLocation: sourceLocation)
        for (line, finding) in zip(shown, findings) {
            #expect(line.hasPrefix(finding.verdict.rawValue), "\(lines)", sourceLocation: sourceLocation)
            #expect(line.contains(" \(finding.step.rawValue) "), "\(lines)", sourceLocation: sourceLocation)
        }
        return findings
    }

    /// Wants one step wrong, with these words; what is before it well, and what needs it not tried.
    private func expect(
        _ findings: [Finding],
        wrong step: Finding.Step,
        _ words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let wrong = findings.filter { $0.verdict == .wrong }
        #expect(wrong.map(\.step) == [step], "\(findings)", sourceLocation: sourceLocation)
        for word in words {
            let said = wrong.map { $0.found + "; " + ($0.remedy ?? "") }.joined()
            #expect(said.contains(word), "\"\(word)\" is missing: \(said)", sourceLocation: sourceLocation)
        }
    }

    private func notTried(_ findings: [Finding]) -> [Finding.Step] {
        findings.filter { $0.verdict == .notTried }.map(\.step)
    }

    @Test func allIsWell() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        try await house.room("kitchen", of: people)
        let alice = people[0]
        let before = try await alice.messages("kitchen").count
        let findings = try await findings(of: alice, 0)
        #expect(findings.map(\.step) == Finding.Step.allCases)
        #expect(findings.allSatisfy { $0.verdict == .ok && $0.remedy == nil && $0.fault == nil }, "\(findings)")
        #expect(try await alice.messages("kitchen").count == before)

        // No token, and no key.
        let said = findings.map { $0.found + ($0.remedy ?? "") }.joined()
        #expect(try await !said.contains(alice.tokens().access))

        // Only the way, without a profile.
        let stranger = house.person("stranger")
        let way: [Finding.Step] = [.address, .name, .connection, .certificate, .answer, .clock]
        #expect(try await self.findings(of: stranger, 0).map(\.step) == way)
        #expect(try await self.findings(of: stranger, 0, ["--relay", house.relay.url]).map(\.step) == way)
        #expect(!FileManager.default.fileExists(atPath: stranger.folder), "asking makes no profile")
        let alone = Person(name: "alone", home: stranger.home, relay: "")
        expect(try await self.findings(of: alone, 1), wrong: .profile, "no account", "mildam account create")
        #expect(try await alone.run("doctor", "--authority", "x.pem").status == 2)
    }

    @Test func nobodyThere() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let alice = people[0]
        try await house.room("kitchen", of: people)
        try await house.kill()
        try await alice.run("send", "kitchen", "later")
        let findings = try await findings(of: alice, 7)
        expect(findings, wrong: .connection, "cannot reach 127.0.0.1", "see that the relay runs")
        #expect(notTried(findings) == [.certificate, .answer, .clock, .relay, .session, .identity, .live, .rooms])
        #expect(findings.suffix(2).first?.found == "1 to be sent once the relay is reached")
        #expect(findings.last?.found == "the relay is told whom you know and block")
    }

    @Test(arguments: [
        ("chat.example.org", Finding.Step.address, Int32(1), "https://HOST:PORT"),
        ("http://chat.example.org", .address, 1, "in clear"),
        ("https://no-such-host.invalid", .name, 7, "no-such-host.invalid"),
    ])
    func addresses(_ address: String, _ step: Finding.Step, _ status: Int32, _ words: String) async throws {
        let folder = try TemporaryFolder()
        let stranger = Person(name: "stranger", home: folder.path, relay: "")
        expect(try await findings(of: stranger, status, ["--relay", address]), wrong: step, words)
    }

    /// A relay on TLS, and what becomes of its certificate.
    @Test func certificates() async throws {
        let turn = await Turn.take()
        defer { withExtendedLifetime(turn) {} }
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority(in: folder)
        let good = try await authority.certificate(name: "IP:127.0.0.1", days: 2)
        func serve(_ files: (chain: String, key: String), at url: String? = nil) async throws -> RelayProcess {
            try await RelayProcess.start(
                data: folder.file("relay"),
                at: url,
                tls: ["--certificate", files.chain, "--key", files.key]
            )
        }
        var relay = try await serve(good)
        let alice = Person(name: "alice", home: folder.file("home"), relay: relay.url)
        let create = ["account", "create", "alice", "--password-file", "-", "--authority", authority.file]
        let made = try await Program.result(
            of: "mildam",
            create,
            input: alice.password + "\n",
            environment: alice.variables
        )
        #expect(made.status == 0, "\(made)")
        let well = try await findings(of: alice, 0)
        let certificate = try #require(well.first { $0.step == .certificate })
        #expect(
            certificate.found.hasPrefix("CN = relay, signed by CN = Mildam test authority, good until 20"),
            "\(well)"
        )
        let way = ["--relay", relay.url]
        expect(
            try await findings(of: alice, 1, way),
            wrong: .certificate,
            "no authority that this system trusts signed it",
            "--authority"
        )
        #expect(try await findings(of: alice, 0, way + ["--authority", authority.file]).count == 6)
        expect(
            try await findings(of: alice, 1, way + ["--authority", good.key]),
            wrong: .certificate,
            "cannot be used as certificate authorities"
        )

        let stranger = try await TestAuthority(in: folder, name: "stranger")
        for (signer, name, days, words) in [
            (stranger, "IP:127.0.0.1", 2, ["no authority in \(authority.file) signed it"]),
            (authority, "IP:127.0.0.1", -1, ["it expired on 20", "renews it"]),
            (authority, "DNS:chat.example.org", 2, ["is for another name, DNS:chat.example.org", "one for 127.0.0.1"]),
        ] {
            let files = try await signer.certificate(name: name, days: days)
            try await relay.kill()
            relay = try await serve(files, at: relay.url)
            let found = try await findings(of: alice, 1)
            for word in words { expect(found, wrong: .certificate, word) }
            #expect(notTried(found) == [.answer, .clock, .relay, .session, .identity, .live, .rooms])
        }

        // A relay that speaks plain HTTP where TLS is expected.
        try await relay.kill()
        let plain = try await RelayProcess.start(data: folder.file("relay"), at: relay.url)
        expect(try await findings(of: alice, 1), wrong: .certificate, "no TLS handshake", "plain HTTP")
        withExtendedLifetime(plain) {}
    }

    /// The clock is passed in: an hour is off what the relay's says, and what it takes.
    @Test(arguments: [-3600, -150, 3600] as [Int64])
    func clocks(_ seconds: Int64) async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let clock = WallClock { WallClock.system.milliseconds + seconds * 1000 }
        let findings = await Messenger(profile: alice.profile, clock: clock).diagnose()
        let found = try #require(findings.first { $0.step == .clock })
        #expect(found.verdict == .wrong && found.fault == .other, "\(findings)")
        #expect(found.found.contains(seconds > 0 ? "ahead of the relay's" : "behind the relay's"), "\(found)")
        #expect(found.found.contains(abs(seconds) == 3600 ? " h " : "0 h 2 min"), "\(found)")
        let session = try #require(findings.first { $0.step == .session })
        // Proofs may be ten minutes off.
        #expect(session.verdict == (abs(seconds) == 3600 ? .wrong : .ok), "\(session)")
        #expect(session.remedy == (abs(seconds) == 3600 ? "set the clock first, see above" : nil), "\(session)")
        let way = await Messenger.diagnose(relay: house.relay.url, authorityFile: nil, clock: clock)
        expect(way, wrong: .clock, "timedatectl")
        #expect(await Messenger(profile: alice.profile).diagnose().allSatisfy { $0.verdict == .ok })
    }

    /// Another relay at the same address gets no token.
    @Test func anotherRelay() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await house.kill()
        let other = try await RelayProcess.start(data: house.folder.file("other"), at: house.relay.url)
        let findings = try await findings(of: alice, 5)
        expect(findings, wrong: .relay, other.id, house.relay.id, "nothing was told to it")
        #expect(notTried(findings) == [.session, .identity, .live, .rooms])
    }

    @Test func theSession() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("account", "logout")
        let findings = try await findings(of: alice, 1)
        expect(findings, wrong: .session, "it has ended", "mildam account login")
        #expect(notTried(findings) == [.identity, .live, .rooms])
    }

    /// The relay shows another key for the account; a proxy takes no WebSocket.
    @Test func identityAndProxies() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        defer { proxy.stop() }
        let alice = house.person("alice", at: proxy.url)
        try await house.settle(alice)
        #expect(try await findings(of: alice, 0).count == 14)
        proxy.refuseSockets()
        expect(try await findings(of: alice, 1), wrong: .live, "no WebSocket", "Upgrade and Connection")

        let people = try await house.people("bob", "eve")
        let bob = people[0]
        try await bob.takesForItself(people[1])
        expect(try await findings(of: bob, 5), wrong: .identity, "another identity key for bob")
        proxy.tamper { _, _, _ in HTTPResponse(status: 200, body: Array("<html>".utf8)) }
        expect(try await findings(of: alice, 1), wrong: .answer, "no relay of Mildam", "check the port")
    }

    @Test func theProfile() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        for (name, mode, usual) in [("", 0o750, 0o700), ("/root.key", 0o640, 0o600), ("/messenger.db", 0o604, 0o600)] {
            _ = unsafe chmod(alice.folder + name, mode_t(mode))
            let octal = String(usual, radix: 8)
            expect(
                try await findings(of: alice, 1),
                wrong: .profile,
                "open to others",
                "chmod \(octal) '\(alice.folder)\(name)'"
            )
            _ = unsafe chmod(alice.folder + name, mode_t(usual))
        }
        let lock = try ProcessLock(waitingFor: alice.folder + "/lock")
        expect(try await findings(of: alice, 1), wrong: .profile, "another program holds")
        _ = consume lock
        try WholeFile.write([UInt8](repeating: 0, count: 32).span, to: alice.folder + "/root.key")
        let damaged = try await findings(of: alice, 1)
        expect(damaged, wrong: .profile, "root key is not the one")
        #expect(notTried(damaged).count == 13)
    }

    /// A room that the relay's list stops, and what waits for a room that one is not in any more.
    @Test func roomsThatStop() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        defer { proxy.stop() }
        let alice = house.person("alice", at: proxy.url)
        try await house.settle(alice)
        try await alice.done("room", "create", "kitchen")
        try await alice.done("room", "create", "attic")
        let room = try await alice.room("kitchen")
        proxy.tamper { route, _, answer in
            guard Routes.room.names(in: route) == room else { return answer }
            return try answer.changing(RoomState.self) { $0.members.append(.random()) }
        }
        let findings = try await findings(of: alice, 1)
        let rooms = try #require(findings.first { $0.step == .rooms })
        #expect(rooms.verdict == .wrong && rooms.found == "1 of 2 stopped: kitchen", "\(findings)")
        #expect(rooms.remedy?.contains("mildam room mend") == true, "\(findings)")
        try await alice.leavesUnheard("for nobody", in: room)
        proxy.behave()
        let later = try await self.findings(of: alice, 1)
        let outbox = try #require(later.first { $0.step == .outbox })
        #expect(outbox.verdict == .wrong && outbox.remedy?.contains("mildam outbox drop 3") == true, "\(outbox)")
        #expect(later.first { $0.step == .rooms }?.verdict == .ok, "\(later)")
    }
}
