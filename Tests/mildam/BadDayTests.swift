import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// A day on which something is the matter with the machine: each family of commands says in one line what it is and what to
/// do, ends with the status of the table, and loses nothing.
@Suite("A bad day", .timeLimit(.minutes(3)))
struct BadDayTests {
    private enum Family { case account, newcomer, room, send, keychain, vault, otp, file, relay }

    private struct Command {
        let family: Family
        let words: [String]
        var input: String?
        var writes = true
        var asksRelay = false
    }

    /// alice with an account, a room and a vault, somebody's keychain with a token in it, a place for zoe, who has nothing yet,
    /// and a relay that is not running, all in one place; the relay that alice is at is elsewhere.
    private struct Scene {
        let house: House
        let home: String
        let alice: Person
        let keys: Person
        let zoe: Person
        let recipient: String
        let plain: String

        static func set(in home: String) async throws -> Scene {
            let house = try await House.open()
            let alice = Person(name: "alice", home: home, relay: house.relay.url)
            try await house.settle(alice)
            try await alice.done("room", "create", "kitchen")
            for text in ["one", "two"] { try await alice.done("send", "kitchen", text) }
            try await alice.done("vault", "init")
            try await alice.done("vault", "add", "-", "--as", "note", input: "a note")
            let keys = Person(
                name: "keys",
                home: home,
                relay: "",
                environment: [
                    "MILDAM_PASSPHRASE": "correct horse", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
                ]
            )
            try await makeKeychain(in: keys.folder)
            try await keys.done("keychain", "set", "a", "b", input: "secret")
            try await keys.done("otp", "add", "--issuer", "ACME", "--account", "bob", input: "JBSWY3DPEHPK3PXP")
            #expect(try await RelayProcess.start(data: home + "/relay").stop().status == 0)
            let plain = house.folder.file("plain")
            try Data("plain".utf8).write(to: URL(fileURLWithPath: plain))
            let key = try await alice.done("file", "keygen", "-o", house.folder.file("key"))
            return Scene(
                house: house,
                home: home,
                alice: alice,
                keys: keys,
                zoe: Person(name: "zoe", home: home, relay: house.relay.url),
                recipient: key.trimmingCharacters(in: .whitespacesAndNewlines),
                plain: plain
            )
        }

        func commands(of day: String) -> [Command] {
            let login = ["account", "login", "--password-file", "-"]
            return [
                Command(family: .account, words: login, input: alice.password + "\n", asksRelay: true),
                Command(family: .account, words: ["account", "show"], writes: false),
                Command(
                    family: .newcomer,
                    words: ["account", "create", "zoe", "--password-file", "-"],
                    input: zoe.password + "\n",
                    asksRelay: true
                ),
                Command(family: .room, words: ["room", "create", "attic"], asksRelay: true),
                Command(family: .room, words: ["room", "list"], writes: false, asksRelay: true),
                Command(family: .send, words: ["send", "kitchen", "of \(day)"], asksRelay: true),
                Command(family: .keychain, words: ["keychain", "set", "a", "c", "--replace"], input: day),
                Command(family: .keychain, words: ["keychain", "get", "a", "b"], writes: false),
                Command(family: .vault, words: ["vault", "add", "-", "--as", day], input: "of \(day)"),
                Command(family: .vault, words: ["vault", "list"], writes: false),
                Command(
                    family: .otp,
                    words: ["otp", "add", "--issuer", "B", "--account", day],
                    input: "GEZDGNBVGY3TQOJQGEZDGNBV"
                ),
                Command(family: .otp, words: ["otp", "code", "ACME"], writes: false),
                Command(
                    family: .file,
                    words: ["file", "encrypt", "-r", recipient, "-o", "\(home)/\(day).age", plain]
                ),
                Command(family: .relay, words: ["invite", "--data", home + "/relay"]),
                Command(family: .relay, words: ["user", "list", "--data", home + "/relay"], writes: false),
            ]
        }

        func run(_ command: Command, _ more: [String: String] = [:]) async throws -> Program.Result {
            let person =
                switch command.family {
                case .keychain, .otp: keys
                case .newcomer: zoe
                default: alice
                }
            return try await Program.result(
                of: command.family == .relay ? "mildam-relay" : "mildam",
                command.words,
                input: command.input,
                environment: person.variables.merging(more) { $1 }
            )
        }

        /// The session that alice's profile has with the relay.
        func session() async throws -> String? {
            struct Session: Decodable {
                var session: String
                var isCurrent: Bool
            }
            let output = try await alice.done("account", "sessions", "--json")
            return try JSONDecoder().decode([Session].self, from: Data(output.utf8)).first(where: \.isCurrent)?.session
        }

        /// Whether what a command was to make on that day is there, as another command reads it; `nil` of what is not looked at.
        ///
        /// - Parameters:
        ///   - result: how the command ended.
        ///   - hasNewSession: whether alice was logged in again on that day.
        func hasMade(
            _ command: Command,
            of day: String,
            _ result: Program.Result,
            hasNewSession: Bool
        ) async throws -> Bool? {
            guard command.writes else { return nil }
            switch command.family {
            case .keychain: return try await keys.run("keychain", "get", "a", "c").output == day
            case .otp: return try await keys.run("otp", "list").output.contains("B:\(day)")
            case .vault: return try await alice.run("vault", "get", day).output == "of \(day)"
            case .send: return try await alice.texts("kitchen").contains("of \(day)")
            case .newcomer: return FileManager.default.fileExists(atPath: zoe.folder)
            case .file:
                let key = house.folder.file("key")
                return try await alice.run("file", "decrypt", "-i", key, "\(home)/\(day).age").output == "plain"
            case .relay: return try await isGood(result.output, of: day)
            case .account: return hasNewSession
            case .room: return nil
            }
        }

        /// Whether somebody makes an account with an invitation of the relay that is not running.
        private func isGood(_ invitation: String, of day: String) async throws -> Bool {
            guard !invitation.isEmpty else { return false }
            let relay = try await RelayProcess.start(data: home + "/relay", ["--registration", "invite"])
            let guest = Person(name: "guest", home: house.folder.file("guest-\(day)"), relay: relay.url)
            let file = house.folder.file("invitation-\(day)")
            try invitation.write(toFile: file, atomically: true, encoding: .utf8)
            let made = try await guest.run(
                "account",
                "create",
                "guest",
                "--password-file",
                "-",
                "--invitation-file",
                file,
                input: guest.password + "\n"
            )
            #expect(try await relay.stop().status == 0)
            return made.status == 0
        }

        /// An agent and a client hold files open, and may know what they were told on another day.
        func endAgents() async throws {
            try await keys.run("lock", "--stop")
            try await alice.run("client", "stop")
        }

        /// Everything that was there before the bad day is there after it.
        func expectNothingLost() async throws {
            try await alice.done("account", "login", "--password-file", "-", input: alice.password + "\n")
            let texts = try await alice.texts("kitchen")
            #expect(Array(texts.prefix(2)) == ["one", "two"])
            expect(try await alice.run("vault", "get", "note"), 0, "a note")
            expect(try await alice.run("vault", "verify"), 0)
            expect(try await keys.run("keychain", "get", "a", "b"), 0, "secret")
            expect(try await keys.run("otp", "list"), 0, "ACME")
            expect(try await run(Command(family: .relay, words: ["user", "list", "--data", home + "/relay"])), 0)
            try await endAgents()
        }
    }

    private enum DiskFault: String, CaseIterable {
        case full, readOnly, anothers

        var status: Int32 { self == .full ? 1 : 6 }

        /// The cause and the way on.
        var words: String {
            switch self {
            case .full: "make room"
            case .readOnly: "for reading only"
            case .anothers: "belongs to another user"
            }
        }

        func begin(on disk: SmallDisk) throws {
            switch self {
            case .full: disk.fill()
            case .readOnly: try disk.protect()
            case .anothers: #expect(unsafe chown(disk.path, 65_534, 65_534) == 0)
            }
        }

        func end(on disk: SmallDisk) throws {
            switch self {
            case .full: try disk.clear()
            case .readOnly: try disk.unprotect()
            case .anothers: #expect(unsafe chown(disk.path, 0, 0) == 0)
            }
        }
    }

    /// The disk of everything is full, is mounted for reading only, or is somebody else's.
    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func theDisk() async throws {
        let disk = try SmallDisk(kilobytes: 32_768)
        let scene = try await Scene.set(in: disk.path)
        try await scene.endAgents()
        for fault in DiskFault.allCases {
            let day = fault.rawValue
            var outcomes: [(command: Command, result: Program.Result)] = []
            let session = try await scene.session()
            try await scene.endAgents()
            try fault.begin(on: disk)
            for command in scene.commands(of: day) {
                // What the command before gave back is taken.
                if fault == .full { disk.fill() }
                let result = try await scene.run(command)
                outcomes.append((command, result))
                guard result.status == 0 else {
                    expect(result, fault.status, fault.words)
                    continue
                }
                // What only reads may do so; a log may have room already; and root may write to anybody's folder that is no
                // profile.
                let hasLog = [.account, .keychain, .otp, .relay].contains(command.family)
                let mayWrite = fault == .full && hasLog || fault == .anothers && command.family == .file
                #expect(!command.writes || mayWrite, "\(fault) \(command.words): \(result)")
            }
            if fault != .full { try await expectNoRelay(at: scene.home + "/relay", fault) }
            try await scene.endAgents()
            try fault.end(on: disk)
            let hasNewSession = try await scene.session() != session
            try await scene.expectNothingLost()
            // What was said to be done is done, and what was refused has left nothing.
            for (command, result) in outcomes {
                let made = try await scene.hasMade(command, of: day, result, hasNewSession: hasNewSession)
                guard let isMade = made else { continue }
                #expect(isMade == (result.status == 0), "\(fault) \(command.words): \(result)")
            }
            try await scene.endAgents()
        }
        withExtendedLifetime(disk) {}
    }

    /// A relay does not begin to serve there.
    private func expectNoRelay(at data: String, _ fault: DiskFault) async throws {
        let relay = try Program("mildam-relay", ["serve", "--data", data, "--listen", "127.0.0.1:0"])
        #expect(try await relay.line(with: "listening on") == nil)
        relay.signal(SIGKILL)
        expect(try await relay.end(), fault.status, fault.words)
    }

    /// The clock is a day off. Where the relay minds, that is said; nothing else does.
    @Test(arguments: Cases.drawn(1, of: [-100_000, 100_000] as [Int64], for: "clocks on a bad day"))
    func theClock(_ seconds: Int64) async throws {
        let folder = try TemporaryFolder()
        let scene = try await Scene.set(in: folder.path)
        let shifted = try ShiftedClock.environment(seconds: seconds)
        // A token that is still good would be taken whatever the clock says.
        try await scene.alice.letAccessEnd()
        // A client that a command starts has nothing of its environment.
        var alice = scene.alice
        alice.environment = shifted
        let client = try await RunningClient.start(alice)
        for command in scene.commands(of: "clock") {
            let result = try await scene.run(command, shifted)
            guard command.asksRelay else {
                expect(result, 0)
                continue
            }
            let side = seconds > 0 ? "ahead of" : "behind"
            // What is here is shown, and what is said is kept.
            let status: Int32 = !command.writes ? 0 : command.family == .send ? 7 : 6
            expect(result, status, "this machine's clock is 1 d 3 h \(side) the relay's", "timedatectl set-ntp true")
            #expect(!result.errors.contains("password"), "\(result)")
        }
        #expect(!FileManager.default.fileExists(atPath: scene.zoe.folder), "nothing was made")
        try await client.stop()
        try await scene.endAgents()
        try await scene.expectNothingLost()
        try await expectSaidOnce("of clock", by: scene.alice)
        try await scene.endAgents()
    }

    /// The relay is away: what needs it says so, what is written waits, and all else goes on.
    @Test func theRelayIsAway() async throws {
        let folder = try TemporaryFolder()
        let scene = try await Scene.set(in: folder.path)
        try await scene.house.kill()
        for command in scene.commands(of: "away") {
            let result = try await scene.run(command)
            switch (command.asksRelay, command.family) {
            case (false, _): expect(result, 0)
            case (true, .send): expect(result, 7, "kept: the relay cannot be reached now")
            case (true, _):
                let status: Int32 = command.writes ? 7 : 0
                expect(result, status, "cannot reach 127.0.0.1", "see `mildam doctor`")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: scene.zoe.folder), "nothing was made")
        try await scene.house.restart()
        try await scene.expectNothingLost()
        try await expectSaidOnce("of away", by: scene.alice)
        try await scene.endAgents()
    }

    /// What was kept goes out by itself, once.
    private func expectSaidOnce(_ text: String, by person: Person) async throws {
        try await waitUntil { try await person.texts("kitchen").contains(text) }
        let texts = try await person.texts("kitchen")
        #expect(texts.count { $0 == text } == 1, "\(texts)")
    }
}
