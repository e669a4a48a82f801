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
            let columns = Self.columns(finding)
            #expect(line.hasPrefix(columns), "\(lines)", sourceLocation: sourceLocation)
            #expect(line.dropFirst(columns.count).first != " ", "\(lines)", sourceLocation: sourceLocation)
        }
        return findings
    }

    /// What a line begins with: the words of all findings stand in one column behind it.
    private static func columns(_ finding: Finding) -> String {
        func padded(_ text: String, to width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        return "\(padded(finding.verdict.rawValue, to: 9)) \(padded(finding.step.rawValue, to: 11)) "
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

    /// The clock is passed in: two hours are off what the relay's says, and what it takes.
    @Test(arguments: Cases.drawn(2, of: [-7200, -150, -65, 65, 7200] as [Int64], for: "clocks that are looked at"))
    func clocks(_ seconds: Int64) async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let clock = WallClock { WallClock.system.milliseconds + seconds * 1000 }
        let findings = await Messenger(profile: alice.profile, clock: clock).diagnose()
        let found = try #require(findings.first { $0.step == .clock })
        #expect(found.verdict == .wrong && found.fault == .other, "\(findings)")
        #expect(found.found.contains(seconds > 0 ? "ahead of the relay's" : "behind the relay's"), "\(found)")
        #expect(found.found.contains(abs(seconds) == 7200 ? " h " : " min "), "\(found)")
        let session = try #require(findings.first { $0.step == .session })
        // Proofs may be ten minutes off.
        #expect(session.verdict == (abs(seconds) == 7200 ? .wrong : .ok), "\(session)")
        #expect(session.remedy == (abs(seconds) == 7200 ? "set the clock first, see above" : nil), "\(session)")
        let near = WallClock { WallClock.system.milliseconds + seconds.signum() * 50_000 }
        #expect(await Messenger(profile: alice.profile, clock: near).diagnose().allSatisfy { $0.verdict == .ok })
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
        #expect(try await findings(of: alice, 0).count == Finding.Step.allCases.count)
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
        // It holds the profile.
        try await alice.done("client", "stop")
        try #require(unsafe mkdir(alice.folder + "/vault", 0o700) == 0)
        for (name, mode, usual, words) in [
            ("", 0o750, 0o700, "open to others"), ("/root.key", 0o640, 0o600, "open to others"),
            ("/messenger.db", 0o604, 0o600, "open to others"), ("/vault", 0o755, 0o700, "open to others"),
            ("/root.key", 0o400, 0o600, "closed to its owner"), ("/vault", 0o600, 0o700, "closed to its owner"),
        ] {
            _ = unsafe chmod(alice.folder + name, mode_t(mode))
            // A folder that is open is not looked into.
            let remedy = name.isEmpty ? "chmod 700 '\(alice.folder)'" : "chmod -R u+rwX,go= '\(alice.folder)'"
            expect(try await findings(of: alice, 1), wrong: .profile, alice.folder + name, words, remedy)
            _ = unsafe chmod(alice.folder + name, mode_t(usual))
        }
        for name in ["/root.key", "/vault"] { _ = unsafe chmod(alice.folder + name, 0o755) }
        expect(try await findings(of: alice, 1), wrong: .profile, "and 1 more of its files and folders")
        let mended = try await Program.result(of: "chmod", ["-R", "u+rwX,go=", alice.folder])
        #expect(mended.status == 0)
        _ = unsafe chmod(alice.folder + "/root.key", 0o600)
        #expect(try await findings(of: alice, 0).allSatisfy { $0.verdict == .ok })
        let lock = try ProcessLock(waitingFor: alice.folder + "/lock")
        expect(try await findings(of: alice, 1), wrong: .profile, "another program holds")
        _ = consume lock
        try WholeFile.write([UInt8](repeating: 0, count: 32).span, to: alice.folder + "/root.key")
        let damaged = try await findings(of: alice, 5)
        expect(damaged, wrong: .profile, "root key is not the one")
        #expect(notTried(damaged).count == 15)
    }

    /// A full disk, and one that is mounted for reading only: said as such, and no login is advised.
    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func theDisk() async throws {
        let disk = try SmallDisk(kilobytes: 16_384)
        let house = try await House.open()
        let alice = Person(name: "alice", home: disk.path, relay: house.relay.url)
        try await house.settle(alice)
        try await alice.done("room", "create", "kitchen")
        #expect(try await findings(of: alice, 0).allSatisfy { $0.verdict == .ok })
        disk.fill()
        let full = try await findings(of: alice, 1)
        let found = try #require(full.first { $0.step == .disk })
        #expect(found.verdict == .wrong && found.found.contains("is full: 0 MiB are free"), "\(full)")
        #expect(found.remedy == "make room on it")
        #expect(full.allSatisfy { $0.remedy?.contains("account login") != true }, "\(full)")
        try disk.clear()
        #expect(try await findings(of: alice, 0).allSatisfy { $0.verdict == .ok })
        // A disk on which somebody has a file open for writing stays as it is.
        try await alice.done("client", "stop")
        try disk.protect()
        let protected = try await findings(of: alice, 1)
        #expect(
            protected.first { $0.step == .disk }?.found.contains("mounted for reading only") == true,
            "\(protected)"
        )
        withExtendedLifetime(disk) {}
    }

    /// Changes the database of a profile behind its back.
    private func change(_ person: Person, _ sql: String) async throws -> String {
        let result = try await Program.result(of: "sqlite3", [person.folder + "/messenger.db", sql])
        try #require(result.status == 0, "\(result)")
        return result.output
    }

    /// A value or a key that was changed, and a page that is none.
    @Test(.enabled(if: Program.areExpected(["sqlite3"], from: "sqlite3")))
    func theDatabase() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        try await alice.done("send", "kitchen", "hello")
        try await alice.done("read", "kitchen")
        // It has the file open.
        try await alice.done("client", "stop")
        for (table, last) in [
            ("room_entries", "WHERE place = (SELECT max(place) FROM room_entries)"),
            ("mls_keys", "WHERE number = (SELECT max(number) FROM mls_keys)"),
        ] {
            let value = try await change(alice, "SELECT hex(value) FROM \(table) \(last)")
            _ = try await change(alice, "UPDATE \(table) SET value = zeroblob(length(value)) \(last)")
            expect(try await findings(of: alice, 5), wrong: .database, "1 of ", "do not open", "backup")
            let hex = value.trimmingCharacters(in: .whitespacesAndNewlines)
            try #require(!hex.isEmpty)
            _ = try await change(alice, "UPDATE \(table) SET value = x'\(hex)' \(last)")
        }

        let places = try await change(
            alice,
            "PRAGMA wal_checkpoint(TRUNCATE); "
                + "SELECT rootpage FROM sqlite_schema WHERE name = 'envelopes'; PRAGMA page_size"
        ).split(separator: "\n").compactMap { Int($0) }
        try #require(places.count == 2)
        let page = (places[0] - 1) * places[1]..<places[0] * places[1]
        let file = URL(fileURLWithPath: alice.folder + "/messenger.db")
        func put(_ content: Data) throws {
            var bytes = try Data(contentsOf: file)
            bytes.replaceSubrange(page, with: content)
            try bytes.write(to: file)
        }
        let whole = try Data(contentsOf: file)[page]
        try put(Data(repeating: 0xA5, count: page.count))
        expect(try await findings(of: alice, 5), wrong: .database, "is damaged", "restore it from a backup")
        try put(whole)
        #expect(try await findings(of: alice, 0).allSatisfy { $0.verdict == .ok })
    }

    /// A relay whose data is an older copy is given back what it lacks: then nothing is wrong. Nor is it with a room that has
    /// messages that nobody has read here.
    @Test func aRelayThatWasPutBack() async throws {
        let house = try await House.open()
        let people = try await house.people("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        try await house.room("kitchen", of: people)
        try await alice.done("client", "stop")
        try await bob.done("send", "kitchen", "not read")
        #expect(try await findings(of: alice, 0).allSatisfy { $0.verdict == .ok })

        for person in people { try await person.begin(reading: "kitchen") }
        try await house.copy(house.data)
        for text in ["one", "two"] { try await alice.done("send", "kitchen", text) }
        try await house.putBack(house.data)
        try await waitUntil { try await bob.texts("kitchen") == ["not read", "one", "two"] }
        for person in people {
            #expect(try await findings(of: person, 0).allSatisfy { $0.verdict == .ok })
        }
    }

    /// On a terminal what was found stays beside its step.
    @Test func inATerminal() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await house.kill()
        let session = try TerminalSession(
            "\"$@\"; echo that was all; read -r line",
            [try Program.find("mildam"), "doctor"],
            environment: alice.variables.merging(["TERM": "xterm"]) { $1 },
            columns: 60
        )
        #expect(try await session.see("that was all"), "\(session.view)")
        let rows = session.rows.filter { $0 != "that was all" && !$0.isEmpty }
        let verdicts = ["ok ", "wrong ", "not tried "]
        let indent = 22
        for row in rows {
            let isFirst = verdicts.contains { row.hasPrefix($0) }
            #expect(isFirst || row.hasPrefix(String(repeating: " ", count: indent)), "\(row)\n\(session.view)")
            let found = row.dropFirst(indent - 1)
            #expect(found.first == " " && found.dropFirst().first != " ", "\(row)\n\(session.view)")
            #expect(row.count <= 60)
        }
        #expect(rows.count { row in verdicts.contains { row.hasPrefix($0) } } == Finding.Step.allCases.count)
        #expect(rows.contains { !$0.hasPrefix("ok") && $0.hasPrefix(" ") }, "something was broken: \(session.view)")
    }
}
