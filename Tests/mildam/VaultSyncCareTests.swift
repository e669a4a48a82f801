import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// What `mildam vault sync` makes of a folder that is another by now, of files that come and go while somebody is
/// asked, and of a last time that it cannot rely on: nothing is lost on either side.
@Suite("A folder and a vault in step lose nothing")
struct VaultSyncCareTests: SyncSuite {
    let scene: VaultScene
    let someone: Person
    let folder: String

    init() throws {
        scene = try VaultScene()
        someone = scene.someone()
        folder = scene.folder.file("plain")
        try Folder.create(folder)
    }

    /// Both sides have these files, each with its name as its content.
    private func fill(_ names: String...) async throws {
        try await someone.done("vault", "init")
        for name in names { try write(name, name) }
        _ = try await sync("--yes")
    }

    private func store(_ text: String, _ name: String) async throws {
        try await someone.done("vault", "add", "-", "--as", name, input: text)
    }

    private func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }

    /// Another folder takes the place of the first, which is kept: while it has a name, no other gets its number.
    private func replaceFolder() throws {
        try FileManager.default.moveItem(atPath: folder, toPath: folder + "-before")
        try Folder.create(folder)
    }

    /// Shows the plan to somebody at a terminal, who does something before answering.
    private func asked(_ sum: String) async throws -> TerminalSession {
        let session = try TerminalSession(
            "\"$@\"; echo \"ended $?\"; read -r line",
            [try Program.find("mildam"), "vault", "sync", folder],
            environment: someone.variables,
            columns: 200
        )
        #expect(try await session.see("\(sum). Do it? [y/N]"), "\(session.rows)")
        return session
    }

    private func agree(_ session: TerminalSession, to status: Int32) async throws {
        session.type("y\n")
        #expect(try await session.see { $0.rows.contains("ended \(status)") }, "\(session.rows)")
    }

    // MARK: Another folder

    /// What another folder was to get and did not is no more removed from it the next time than at the first.
    @Test func whatAnotherFolderDidNotGetWasNotRemovedFromIt() async throws {
        try await fill("one", "two")
        try replaceFolder()
        try Folder.create("\(folder)/one")
        let first = try await someone.run("vault", "sync", folder, "--yes")
        #expect(first.status == 6 && first.output.hasSuffix("1 to the folder; 1 not done\n"), "\(first)")
        #expect(first.errors.contains("is another folder than at the last sync"), "\(first)")
        try remove("one")
        #expect(try await sync("--yes").hasSuffix("\n1 to the folder\n"))
        #expect(read("one") == "one" && read("two") == "two")
        #expect(try await scene.entries(of: someone) == ["one", "two"])
    }

    /// As where a disk is taken away while somebody is asked.
    @Test func anotherFolderWhileItIsAsked() async throws {
        try await fill("one", "removed")
        try remove("removed")
        try await store("new", "new")
        let session = try await asked("1 to the folder, 1 removed from the vault")
        try replaceFolder()
        try await agree(session, to: 1)
        #expect(there.isEmpty)
        #expect(try await scene.entries(of: someone) == ["one", "removed", "new"])
    }

    /// As where a disk is not mounted, and another is: what they begin with may have one number.
    @Test(.enabled(if: SmallDisk.isPossible, "only root can mount a small disk"))
    func anotherDiskAtTheSamePlace() async throws {
        let disks = try (0..<2).map { _ in try SmallDisk(kilobytes: 1024) }
        try await someone.done("vault", "init")
        for (number, disk) in disks.enumerated() {
            let mounted = try Program.run("mount", ["--bind", disk.path, folder])
            try #require(mounted.status == 0, "\(mounted)")
            defer { _ = try? Program.run("umount", [folder]) }
            if number == 0 { try write("one", "one") }
            let result = try await someone.run("vault", "sync", folder, "--yes")
            if number == 0 {
                expect(result, 0, "1 to the vault")
            } else {
                expect(result, 0, "is another folder than at the last sync: nothing is removed", "1 to the folder")
            }
            #expect(read("one") == "one")
        }
        #expect(try await scene.entries(of: someone) == ["one"])
        withExtendedLifetime(disks) {}
    }

    // MARK: While somebody is asked

    /// A file may have been away for a moment only, while somebody saved it.
    @Test func whatIsThereAgainStaysInTheVault() async throws {
        try await fill("one")
        try remove("one")
        let session = try await asked("1 removed from the vault")
        try write("one", "one")
        try await agree(session, to: 1)
        #expect(session.rows.contains { $0.contains("was changed meanwhile") }, "\(session.rows)")
        #expect(try await scene.entries(of: someone) == ["one"])
        #expect(try await sync() == "in step: 1 file\n")
    }

    @Test func whatIsChangedWhileItIsAskedStaysAsItIs() async throws {
        try await fill("changed", "removed")
        for name in ["changed", "removed"] { try await someone.done("vault", "remove", name) }
        try await store("of the vault", "changed")
        let session = try await asked("1 to the folder, 1 removed from the folder")
        for name in ["changed", "removed"] { try write("mine", name) }
        try await agree(session, to: 1)
        #expect(read("changed") == "mine" && read("removed") == "mine")
        #expect(try await content(of: "changed") == "of the vault")
    }

    // MARK: Conflicts

    /// Half of a conflict is done: the folder's file, which is put back, is not taken for what the vault has removed.
    @Test func aConflictThatIsHalfDoneLooksLikeNoRemoval() async throws {
        try await fill("a")
        try write("mine", "a")
        try await someone.done("vault", "remove", "a")
        try await store("theirs", "a")
        let session = try await asked("1 kept twice")
        try remove("a")
        try await agree(session, to: 4)
        let aside = try #require(try await scene.entries(of: someone).first)
        #expect(aside.hasPrefix("a (vault 20"), "\(aside)")
        try write("a", "a")
        #expect(try await sync("--yes").hasSuffix("\n1 to the vault, 1 to the folder\n"))
        #expect(read("a") == "a" && read(aside) == "theirs")
        #expect(try await scene.entries(of: someone) == ["a", aside])
    }

    @Test func aConflictTakesNoNameThatWasRemoved() async throws {
        try await fill()
        var names: Set<String> = []
        for round in ["first", "second"] {
            try write("mine, \(round)", "a")
            if round == "second" { try await someone.done("vault", "remove", "a") }
            try await store("theirs, \(round)", "a")
            #expect(try await sync("--yes", to: 1).hasSuffix("\n1 kept twice\n"))
            let aside = try #require(there.subtracting(["a"]).first)
            let isNew = names.insert(aside).inserted
            #expect(isNew, "\(aside) was removed")
            #expect(read(aside) == "theirs, \(round)")
            try remove(aside)
            try await someone.done("vault", "remove", aside)
        }
    }

    /// What cannot get another name is left alone, and holds up nothing else.
    @Test func aConflictWhoseNameWouldBeTooLong() async throws {
        try await fill()
        let top = Array(repeating: String(repeating: "t", count: 250), count: 16).joined(separator: "/")
        let long = String(repeating: "n", count: 70)
        for name in [long, "b"] {
            try write("of the folder", name)
            try await store("of the vault", "\(top)/\(name)")
        }
        let result = try await someone.run("vault", "sync", folder, "--as", top, "--yes")
        expect(result, 1, "\n1 kept twice; 1 left alone\n", "\(long): such a name cannot stand in a vault")
        let aside = try #require(there.subtracting([long, "b"]).first)
        #expect(there.count == 3 && aside.hasPrefix("b (vault 20") && read(aside) == "of the vault")
        #expect(read(long) == "of the folder" && read("b") == "of the folder")
        #expect(try await content(of: "\(top)/\(long)") == "of the vault")
    }

    // MARK: The last time

    @Test func aLastTimeThatCannotBeReadRemovesNothing() async throws {
        try await fill("one", "two")
        let states = someone.folder + "/vault/syncs"
        let name = try #require(Folder.names(in: states).first)
        let place = URL(fileURLWithPath: "\(states)/\(name)")
        var state = try Data(contentsOf: place)
        state[state.count - 1] ^= 1
        try state.write(to: place)
        try remove("one")
        try await someone.done("vault", "remove", "two")
        let result = try await someone.run("vault", "sync", folder, "--yes")
        expect(result, 0, "what the last sync knew cannot be read: nothing is removed")
        #expect(result.output.hasSuffix("\n1 to the vault, 1 to the folder\n"), "\(result)")
        #expect(there == ["one", "two"])
        #expect(Folder.names(in: states).count == 1, "what nobody can read is cleared away")
    }

    /// Whatever somebody has put where the vault keeps what it knew: nothing of others is removed there, and no pipe is
    /// waited for.
    @Test func aLinkInThePlaceOfTheLastTime() async throws {
        try await someone.done("vault", "init")
        let outside = scene.folder.file("outside")
        try Folder.create(outside)
        for name in ["letter", "letter.txt"] {
            try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(outside)/\(name)"))
        }
        try #require(unsafe mkfifo("\(outside)/\(String(repeating: "a", count: 26))", 0o600) == 0)
        try #require(unsafe symlink(outside, someone.folder + "/vault/syncs") == 0)
        try write("one", "one")
        let result = try await someone.run("vault", "sync", folder, "--yes")
        expect(result, 0, "what the last sync knew cannot be read", "1 to the vault")
        #expect(Set(Folder.names(in: outside)).isSuperset(of: ["letter", "letter.txt"]))
        try remove("one")
        #expect(try await sync("--yes").hasSuffix("\n1 removed from the vault\n"), "it is remembered there, too")
    }

    /// Names may be others then: what is missing under one was not removed.
    @Test func aRepairForgetsTheLastTime() async throws {
        try await fill("one")
        let vault = someone.folder + "/vault"
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(vault + "/index.db" + suffix) }
        try FileManager.default.removeItem(atPath: vault + "/names")
        expect(try await someone.run("vault", "repair"), 0, "recovered 1, 0 under their names")
        #expect(try await sync("--yes").hasSuffix("\n1 to the vault, 1 to the folder\n"))
        #expect(read("one") == "one" && there.count == 2)
        #expect(try await content(of: "one") == "one")
    }
}
