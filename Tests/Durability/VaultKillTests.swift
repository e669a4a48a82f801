import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// What is left of a vault when `mildam vault` is stopped.
@Suite("A vault that is killed, cut off, or out of room")
struct VaultKillTests {
    private let scene: VaultScene

    init() throws {
        scene = try VaultScene()
    }

    @Test func killedWhileAdding() async throws {
        let files = try scene.makeFiles(500)
        var random = Seed.generator(for: "kill a vault that adds")
        var (some, all) = (0, 0)
        // How long a whole one takes here, so that kills fall all over it.
        let start = ContinuousClock.now
        try await scene.someone(at: scene.folder.file("whole")).done("vault", "init")
        try await scene.someone(at: scene.folder.file("whole")).done("vault", "add", files)
        let whole = start.duration(to: .now)
        let count = Count.of(few: 2, full: 50)
        for round in 0..<count {
            let someone = scene.someone(at: scene.folder.file("home-\(round)"))
            try await someone.done("vault", "init")
            let program = try someone.start("vault", "add", "-v", files)
            try await Task.sleep(for: whole * Double.random(in: 0...1.1, using: &random))
            program.signal(SIGKILL)
            let reported = scene.reported(in: program.wait().output)
            #expect(try await scene.entries(of: someone).isSuperset(of: reported), "round \(round)")
            try await scene.expectSound(someone, reported, "round \(round)")
            if !reported.isEmpty { some += 1 }
            if reported.count == 500 { all += 1 }
            // The rest can be added, and what is there is noticed.
            let rest = try await someone.run("vault", "add", files)
            #expect(rest.status == 0 || rest.status == 6)
            #expect(try await scene.entries(of: someone).count == 500)
            try FileManager.default.removeItem(atPath: someone.home)
        }
        print("figure: of \(count) vaults killed while adding, \(some) had reported files, \(all) all")
    }

    @Test func killedWhileRekeyingAndRemoving() async throws {
        let files = try scene.makeFiles(400)
        let someone = scene.someone()
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
            #expect(try await scene.entries(of: someone) == names)
            try await scene.expectSound(someone, names, "round \(round)")
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
            let there = try await scene.entries(of: someone)
            let gone = left.subtracting(there)
            #expect(gone.isEmpty || gone == Set(going), "round \(round): all of them or none")
            if isReported { #expect(!gone.isEmpty, "round \(round)") }
            left = there
            expect(try await someone.run("vault", "verify"), 0, "\(left.count) sound, 0 damaged, 0 unknown")
        }
        try await scene.expectSound(someone, left, "at the end")
        print("figure: rekeyings that were finished before they were killed: \(finished)")
    }

    /// What changes is replaced or not, and no name is lost, even if the index is, too.
    @Test func killedWhileReplacing() async throws {
        let files = try scene.makeFiles(400)
        let names = Set((0..<400).map { "many/\($0)" })
        let someone = scene.someone()
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", files)
        var random = Seed.generator(for: "kill a vault that replaces")
        var former = names.sorted()
        for round in 0..<Count.of(few: 2, full: 30) {
            former.shuffle(using: &random)
            let changed = Set(former.prefix(200))
            for name in changed {
                try Data("\(round) \(name)".utf8).write(to: URL(fileURLWithPath: scene.folder.file(name)))
            }
            let program = try someone.start("vault", "add", "-v", files)
            try await Task.sleep(for: .milliseconds(.random(in: 0...400, using: &random)))
            program.signal(SIGKILL)
            let lines = program.wait().output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let reported = Set(lines.filter { $0.hasPrefix("changed ") }.map { String($0.dropFirst("changed ".count)) })
            #expect(reported.isSubset(of: changed))
            #expect(try await scene.entries(of: someone) == names, "round \(round)")
            try await scene.expectSound(someone, reported.union(names.subtracting(changed)), "round \(round)")
            for suffix in ["", "-wal", "-shm"] { unsafe unlink(someone.folder + "/vault/index.db" + suffix) }
            try await someone.done("vault", "repair")
            #expect(try await scene.entries(of: someone).isSuperset(of: names), "round \(round), repaired")
            try await scene.expectSound(someone, reported.union(names.subtracting(changed)), "round \(round), repaired")
            try await someone.done("vault", "add", files)
            try await scene.expectSound(someone, names, "round \(round), added again")
        }
    }

    /// A repair with a recipient's key that is stopped anywhere is finished by the next.
    @Test func killedWhileRepairingWithAKey() async throws {
        let files = try scene.makeFiles(300)
        let names = Set((0..<300).map { "many/\($0)" })
        let (someone, key) = (scene.someone(), scene.folder.file("key"))
        let recipient = try await someone.done("file", "keygen", "-o", key).trimmingCharacters(in: .newlines)
        try await someone.done("vault", "init", "-r", recipient)
        try await someone.done("vault", "add", files)
        let vault = someone.folder + "/vault"
        var random = Seed.generator(for: "kill a vault that is repaired with a key")
        for round in 0..<Count.of(few: 2, full: 30) {
            try FileManager.default.removeItem(atPath: vault + "/vault.keys")
            let other = scene.someone(at: scene.folder.file("home-\(round)"))
            let program = try other.start("vault", "repair", "--vault", vault, "-i", key)
            try await Task.sleep(for: .milliseconds(.random(in: 0...600, using: &random)))
            program.signal(SIGKILL)
            program.wait()
            let environment = ["MILDAM_VAULT": vault]
            let finished = try await other.run("vault", "repair", "-i", key, environment: environment)
            expect(finished, 0, "0 do not open")
            let there = scene.someone(at: other.home, environment)
            #expect(try await scene.entries(of: there) == names, "round \(round)")
            try await scene.expectSound(there, names, "round \(round)")
        }
    }

    // MARK: The disk forgets

    @Test(arguments: 0..<Count.of(few: 1, full: 20))
    func powerCut(_ round: Int) async throws {
        let files = try scene.makeFiles(1100)
        var random = Seed.generator(for: "power cut of a vault \(round)")
        let root = try TemporaryFolder()
        let cut = try PowerCut(following: root.path)
        let someone = scene.someone(at: root.path, cut.environment)
        try await someone.done("vault", "init")
        let program = try someone.start("vault", "add", "-v", files)
        // A batch of 1,024, and a last one.
        let goal = [0, 511, 1023].randomElement(using: &random) ?? 0
        #expect(program.line(containing: "added", within: 60) != nil)
        if goal > 0 { usleep(.random(in: 0...300_000, using: &random)) }
        program.signal(SIGKILL)
        let reported = scene.reported(in: program.wait().output)
        #expect(!reported.isEmpty)
        let disk = try cut.restored()
        let reborn = scene.someone(at: disk.path)
        #expect(try await scene.entries(of: reborn).isSuperset(of: reported))
        try await scene.expectSound(reborn, reported, "after adding")
    }

    @Test(arguments: [false, true])
    func powerCutWhileRekeying(_ full: Bool) async throws {
        let files = try scene.makeFiles(60)
        let names = Set((0..<60).map { "many/\($0)" })
        var random = Seed.generator(for: "power cut of a rekeying")
        let root = try TemporaryFolder()
        try await scene.someone(at: root.path).done("vault", "init")
        try await scene.someone(at: root.path).done("vault", "add", files)
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
            let reborn = scene.someone(at: disk.path)
            #expect(try await scene.entries(of: reborn) == names)
            try await scene.expectSound(reborn, names, "round \(round)")
        }
    }

    // MARK: No room

    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func aFullDisk() async throws {
        let disk = try SmallDisk(kilobytes: 4_096)
        let someone = scene.someone(at: disk.path)
        let large = scene.folder.file("large")
        try Data(repeating: 5, count: 6_000_000).write(to: URL(fileURLWithPath: large))
        let small = scene.folder.file("small")
        try Data(repeating: 6, count: 600_000).write(to: URL(fileURLWithPath: small))
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", small)
        let before = try await scene.entries(of: someone)
        let refused = try await someone.run("vault", "add", large)
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.errors.contains("No space left") || refused.errors.contains("is full"), "\(refused)")
        #expect(try await scene.entries(of: someone) == before)
        expect(try await someone.run("vault", "verify"), 0, "1 sound, 0 damaged, 0 unknown")

        let key = scene.folder.file("key")
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
        #expect(try await scene.entries(of: someone) == before)
        expect(try await someone.run("vault", "verify"), 0, "1 sound, 0 damaged, 0 unknown")
        expect(try await someone.run("vault", "rekey"), 0, "1 files")
        withExtendedLifetime(disk) {}
    }
}
