import Foundation
import Glibc
import MildamStorage
import MildamSystem
import TestSupport
import Testing

/// `mildam vault`, as it is typed, and what is left when it is stopped.
@Suite("A vault, at the command line")
struct VaultCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func someone(at home: String? = nil, _ environment: [String: String] = [:]) -> Person {
        Person(name: "someone", home: home ?? folder.file("home"), relay: "", environment: environment)
    }

    /// Makes files of many sizes, each with a content of its own.
    private func makeFiles(_ count: Int) throws -> String {
        let path = folder.file("many")
        try Folder.create(path)
        for number in 0..<count {
            let size = number.isMultiple(of: 50) ? 200_000 : number * 7 % 5000
            let content = "\(number)\n" + String(repeating: "x", count: size)
            try Data(content.utf8).write(to: URL(fileURLWithPath: path + "/\(number)"))
        }
        return path
    }

    private func entries(of someone: Person) async throws -> Set<String> {
        let result = try await someone.run("vault", "list", "--json")
        try #require(result.status == 0, "\(result)")
        let answer = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: [[String: Any]]]
        return Set((answer?["entries"] ?? []).compactMap { $0["name"] as? String })
    }

    /// What a program that was killed had reported: whole lines only.
    private func reported(_ output: String) -> Set<String> {
        Set(
            output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .filter { $0.hasPrefix("added many/") }.map { String($0.dropFirst("added ".count)) }
        )
    }

    /// That the vault is sound, and that what is in it is what was added.
    private func expectSound(_ someone: Person, _ names: Set<String>, _ comment: String) async throws {
        let verified = try await someone.run("vault", "verify")
        #expect(verified.status == 0, "\(comment): \(verified)")
        let target = folder.file("out-\(UUID().uuidString)")
        expect(try await someone.run("vault", "export", target), 0)
        for name in names {
            let original = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
            #expect(try Data(contentsOf: URL(fileURLWithPath: target + "/" + name)) == original, "\(comment): \(name)")
        }
        if WholeFile.exists(target) { try FileManager.default.removeItem(atPath: target) }
    }

    @Test func everyCommand() async throws {
        let someone = someone()
        let files = try makeFiles(3)
        expect(try await someone.run("vault", "list"), 4, "vault init")
        try await someone.done("vault", "init")
        expect(try await someone.run("vault", "init"), 6, "not empty")
        try #require(unsafe symlink("0", files + "/link") == 0)
        try #require(unsafe mkfifo(files + "/pipe", 0o600) == 0)
        let added = try await someone.run("vault", "add", files, "--tag", "three")
        #expect(added.status == 1 && added.output == "added 3, 2 not\n", "\(added)")
        #expect(added.errors.contains("a symbolic link") && added.errors.contains("no regular file"), "\(added)")
        expect(try await someone.run("vault", "add", "-", "--as", "notes/one.txt", input: "from a pipe"), 0, "added 1")
        expect(try await someone.run("vault", "add", "-", input: "from a pipe"), 2, "--as")
        expect(try await someone.run("vault", "add", "-", "--as", "two", input: "from a pipe"), 1, "notes/one.txt")
        expect(try await someone.run("vault", "add", "-", "--as", "../two", input: "x"), 2, "..")
        expect(try await someone.run("vault", "get", "notes/one.txt"), 0, "from a pipe")
        let own = try await someone.run("vault", "add", someone.folder + "/vault/index.db")
        #expect(own.status == 1 && own.errors.contains("index.db is a part of the vault itself"), "\(own)")
        let whole = try await someone.run("vault", "add", someone.folder)
        #expect(whole.status == 1 && whole.errors.contains("vault is a part of the vault itself"), "\(whole)")
        expect(try await someone.run("vault", "search", "index.db"), 0, "nothing")
        try await someone.done("vault", "remove", "someone/root.key", "someone/lock")
        expect(try await someone.run("vault", "export", "x", "--table", "y.csv", "--force"), 2, "--force")
        expect(try await someone.run("vault", "get", "notes/two.txt"), 4)
        expect(try await someone.run("vault", "search", "THREE"), 0, "many/0", "many/1", "many/2")
        expect(try await someone.run("vault", "search", "plain", "notes"), 0, "notes/one.txt")
        expect(try await someone.run("vault", "move", "notes/one.txt", "many/0"), 6)
        expect(try await someone.run("vault", "move", "notes/one.txt", "notes/b.txt"), 0)
        expect(try await someone.run("vault", "tag", "notes/b.txt", "--add", "b", "--add", "a"), 0, "a, b")
        expect(try await someone.run("vault", "tag", "notes/b.txt", "--add", ""), 2, "tag")
        expect(try await someone.run("vault", "verify"), 0, "4 sound, 0 damaged, 0 unknown")
        expect(try await someone.run("vault", "rekey"), 0, "4 files")
        expect(try await someone.run("vault", "rekey", "--full"), 0, "4 files")
        expect(try await someone.run("vault", "remove", "many/0", "nothing"), 4)
        expect(try await someone.run("vault", "remove", "many/0"), 0)
        expect(try await someone.run("vault", "verify"), 0, "3 sound")
        try await expectSound(someone, ["many/1", "many/2"], "at the end")
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(someone.folder + "/vault/index.db" + suffix) }
        expect(try await someone.run("vault", "repair"), 0, "recovered 3")
        expect(try await someone.run("vault", "search", "recovered", "plain"), 0)
    }

    /// What cannot be done for one is named, and done for the others.
    @Test func oneThatFailsHoldsUpNoOther() async throws {
        let someone = someone()
        let files = try makeFiles(3)
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", files)
        try await someone.done("vault", "move", "many/0", "many/1/inside")
        let out = folder.file("out")
        let first = try await someone.run("vault", "export", out)
        #expect(first.status == 1 && first.output.contains("exported 2"), "\(first)")
        #expect(first.errors.contains("many/1/inside: another file of this name stands in the way"), "\(first)")
        let again = try await someone.run("vault", "export", out, "--json")
        #expect(again.status == 1 && again.output.contains("--force to replace it"), "\(again)")
        expect(try await someone.run("vault", "export", out, "many/2"), 6, "--force to replace it")
        expect(try await someone.run("vault", "export", out + "/many/2"), 1, "many/2")
        expect(try await someone.run("vault", "list", "many/"), 0, "many/2")
        expect(try await someone.run("vault", "list", "nothing"), 4, "nothing")
        expect(try await someone.run("vault", "import", "nowhere.csv"), 4, "nowhere.csv")
        expect(try await someone.run("vault", "store-password", "--json"), 0, "{\"password\":\"")
        // Nothing can be made there: one line, and no end without one.
        expect(try await someone.run("vault", "init", "--vault", "/proc/nothing/vault"), 4, "/proc/nothing")
        expect(try await someone.run("vault", "add", "-", files, "--as", "x", input: "x"), 2, "alone")
        // It is not the vault's file that is missing.
        expect(try await someone.run("vault", "get", "many/2", "-o", folder.file("nowhere/x")), 4, "nowhere/x")
        try FileManager.default.removeItem(atPath: someone.folder + "/vault/files")
        let verified = try await someone.run("vault", "verify", "--anew")
        #expect(verified.status == 5 && verified.output.contains("0 sound, 3 damaged"), "\(verified)")
        #expect(verified.errors.contains("many/2: its file is missing"), "\(verified)")
        expect(try await someone.run("vault", "get", "many/2"), 5, "its file is missing")
        expect(try await someone.run("vault", "repair"), 4, "vault/files")
        try await someone.done("vault", "remove", "many/2")
        expect(try await someone.run("vault", "list"), 0, "many/1")
    }

    @Test func anotherProgramThatChangesItIsWaitedFor() async throws {
        let someone = someone()
        try await someone.done("vault", "init")
        let lock = try ProcessLock(waitingFor: someone.folder + "/vault/lock")
        let program = try someone.start("vault", "verify")
        #expect(try await program.complaint(with: "waiting for another program") != nil)
        _ = consume lock
        expect(try await program.end(), 0, "0 sound")
    }

    @Test func aRootKeyThatIsLostIsNotMadeAnew() async throws {
        let someone = someone()
        try await someone.done("vault", "init")
        try FileManager.default.removeItem(atPath: someone.folder + "/root.key")
        expect(try await someone.run("vault", "list"), 5, "root.key")
        for attempt in [["account", "create", "someone", "--password-file", "-"], ["vault", "init"]] {
            let result = try await Program.result(
                of: "mildam",
                ["-p", "someone"] + attempt,
                input: "password\n",
                environment: ["MILDAM_HOME": someone.home, "MILDAM_RELAY": "http://127.0.0.1:1"]
            )
            #expect(result.status != 0, "\(result)")
            #expect(!WholeFile.exists(someone.folder + "/root.key"), "\(attempt)")
        }
    }

    // MARK: Killed

    @Test func killedWhileAdding() async throws {
        let files = try makeFiles(1500)
        var random = Seed.generator(for: "kill a vault that adds")
        var (some, all) = (0, 0)
        // How long a whole one takes here, so that kills fall all over it.
        let start = ContinuousClock.now
        try await someone(at: folder.file("whole")).done("vault", "init")
        try await someone(at: folder.file("whole")).done("vault", "add", files)
        let whole = start.duration(to: .now)
        let count = Count.of(few: 2, full: 50)
        for round in 0..<count {
            let someone = someone(at: folder.file("home-\(round)"))
            try await someone.done("vault", "init")
            let program = try someone.start("vault", "add", "-v", files)
            try await Task.sleep(for: whole * Double.random(in: 0...1.1, using: &random))
            program.signal(SIGKILL)
            let reported = reported(program.wait().output)
            #expect(try await entries(of: someone).isSuperset(of: reported), "round \(round)")
            try await expectSound(someone, reported, "round \(round)")
            if !reported.isEmpty { some += 1 }
            if reported.count == 1500 { all += 1 }
            // The rest can be added, and what is there is noticed.
            let rest = try await someone.run("vault", "add", files)
            #expect(rest.status == 0 || rest.status == 1)
            #expect(try await entries(of: someone).count == 1500)
            try FileManager.default.removeItem(atPath: someone.home)
        }
        print("figure: of \(count) vaults killed while adding, \(some) had reported files, \(all) all")
    }

    @Test func killedWhileRekeyingAndRemoving() async throws {
        let files = try makeFiles(400)
        let someone = someone()
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", files)
        let names = Set((0..<400).map { "many/\($0)" })
        var random = Seed.generator(for: "kill a vault that rekeys")
        var finished = 0
        let start = ContinuousClock.now
        try await someone.done("vault", "rekey")
        let whole = start.duration(to: .now)
        for round in 0..<Count.of(few: 2, full: 50) {
            let full = round.isMultiple(of: 2) ? ["--full"] : []
            let program = try Program(
                "mildam",
                ["--profile", "someone", "vault", "rekey"] + full,
                environment: ["MILDAM_HOME": someone.home]
            )
            try await Task.sleep(for: whole * Double.random(in: 0...1.1, using: &random))
            program.signal(SIGKILL)
            if program.wait().output.contains("rekeyed") { finished += 1 }
            #expect(try await entries(of: someone) == names)
            try await expectSound(someone, names, "round \(round)")
        }
        var left = names
        for round in 0..<Count.of(few: 2, full: 50) {
            let going = left.sorted().shuffled(using: &random).prefix(7)
            let program = try Program(
                "mildam",
                ["--profile", "someone", "vault", "remove"] + going,
                environment: ["MILDAM_HOME": someone.home]
            )
            usleep(.random(in: 0...60_000, using: &random))
            program.signal(SIGKILL)
            let isReported = program.wait().output.contains("removed")
            let there = try await entries(of: someone)
            let gone = left.subtracting(there)
            #expect(gone.isEmpty || gone == Set(going), "round \(round): all of them or none")
            if isReported { #expect(!gone.isEmpty, "round \(round)") }
            left = there
            expect(try await someone.run("vault", "verify"), 0, "\(left.count) sound, 0 damaged, 0 unknown")
        }
        try await expectSound(someone, left, "at the end")
        print("figure: rekeyings that were finished before they were killed: \(finished)")
    }

    // MARK: The disk forgets

    @Test(arguments: 0..<Count.of(few: 1, full: 20))
    func powerCut(_ round: Int) async throws {
        let files = try makeFiles(1100)
        var random = Seed.generator(for: "power cut of a vault \(round)")
        let root = try TemporaryFolder()
        let cut = try PowerCut(following: root.path)
        let someone = someone(at: root.path, cut.environment)
        try await someone.done("vault", "init")
        let program = try someone.start("vault", "add", "-v", files)
        // A batch of 1,024, and a last one.
        let goal = [0, 511, 1023].randomElement(using: &random) ?? 0
        #expect(program.line(containing: "added", within: 60) != nil)
        if goal > 0 { usleep(.random(in: 0...300_000, using: &random)) }
        program.signal(SIGKILL)
        let reported = reported(program.wait().output)
        #expect(!reported.isEmpty)
        let disk = try cut.restored()
        let reborn = self.someone(at: disk.path)
        #expect(try await entries(of: reborn).isSuperset(of: reported))
        try await expectSound(reborn, reported, "after adding")
    }

    @Test(arguments: [false, true])
    func powerCutWhileRekeying(_ full: Bool) async throws {
        let files = try makeFiles(60)
        let names = Set((0..<60).map { "many/\($0)" })
        var random = Seed.generator(for: "power cut of a rekeying")
        let root = try TemporaryFolder()
        try await someone(at: root.path).done("vault", "init")
        try await someone(at: root.path).done("vault", "add", files)
        for round in 0..<Count.of(few: 2, full: 20) {
            let cut = try PowerCut(following: root.path)
            let program = try Program(
                "mildam",
                ["--profile", "someone", "vault", "rekey"] + (full ? ["--full"] : []),
                environment: cut.environment.merging(["MILDAM_HOME": root.path]) { $1 }
            )
            try cut.awaitBegin()
            // The first round is not cut short: what was said to be done is done.
            if round > 0 { usleep(.random(in: 0...400_000, using: &random)) } else { _ = program.wait() }
            program.signal(SIGKILL)
            program.wait()
            let disk = try cut.restored()
            let reborn = someone(at: disk.path)
            #expect(try await entries(of: reborn) == names)
            try await expectSound(reborn, names, "round \(round)")
        }
    }

    // MARK: No room

    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func aFullDisk() async throws {
        let disk = try SmallDisk(kilobytes: 4_096)
        let someone = someone(at: disk.path)
        let large = folder.file("large")
        try Data(repeating: 5, count: 6_000_000).write(to: URL(fileURLWithPath: large))
        let small = folder.file("small")
        try Data(repeating: 6, count: 600_000).write(to: URL(fileURLWithPath: small))
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", small)
        let before = try await entries(of: someone)
        let refused = try await someone.run("vault", "add", large)
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.errors.contains("No space left") || refused.errors.contains("is full"), "\(refused)")
        #expect(try await entries(of: someone) == before)
        expect(try await someone.run("vault", "verify"), 0, "1 sound, 0 damaged, 0 unknown")

        let key = folder.file("key")
        let recipient = try await someone.done("file", "keygen", "-o", key).trimmingCharacters(in: .newlines)
        let target = disk.path + "/large.age"
        let encrypted = try await someone.run("file", "encrypt", "-r", recipient, "-o", target, large)
        expect(encrypted, 1, "No space left on device")
        #expect(!WholeFile.isTaken(target))

        disk.fill()
        for command in [["rekey"], ["rekey", "--full"], ["add", large]] {
            let result = try await Program.result(
                of: "mildam",
                ["--profile", "someone", "vault"] + command,
                environment: ["MILDAM_HOME": disk.path]
            )
            #expect(result.status == 1, "\(command): \(result)")
            #expect(result.errors.contains("No space left") || result.errors.contains("is full"), "\(result)")
        }
        try disk.clear()
        #expect(try await entries(of: someone) == before)
        expect(try await someone.run("vault", "verify"), 0, "1 sound, 0 damaged, 0 unknown")
        expect(try await someone.run("vault", "rekey"), 0, "1 files")
        withExtendedLifetime(disk) {}
    }
}
