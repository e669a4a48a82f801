import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// What is left of a folder and a vault when `mildam vault sync` is stopped.
@Suite("A folder and a vault in step, killed or out of room")
struct VaultSyncKillTests {
    private let scene: VaultScene
    private let someone: Person

    init() throws {
        scene = try VaultScene()
        someone = scene.someone()
    }

    private func write(_ text: String, _ path: String) throws {
        try Folder.create(Folder.parent(of: path))
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private func names(in folder: String) -> Set<String> {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return Set(paths.filter { !Folder.isFolder("\(folder)/\($0)") })
    }

    @Test func killed() async throws {
        let folder = try scene.makeFiles(150)
        try await someone.done("vault", "init")
        let start = ContinuousClock.now
        try await someone.done("vault", "sync", folder, "--as", "many", "--yes")
        let whole = start.duration(to: .now)
        var random = Seed.generator(for: "kill a vault that syncs")
        var wanted: [String: String] = [:]
        for name in names(in: folder) {
            wanted[name] = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        }
        for round in 0..<Count.of(few: 2, full: 50) {
            for number in 0..<150 where number % 3 == round % 3 {
                wanted["\(number)"] = "round \(round), \(number)"
                try write("round \(round), \(number)", "\(folder)/\(number)")
            }
            for name in wanted.keys.shuffled(using: &random).prefix(10) {
                try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
                wanted[name] = nil
            }
            let added = scene.folder.file("new-\(round)")
            for number in 0..<20 {
                wanted["new-\(round)/\(number)"] = "new in round \(round), \(number)"
                try write("new in round \(round), \(number)", "\(added)/\(number)")
            }
            try await someone.done("vault", "add", added, "--as", "many")
            let program = try someone.start("vault", "sync", folder, "--as", "many", "--yes")
            try await Task.sleep(for: whole * Double.random(in: 0...1.1, using: &random))
            program.signal(SIGKILL)
            program.wait()
            expect(try await someone.run("vault", "sync", folder, "--as", "many", "--yes"), 0)
            #expect(names(in: folder) == Set(wanted.keys), "round \(round)")
            for (name, text) in wanted {
                let content = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
                #expect(content == text, "round \(round): \(name)")
            }
            let inVault = Set(wanted.keys.map { "many/\($0)" })
            #expect(try await scene.entries(of: someone) == inVault, "round \(round)")
            try await scene.expectSound(someone, inVault, "round \(round)")
        }
    }

    /// The file that was to take the place of another is no file of anybody: it is neither added nor left.
    @Test func killedBeforeAFileTakesItsPlace() async throws {
        let folder = scene.folder.file("plain")
        try write("one", folder + "/one")
        try await someone.done("vault", "init")
        try await someone.done("vault", "sync", folder, "--yes")
        try await someone.done("vault", "remove", "one")
        try await someone.done("vault", "add", "-", "--as", "one", input: "of the vault")
        let killed = try await Program.result(
            of: "mildam",
            ["vault", "sync", folder, "--yes"],
            environment: someone.variables.merging(try RenameFuse.environment(beginning: ".mildam-")) { $1 }
        )
        #expect(killed.status == 128 + SIGKILL, "\(killed)")
        let left = try #require(names(in: folder).subtracting(["one"]).first)
        #expect(left.hasPrefix(".mildam-") && left.hasSuffix(".part"), "\(left)")
        #expect(try String(contentsOfFile: folder + "/one", encoding: .utf8) == "one")
        // What only looks like one is somebody's.
        try write("mine", folder + "/.mildam-mine.part")
        let next = try await someone.run("vault", "sync", folder, "--yes")
        expect(next, 0, "1 to the vault, 1 to the folder")
        #expect(names(in: folder) == ["one", ".mildam-mine.part"])
        #expect(try await scene.entries(of: someone) == ["one", ".mildam-mine.part"])
        #expect(try String(contentsOfFile: folder + "/one", encoding: .utf8) == "of the vault")
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func aFullDiskAndOneForReading() async throws {
        let disk = try SmallDisk(kilobytes: 2_048)
        let folder = disk.path + "/plain"
        try write("of the folder", folder + "/one")
        try await someone.done("vault", "init")
        let large = scene.folder.file("large")
        try Data(repeating: 5, count: 1_500_000).write(to: URL(fileURLWithPath: large))
        try await someone.done("vault", "add", large)
        disk.fill()
        expect(try await someone.run("vault", "sync", folder, "--yes"), 1, "No space left on device")
        #expect(names(in: folder) == ["one"])
        try disk.clear()
        expect(try await someone.run("vault", "sync", folder, "--yes"), 0, "1 to the folder")
        #expect(names(in: folder) == ["one", "large"])

        try await someone.done("vault", "add", "-", "--as", "later", input: "later")
        try write("more", folder + "/more")
        try disk.protect()
        // What can be done is done.
        let protected = try await someone.run("vault", "sync", folder, "--yes")
        expect(protected, 6, "mounted for reading only", "1 to the vault; 1 not done")
        #expect(try await scene.entries(of: someone) == ["one", "large", "later", "more"])
        withExtendedLifetime(disk) {}
    }
}
