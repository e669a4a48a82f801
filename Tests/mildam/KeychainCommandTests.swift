import Foundation
import Glibc
import HouseSupport
import MildamKeychain
import TestSupport
import Testing

/// `mildam keychain`, `otp`, `unlock` and `lock`, as they are typed.
@Suite("A keychain, at the command line")
struct KeychainCommandTests {
    private let folder: TemporaryFolder
    private static let passphrase = ["MILDAM_PASSPHRASE": "correct horse"]

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs `mildam` with the passphrase, or another one.
    private func mildam(
        _ arguments: String...,
        input: String? = nil,
        environment: [String: String] = KeychainCommandTests.passphrase
    ) async throws -> Program.Result {
        try await mildam(arguments, input: input, environment: environment)
    }

    private func mildam(
        _ arguments: [String],
        input: String? = nil,
        environment: [String: String]
    ) async throws -> Program.Result {
        let home = ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        return try await Program.result(
            of: "mildam",
            arguments,
            input: input,
            environment: home.merging(environment) { $1 }
        )
    }

    /// Runs `mildam` at a terminal, with the passphrase.
    private func terminal(_ arguments: String...) throws -> TerminalSession {
        try TerminalSession(
            "\"$@\"; echo \"ended with $?\"",
            [Program.find("mildam")] + arguments,
            environment: Self.passphrase.merging(
                ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
            ) { $1 },
            columns: 120
        )
    }

    /// Ends the agent that the commands have started, which takes its socket along.
    private func end() async throws {
        #expect(try await mildam("lock", "--stop").status == 0)
        let socket = folder.file("home/default/agent/socket")
        #expect(await eventually { !FileManager.default.fileExists(atPath: socket) }, "the agent goes on")
    }

    @Test func secretsAreKeptPrintedListedAndRemoved() async throws {
        let created = try await mildam("keychain", "create")
        #expect(created.status == 0 && created.output.contains("recovery code"), "\(created)")
        let next = created.output.split(separator: "\n").last
        #expect(next?.contains("`mildam unlock`") == true, "what comes next is said last: \(created)")
        #expect(try await mildam("keychain", "create").status == 6)
        #expect(try await mildam("keychain", "set", "example.org", "alice", input: "hunter2\n").status == 0)
        #expect(try await mildam("keychain", "get", "example.org", "alice").output == "hunter2")
        #expect(try await mildam("keychain", "set", "example.org", "alice", input: "hunter3").status == 0)
        #expect(try await mildam("keychain", "get", "example.org", "alice").output == "hunter3")
        let exact = try await mildam("keychain", "set", "x", "y", "--exact", input: "with a line break\n")
        #expect(exact.status == 0, "\(exact)")
        #expect(try await mildam("keychain", "get", "x", "y").output == "with a line break\n")
        let listed = try await mildam("keychain", "list")
        #expect(listed.output == "password  example.org  alice\npassword  x  y\n", "\(listed)")
        #expect(!listed.output.contains("hunter3"))
        #expect(try await mildam("keychain", "remove", "x", "y").status == 0)
        #expect(try await mildam("keychain", "get", "x", "y").status == 4)
        let verified = try await mildam("keychain", "verify")
        #expect(verified.status == 0 && verified.output.hasPrefix("1 items, 0 damaged"), "\(verified)")
        // The same without the agent, which the audit log says.
        #expect(try await mildam("keychain", "get", "example.org", "alice", "--no-agent").output == "hunter3")
        #expect(try await mildam("keychain", "audit").output.contains("readPastAgent"))
        try await end()
    }

    @Test func aNameThatSeveralGroupsHaveIsRefusedUntilOneIsNamed() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        for group in ["one", "two"] {
            let kept = try await mildam("keychain", "set", "a", "b", "--group", group, input: "of \(group)")
            #expect(kept.status == 0, "\(kept)")
        }
        let refused = try await mildam("keychain", "set", "a", "b", input: "new")
        #expect(refused.status == 6 && refused.errors.contains("#2  password  a  b  two"), "\(refused)")
        for group in ["one", "two"] {
            #expect(try await mildam("keychain", "get", "a", "b", "--group", group).output == "of \(group)")
        }
        #expect(try await mildam("keychain", "set", "a", "b", "--group", "two", input: "new").status == 0)
        #expect(try await mildam("keychain", "get", "a", "b", "--group", "one").output == "of one")
        #expect(try await mildam("keychain", "get", "a", "b", "--group", "two").output == "new")
        // What one group has is changed there.
        #expect(try await mildam("keychain", "set", "c", "d", "--group", "one", input: "old").status == 0)
        #expect(try await mildam("keychain", "set", "c", "d", input: "new").status == 0)
        #expect(try await mildam("keychain", "get", "c", "d", "--group", "one").output == "new")
        #expect(try await mildam("keychain", "list", "c").output == "password  c  d\n")
        try await end()
    }

    @Test func aLockedKeychainAsksAndAWrongPassphraseIsToldApart() async throws {
        #expect(try await mildam("keychain", "get", "a", "b").status == 4, "there is no keychain yet")
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam("keychain", "set", "a", "b", input: "c").status == 0)
        #expect(try await mildam("lock").status == 0)
        let asked = try await mildam("keychain", "get", "a", "b", environment: [:])
        #expect(asked.status == 6 && asked.output.isEmpty && asked.errors.contains("MILDAM_PASSPHRASE"), "\(asked)")
        let wrong = ["MILDAM_PASSPHRASE": "wrong"]
        for _ in 0..<3 { #expect(try await mildam("unlock", environment: wrong).status == 3) }
        // Each further one doubles the pause, until a program begins within it.
        var pause = 0
        for _ in 0..<20 where pause < 4 {
            let answer = try await mildam("unlock", environment: wrong)
            guard answer.status == 6 else {
                #expect(answer.status == 3, "\(answer)")
                continue
            }
            let words = try #require(answer.errors.split(separator: "try again in ").last, "\(answer)")
            pause = try #require(words.split(separator: " ").first.flatMap { Int($0) }, "\(answer)")
            if pause < 4 { try await Task.sleep(for: .seconds(pause)) }
        }
        let limited = try await mildam("unlock")
        #expect(limited.status == 6 && limited.errors.contains("try again in"), "\(limited)")
        try await Task.sleep(for: .milliseconds(pause * 1000 + 200))
        #expect(try await mildam("unlock").status == 0)
        #expect(try await mildam("keychain", "get", "a", "b", environment: [:]).output == "c")
        try await end()
    }

    @Test func lockingSaysWhatStaysAndClosingEndsIt() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam("lock").output == "locked: no agent runs\n")
        #expect(try await mildam("keychain", "set", "a", "b", input: "c").status == 0)
        let names = try await mildam("lock")
        #expect(names.output == "locked; until `mildam lock --close`, names can still be read\n", "\(names)")
        let late = try await mildam("keychain", "set", "d", "e", "--accessible", "first-unlock", input: "f")
        #expect(late.status == 0, "\(late)")
        let item = try await mildam("lock")
        #expect(item.output.contains("names and 1 item can still be read"), "\(item)")
        // The profile's own key is such an item, and what lies under it opens.
        #expect(try await mildam("unlock").status == 0)
        #expect(try await mildam("vault", "init", environment: [:]).status == 0)
        let locked = try await mildam("lock").output
        #expect(locked.contains("names, 2 items and the profile's messages and vault can still be read"), "\(locked)")
        #expect(try await mildam("vault", "list", environment: [:]).status == 0)
        #expect(try await mildam("lock", "--json").output.contains(#""readable":{"items":2,"names":true}"#))
        #expect(try await mildam("lock", "--close").output.contains("nothing can be read until `mildam unlock`"))
        let closed = try await mildam("vault", "list", environment: [:])
        #expect(closed.status == 6 && closed.errors.contains("the keychain's passphrase"), "\(closed)")
        #expect(try await mildam("lock", "--json").output.contains(#""readable":{"items":0,"names":false}"#))
        #expect(try await mildam("keychain", "get", "d", "e").output == "f")
        try await end()
    }

    @Test func aRecoveryCodeOpensWhatTheRemovedPassphraseOpened() async throws {
        let created = try await mildam("keychain", "create", "--json")
        let answer = try JSONSerialization.jsonObject(with: Data(created.output.utf8)) as? [String: Any]
        let code = try #require(answer?["recoveryCode"] as? String)
        #expect(try await mildam("keychain", "set", "a", "b", input: "c").status == 0)
        let withCode = ["MILDAM_PASSPHRASE": code]
        let removed = try await mildam("keychain", "remove-slot", "1", "--with", "code", environment: withCode)
        #expect(removed.status == 0, "\(removed)")
        #expect(try await mildam("unlock", "--with", "code", environment: withCode).status == 0)
        #expect(try await mildam("keychain", "get", "a", "b", environment: [:]).output == "c")
        let slots = try await mildam("keychain", "slots")
        #expect(slots.output.hasSuffix("code\n") && !slots.output.contains("passphrase"), "\(slots)")
        let last = try await mildam("keychain", "remove-slot", "2", "--with", "code", environment: withCode)
        #expect(last.status == 6, "\(last)")
        try await end()
    }

    @Test func aForgottenPassphraseIsReplacedWithTheCode() async throws {
        let created = try await mildam("keychain", "create", "--json")
        let answer = try JSONSerialization.jsonObject(with: Data(created.output.utf8)) as? [String: Any]
        let code = ["MILDAM_PASSPHRASE": try #require(answer?["recoveryCode"] as? String)]
        #expect(try await mildam("keychain", "set", "a", "b", input: "c").status == 0)
        #expect(try await mildam("keychain", "set", "p", "q", "--accessible", "passcode", input: "r").status == 0)
        try await end()
        let wrong = try await mildam("unlock", environment: ["MILDAM_PASSPHRASE": "forgotten"])
        #expect(wrong.status == 3 && wrong.errors.contains("mildam keychain passphrase --with code"), "\(wrong)")
        let reset = ["keychain", "passphrase", "--with", "code", "--new-passphrase-file", "-"]
        let asked = try await mildam(reset, input: "newly chosen\n", environment: code)
        #expect(asked.status != 0 && asked.errors.contains("--yes"), "\(asked)")
        let done = try await mildam(reset + ["--yes"], input: "newly chosen\n", environment: code)
        #expect(done.status == 0 && done.output == "changed, and 1 items went\n", "\(done)")
        let new = ["MILDAM_PASSPHRASE": "newly chosen"]
        #expect(try await mildam("unlock").status == 3)
        #expect(try await mildam("unlock", environment: new).status == 0)
        #expect(try await mildam("keychain", "get", "a", "b", environment: [:]).output == "c")
        #expect(try await mildam("keychain", "get", "p", "q", environment: [:]).status == 4)
        // Another way beside it, and the first one taken away.
        let added = try await mildam(
            ["keychain", "add-slot", "passphrase", "--new-passphrase-file", "-"],
            input: "the second one\n",
            environment: new
        )
        #expect(added.status == 0 && added.output.hasPrefix("added, number "), "\(added)")
        #expect(try await mildam("keychain", "add-slot", "code", environment: new).output.count > 30)
        let second = ["MILDAM_PASSPHRASE": "the second one"]
        #expect(try await mildam("lock").status == 0)
        #expect(try await mildam("unlock", environment: second).status == 0)
        #expect(try await mildam("keychain", "add-slot", "tpm", environment: second).status == 2)
        try await end()
    }

    /// Of what a passphrase opens there is a key that a recovery code does not reach: it passes nothing on.
    @Test func aCodeAddsNoPassphraseBesideAnother() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let made = try await mildam("keychain", "recovery-code")
        let code = ["MILDAM_PASSPHRASE": made.output.trimmingCharacters(in: .newlines)]
        let adding = ["keychain", "add-slot", "passphrase", "--with", "code", "--new-passphrase-file", "-"]
        let refused = try await mildam(adding, input: "another\n", environment: code)
        expect(refused, 6, "give --with passphrase", "`mildam keychain passphrase --with code`")
        #expect(try await mildam("keychain", "slots").output.split(separator: "\n").count == 2)
        try await end()
    }

    @Test func thereAreThirtyTwoWaysAtMost() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        var options = LocalKeychain.Options()
        options.isOwner = true
        let keychain = try LocalKeychain(path: folder.file("home/default/keychain.db"), options: options)
        let secret = SlotSecret.passphrase(SecretValue(text: "correct horse"))
        try await keychain.unlock(secret)
        for _ in 1..<32 {
            try await keychain.addSlot(.recoveryCode(RecoveryCode()), costs: .least, authorizedBy: secret)
        }
        for command in [["recovery-code"], ["add-slot", "code"]] {
            let refused = try await mildam(["keychain"] + command, environment: Self.passphrase)
            expect(refused, 6, "there are 32 ways", "`mildam keychain remove-slot`")
        }
        #expect(try await mildam("keychain", "slots").output.split(separator: "\n").count == 32)
        try await end()
    }

    @Test func aNewPassphraseOpensWhatOnlyAPassphraseOpens() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        expect(try await mildam("keychain", "set", "p", "q", "--accessible", "passcode", input: "r"), 0)
        let changed = try await mildam("keychain", "passphrase", "--new-passphrase-file", "-", input: "newly chosen\n")
        expect(changed, 0, "changed")
        let new = ["MILDAM_PASSPHRASE": "newly chosen"]
        let got = try await mildam("keychain", "get", "p", "q", environment: new)
        #expect(got.status == 0 && got.output == "r", "\(got)")
        try await end()
    }

    @Test func theAgentsMemoryIsItsOwn() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let agent = try Program(
            "mildam",
            ["keychain", "agent"],
            environment: ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        )
        // It says which keychain is its own.
        let ready = try await agent.line(with: "ready")
        #expect(ready == "ready: " + folder.file("home/default/keychain.db"))
        expect(try await mildam("keychain", "agent"), 6, "has an agent already", "`mildam lock --stop`")
        let limits = try String(contentsOfFile: "/proc/\(agent.identifier)/limits", encoding: .utf8)
        let cores = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(cores?.split(separator: " ").dropFirst(4).first == "0", "\(String(describing: cores))")
        // What cannot be dumped belongs to the superuser, whoever runs it.
        var status = stat()
        #expect(unsafe stat("/proc/\(agent.identifier)/mem", &status) == 0 && status.st_uid == 0)
        agent.signal(SIGKILL)
        _ = try await agent.end()
        #expect(try await mildam("unlock").status == 0, "a socket that was left behind is in nobody's way")
        try await end()
    }

    /// Programs that have asked something, and ask nothing more, give way where the agent may open no more files.
    @Test func idleProgramsGiveWay() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let agent = try Program(
            "mildam",
            ["keychain", "agent"],
            environment: ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        )
        #expect(try await agent.line(with: "ready") != nil)
        let limited = try await Program.result(of: "prlimit", ["--pid", "\(agent.identifier)", "--nofile=40:40"])
        #expect(limited.status == 0, "\(limited)")
        // Each asks the agent what it is, and stays.
        let script = """
            import socket, sys, time
            held = []
            for number in range(30):
                guest = socket.socket(socket.AF_UNIX)
                guest.settimeout(20)
                guest.connect(sys.argv[1])
                guest.sendall(bytes([0, 0, 0, 1, 15]))
                answer = guest.recv(4096)
                assert b"Too many open files" not in answer, number
                held.append(guest)
            print("there", flush=True)
            time.sleep(60)
            """
        let guests = try Program("/usr/bin/python3", ["-c", script, folder.file("home/default/agent/socket")])
        defer { guests.signal(SIGKILL) }
        #expect(try await guests.line(with: "there") != nil)
        #expect(try await mildam("unlock").status == 0)
        #expect(try await mildam("keychain", "set", "a", "b", input: "of many").status == 0)
        #expect(try await mildam("keychain", "get", "a", "b").output == "of many")
        try await end()
    }

    /// Whether or not the command that says so is still there when the agent acts on it.
    @Test func anAgentThatIsToldToEndEnds() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        for round in 0..<Count.of(few: 8, full: 100) {
            let agent = try Program(
                "mildam",
                ["keychain", "agent"],
                environment: ["MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
            )
            #expect(try await agent.line(with: "ready") != nil)
            #expect(try await mildam("lock", "--stop").status == 0)
            guard await eventually({ kill(agent.identifier, 0) != 0 }) else {
                Issue.record("the agent of round \(round) goes on")
                return agent.signal(SIGKILL)
            }
        }
    }

    /// The agent is made to crash with a secret in its memory, and with the limit on core dumps lifted before it starts and,
    /// where that is allowed, again before the crash.
    @Test func aCoreDumpOfTheAgentIsNotToBeHad() async throws {
        let place = try TemporaryFolder()
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: place.path) }
        try await makeKeychain(in: folder.file("home/default"))
        // A test's thread has every signal blocked, which its programs inherit.
        let script = """
            import os, resource, signal, sys
            try: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1))
            except (ValueError, PermissionError): pass
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let agent = try Program(
            "python3",
            ["-c", script, Program.find("mildam"), "keychain", "agent"],
            environment: [
                "MILDAM_HOME": folder.file("home"), "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
                "SWIFT_BACKTRACE": "enable=no",
            ],
            folder: place.path
        )
        #expect(try await agent.line(with: "ready") != nil)
        #expect(try await mildam("keychain", "set", "a", "b", input: "hunter2hunter2").status == 0)
        #expect(try await mildam("keychain", "get", "a", "b").output == "hunter2hunter2")
        let limit = ["--pid", "\(agent.identifier)", "--core=unlimited:unlimited"]
        _ = try await Program.result(of: "prlimit", limit)
        agent.signal(SIGABRT)
        let ended = try await agent.end()
        #expect(ended.status == 128 + SIGABRT, "\(ended)")
        #expect(try names().isEmpty)
        // What is planted is found: in the dump of a program that hides nothing.
        let planter = "ulimit -c unlimited && exec python3 -c 'import os; os.abort()' \"$0\""
        let planted = try await Program.result(of: "sh", ["-c", planter, "hunter2hunter2"], folder: place.path)
        #expect(planted.status == 128 + SIGABRT, "\(planted)")
        guard let dump = try names().first else {
            return print(
                "skipped: a search of a core dump; `ulimit -Hc unlimited` and a core_pattern of \"core\" let this machine write one"
            )
        }
        let whole = try Data(contentsOf: URL(fileURLWithPath: place.file(dump)))
        #expect(whole.range(of: Data("hunter2hunter2".utf8)) != nil)
    }

    @Test func aKeychainThatWasChangedIsToldAndRepaired() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        for account in ["a", "b", "c"] {
            #expect(try await mildam("keychain", "set", "service", account, input: account).status == 0)
        }
        try await end()
        let path = folder.file("home/default/keychain.db")
        let changed = try await Program.result(
            of: "sqlite3",
            [path, "UPDATE item SET secret = zeroblob(99) WHERE number = 2"]
        )
        #expect(changed.status == 0, "\(changed)")
        let refused = try await mildam("keychain", "get", "service", "a")
        #expect(refused.status == 5 && refused.errors.contains("repair"), "\(refused)")
        try await end()
        // Without a copy that it would come back from.
        #expect(try await mildam("keychain", "copies", "--forget", "--yes").status == 0)
        let repaired = try await mildam("keychain", "repair")
        #expect(repaired.status == 0 && repaired.output.contains("damaged: 2"), "\(repaired)")
        let sound = try await mildam("keychain", "get", "service", "a")
        #expect(sound.output == "a", "\(sound)")
        #expect(try await mildam("keychain", "get", "service", "b").status == 5, "damaged is not missing")
        #expect(try await mildam("keychain", "verify").status == 5)
        try await end()
    }

    @Test func aCodeIsTheStandards() async throws {
        // RFC 6238, appendix B: the secret "12345678901234567890".
        let uri = "otpauth://totp/ACME:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME&digits=8"
        let stored = try await mildam("otp", "code", "--uri", uri, "--at", "1111111109")
        #expect(stored.output == "07081804\n", "\(stored)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("home/default/keychain.db")), "nothing is stored")
        #expect(try await mildam("otp", "code", "--uri", "-", "--at", "59", input: uri + "\n").output == "94287082\n")
        let terminal = try terminal("otp", "code", "--uri", uri, "--at", "59")
        #expect(try await terminal.see("94287082  1 s"), "\(terminal.rows)")
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam("otp", "add", input: uri).output == "kept 1\n")
        #expect(try await mildam("otp", "list").output == "ACME:bob  TOTP, 30 s\n")
        #expect(try await mildam("otp", "code", "acme", "--at", "2000000000").output == "69279037\n")
        #expect(try await mildam("otp", "code", "nobody").status == 4)
        let exported = try await mildam("otp", "export")
        #expect(exported.output.contains("secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), "\(exported)")
        let list = folder.file("list.txt")
        try (exported.output + "not a token\n").write(toFile: list, atomically: true, encoding: .utf8)
        #expect(try await mildam("otp", "remove", "ACME").status == 0)
        let imported = try await mildam("otp", "import", list)
        #expect(imported.status == 5 && imported.output.hasPrefix("kept 1, 1"), "\(imported)")
        #expect(!imported.errors.contains("GEZD"))
        try await end()
    }

    @Test func aTokenTakesNoOthersPlace() async throws {
        let uri = "otpauth://totp/ACME:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        let other = "otpauth://totp/ACME:bob?secret=MFRGGZDFMZTWQ2LKMFRGGZDFMZTWQ2LK"
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam("otp", "add", input: uri).status == 0)
        #expect(try await mildam("otp", "add", input: uri).status == 0, "the same is no other")
        let refused = try await mildam("otp", "add", input: other)
        #expect(refused.status == 6 && refused.errors.contains("ACME:bob"), "\(refused)")
        #expect(try await mildam("otp", "export").output.contains("secret=GEZD"))
        // Nor does one of the same file.
        let list = folder.file("list.txt")
        let third = "otpauth://totp/CORP:eve?secret=GEZDGNBVGY3TQOJQ\notpauth://totp/CORP:eve?secret=MFRGGZDFMZTWQ2LK\n"
        try third.write(toFile: list, atomically: true, encoding: .utf8)
        let imported = try await mildam("otp", "import", list)
        #expect(imported.status == 6 && imported.output.hasPrefix("kept 1, 1"), "\(imported)")
        try await end()
    }

    @Test func aDamagedSlotLeavesTheRecoveryCode() async throws {
        let created = try await mildam("keychain", "create")
        let line = created.output.split(separator: "\n").first { $0.contains("recovery code") }
        let code = try #require(line?.split(separator: " ").last.map(String.init), "\(created)")
        #expect(try await mildam("keychain", "set", "service", "a", input: "a").status == 0)
        try await end()
        let database = folder.file("home/default/keychain.db")
        let damage = try Program.run("sqlite3", [database, "UPDATE slot SET parameters = x'0101' WHERE number = 1"])
        #expect(damage.status == 0, "\(damage)")
        #expect(
            try await mildam(
                "keychain",
                "get",
                "service",
                "a",
                "--with",
                "code",
                environment: ["MILDAM_PASSPHRASE": code]
            ).status != 0
        )
        let repaired = try await mildam(
            "keychain",
            "repair",
            "--with",
            "code",
            environment: ["MILDAM_PASSPHRASE": code]
        )
        #expect(repaired.status == 0, "\(repaired)")
        #expect(
            try await mildam(
                "keychain",
                "get",
                "service",
                "a",
                "--with",
                "code",
                environment: ["MILDAM_PASSPHRASE": code]
            ).output == "a"
        )
        try await end()
    }

    @Test func whatIsNoTokenIsToldAndStopsNoOther() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let uri = "otpauth://totp/ACME:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME"
        #expect(try await mildam("otp", "add", input: uri + "\n").status == 0)
        #expect(try await mildam("keychain", "set", "one-time code", "a note", input: "no URI").status == 0)
        let listed = try await mildam("otp", "list")
        #expect(listed.status == 0 && listed.output.contains("ACME:bob"), "\(listed)")
        #expect(listed.errors.contains("a note, is no token"), "\(listed)")
        #expect(try await mildam("otp", "code", "ACME:bob").status == 0)
        let exported = try await mildam("otp", "export")
        #expect(exported.output.contains("otpauth://") && exported.errors.contains("a note"), "\(exported)")
        try await end()
    }

    @Test(arguments: [[], ["--no-agent"]] as [[String]])
    func programsAtOnceGetDifferentCodes(_ way: [String]) async throws {
        // RFC 4226, appendix D.
        let uri = "otpauth://hotp/bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&counter=0"
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam("otp", "add", input: uri).status == 0)
        let codes = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let result = try await mildam(["otp", "code", "bob"] + way, environment: Self.passphrase)
                    return result.status == 0 ? result.output : "\(result)"
                }
            }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        let first = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583"]
        #expect(codes.sorted() == first.map { $0 + "\n" }.sorted())
        #expect(try await mildam("otp", "code", "bob").output == "399871\n", "none was left out")
        try await end()
    }

    @Test func aCounterNeverGivesACodeTwice() async throws {
        // RFC 4226, appendix D.
        let uri = "otpauth://hotp/bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&counter=0"
        try await makeKeychain(in: folder.file("home/default"))
        #expect(try await mildam("otp", "add", input: uri).status == 0)
        for code in ["755224", "287082", "359152"] {
            expect(try await mildam("otp", "code", "bob", "--at", "59"), 2, "--at must be left out", "counts")
            #expect(try await mildam("otp", "code", "bob").output == code + "\n")
        }
        expect(try await mildam("otp", "code", "--uri", uri, "--at", "59"), 2, "--at must be left out")
        // Nor does who adds it again, as it was given out.
        expect(try await mildam("otp", "add", input: uri), 0, "kept 1")
        #expect(try await mildam("otp", "code", "bob").output == "969429\n")
        let later = uri.replacingOccurrences(of: "counter=0", with: "counter=9")
        expect(try await mildam("otp", "add", input: later), 0, "kept 1")
        #expect(try await mildam("otp", "code", "bob").output == "520489\n")
        try await end()
    }

    @Test func aSecretAloneIsKeptUnderAName() async throws {
        let secret = "gezd gnbv-GY3T QOJQ gezdgnbvgy3tqojq\n"
        try await makeKeychain(in: folder.file("home/default"))
        let unnamed = try await mildam("otp", "add", input: secret)
        #expect(unnamed.status != 0 && unnamed.errors.contains("--issuer and --account"), "\(unnamed)")
        expect(try await mildam("otp", "add", "--account", " ", input: secret), 5, "the account is missing")
        expect(try await mildam("otp", "add", "--issuer", "ACME", "--account", "bob", input: secret), 0, "kept 1")
        #expect(try await mildam("otp", "code", "acme", "--at", "59").output == "287082\n", "RFC 6238, appendix B")
        for word in ["nothing", "GEZDGNBVGY3TQOJ", "GEZDGNBVGY3TQOJ1"] {
            let refused = try await mildam("otp", "add", "--account", "x", input: word)
            #expect(refused.status == 5 && refused.errors.contains("secret in base32"), "\(refused)")
            #expect(!refused.errors.contains(word))
        }
        // A URI that is taken already has a way under another name.
        let uri = "otpauth://totp/ACME:bob?secret=MFRGGZDFMZTWQ2LKMFRGGZDFMZTWQ2LK"
        expect(try await mildam("otp", "add", "--account", "eve", input: uri), 0, "kept 1")
        expect(try await mildam("otp", "add", "--account", "x", input: uri + "\n" + uri), 2, "several tokens")

        let asked = try terminal("otp", "add")
        #expect(try await asked.see("otpauth:// URI, or secret:"), "\(asked.rows)")
        asked.type("JBSWY3DPEHPK3PXP\r")
        #expect(try await asked.see("Issuer, who gave it out:"), "\(asked.rows)")
        asked.type("CORP\r")
        #expect(try await asked.see("Account there:"), "\(asked.rows)")
        asked.type("carol\r")
        #expect(try await asked.see("ended with 0"), "\(asked.rows)")
        #expect(!asked.rows.contains { $0.contains("JBSW") })
        let listed = try await mildam("otp", "list").output
        #expect(listed == "ACME:bob  TOTP, 30 s\nACME:eve  TOTP, 30 s\nCORP:carol  TOTP, 30 s\n", "\(listed)")
        try await end()
    }

    @Test func anExportNamesWhatItCannotHold() async throws {
        try await makeKeychain(in: folder.file("home/default"))
        let uris = ["fine?", "slow?period=60&", "steam?encoder=steam&", "long?digits=7&"].map {
            "otpauth://totp/" + $0 + "secret=GEZDGNBVGY3TQOJQ"
        }
        expect(try await mildam("otp", "add", input: uris[1]), 0)
        let nothing = try await mildam("otp", "export", "--google")
        #expect(nothing.status == 1 && nothing.output.isEmpty, "\(nothing)")
        #expect(nothing.errors.contains("slow cannot go"), "\(nothing)")
        expect(try await mildam("otp", "add", input: uris.joined(separator: "\n")), 0, "kept 4")
        let exported = try await mildam("otp", "export", "--google")
        #expect(exported.status == 1 && exported.output.hasPrefix("otpauth-migration://"), "\(exported)")
        for name in ["slow", "steam", "long"] { #expect(exported.errors.contains("\(name) cannot go"), "\(exported)") }
        #expect(!exported.errors.contains("fine") && !exported.errors.contains("GEZD"), "\(exported)")
        for uri in uris {
            let name = uri.dropFirst(15).prefix { $0 != "?" }
            expect(try await mildam("otp", "remove", String(name)), 0)
        }
        expect(try await mildam("otp", "add", input: exported.output), 0, "kept 1")
        #expect(try await mildam("otp", "list").output == "fine  TOTP, 30 s\n")
        #expect(try await mildam("otp", "export", "--google").status == 0)
        try await end()
    }
}
