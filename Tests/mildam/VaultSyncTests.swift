import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// `mildam vault sync`, as it is typed.
@Suite("A folder and a vault in step, at the command line")
struct VaultSyncTests: SyncSuite {
    let scene: VaultScene
    let someone: Person
    let folder: String

    init() throws {
        scene = try VaultScene()
        someone = scene.someone()
        folder = scene.folder.file("plain")
        try Folder.create(folder)
    }

    @Test func bothWays() async throws {
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", "-", "--as", "from/vault.txt", input: "of the vault")
        try write("of the folder", "here/folder.txt")
        let trial = try await sync("--dry-run")
        #expect(trial.contains("to the folder, new  from/vault.txt\n"), "\(trial)")
        #expect(trial.contains("to the vault, new   here/folder.txt\n"), "\(trial)")
        #expect(trial.hasSuffix("1 to the vault, 1 to the folder\n"), "\(trial)")
        #expect(there == ["here/folder.txt"])
        _ = try await sync("--yes")
        #expect(there == ["here/folder.txt", "from/vault.txt"])
        #expect(read("from/vault.txt") == "of the vault")
        #expect(try await content(of: "here/folder.txt") == "of the folder")
        #expect(try await sync("--yes") == "in step: 2 files\n")

        // Changed on one side, removed on the other.
        try write("changed", "here/folder.txt")
        try await someone.done("vault", "remove", "from/vault.txt")
        let changes = try await sync("--yes")
        #expect(changes.contains("to the vault, changed   here/folder.txt\n"), "\(changes)")
        #expect(changes.contains("remove from the folder  from/vault.txt\n"), "\(changes)")
        #expect(there == ["here/folder.txt"])
        #expect(!Folder.isFolder("\(folder)/from"))
        #expect(try await content(of: "here/folder.txt") == "changed")
        expect(try await someone.run("vault", "restore", "here/folder.txt", "-o", "-"), 0, "of the folder")
        try FileManager.default.removeItem(atPath: "\(folder)/here/folder.txt")
        #expect(try await sync("--yes").hasSuffix("1 removed from the vault\n"))
        expect(try await someone.run("vault", "list"), 0, "nothing")
        #expect(try await sync() == "in step: 0 files\n", "what is in step asks for nothing")

        // What was the same from the first time on is known, too.
        try write("both", "both")
        try await someone.done("vault", "add", folder + "/both")
        #expect(try await sync() == "in step: 1 file\n")
        try FileManager.default.removeItem(atPath: folder + "/both")
        #expect(try await sync("--yes").hasSuffix("1 removed from the vault\n"))
    }

    @Test func aFolderOfTheVault() async throws {
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", "-", "--as", "other/one", input: "not this one")
        try await someone.done("vault", "add", "-", "--as", "photos/one", input: "this one")
        try write("new", "two")
        _ = try await sync("--yes", "--as", "photos/")
        #expect(there == ["one", "two"])
        #expect(try await scene.entries(of: someone) == ["other/one", "photos/one", "photos/two"])
        // With another folder of the vault it is another synchronisation.
        let other = try await sync("--dry-run", "--as", "other")
        #expect(other.contains("one, and the vault's as one (vault "), "\(other)")
    }

    @Test func itAsksFirst() async throws {
        try await someone.done("vault", "init")
        try write("one", "one")
        let nobody = try await someone.run("vault", "sync", folder)
        #expect(nobody.status == 6 && nobody.errors.contains("--yes"), "\(nobody)")
        #expect(try await scene.entries(of: someone) == [])
        let script = "\"$@\"; echo \"ended $?\"; read -r line"
        for (answer, status) in [("n", "ended 6"), ("y", "ended 0")] {
            let session = try TerminalSession(
                script,
                [try Program.find("mildam"), "vault", "sync", folder],
                environment: someone.variables
            )
            #expect(try await session.see("1 to the vault. Do it? [y/N]"), "\(session.rows)")
            #expect(session.rows.contains { $0.contains("to the vault, new  one") }, "\(session.rows)")
            session.type(answer + "\n")
            #expect(try await session.see(status), "\(session.rows)")
            #expect(try await scene.entries(of: someone) == (answer == "n" ? [] : ["one"]))
        }
    }

    @Test func aConflictKeepsBoth() async throws {
        try await someone.done("vault", "init")
        try write("first", "notes.txt")
        _ = try await sync("--yes")
        try write("mine", "notes.txt")
        try await someone.done("vault", "remove", "notes.txt")
        try await someone.done("vault", "add", "-", "--as", "notes.txt", input: "theirs")
        let result = try await sync("--yes", to: 1)
        #expect(result.hasSuffix("1 kept twice\n"), "\(result)")
        let aside = try #require(there.subtracting(["notes.txt"]).first)
        #expect(aside.hasPrefix("notes (vault 20") && aside.hasSuffix(").txt"))
        #expect(read("notes.txt") == "mine" && read(aside) == "theirs")
        #expect(try await content(of: "notes.txt") == "mine")
        #expect(try await content(of: aside) == "theirs")
        #expect(try await sync("--yes") == "in step: 2 files\n")
    }

    /// Without a last time there is nothing that was removed, and what differs was changed by both.
    @Test func theFirstTime() async throws {
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", "-", "--as", "both", input: "the same")
        try await someone.done("vault", "add", "-", "--as", "other", input: "of the vault")
        try write("the same", "both")
        try write("of the folder", "other")
        let answer = try await sync("--yes", "--json", to: 1)
        #expect(answer.contains(#""action":"keep-both""#) && answer.contains(#""same":1"#), "\(answer)")
        #expect(there.count == 3)
    }

    @Test func timesAreKept() async throws {
        let moment = Date(timeIntervalSince1970: 1_000_000_000)
        try await someone.done("vault", "init")
        try write("old", "old")
        try FileManager.default.setAttributes([.modificationDate: moment], ofItemAtPath: "\(folder)/old")
        _ = try await sync("--yes")
        let other = scene.folder.file("other")
        try Folder.create(other)
        try await someone.done("vault", "sync", other, "--yes")
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(other)/old")
        #expect(attributes[.modificationDate] as? Date == moment)
    }

    @Test func whatGetsAnotherContentKeepsItsPermissions() async throws {
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.posixPermissions] as? Int
        }
        try await someone.done("vault", "init")
        for (name, mode) in [("run.sh", 0o4755), ("page.html", 0o644), ("secret", 0o400)] as [(String, mode_t)] {
            try write("one", name)
            try #require(unsafe chmod("\(folder)/\(name)", mode) == 0)
        }
        _ = try await sync("--yes")
        for name in ["run.sh", "page.html", "secret"] {
            try await someone.done("vault", "remove", name)
            try await someone.done("vault", "add", "-", "--as", name, input: "two")
        }
        try await someone.done("vault", "add", "-", "--as", "new", input: "two")
        #expect(try await sync("--yes").hasSuffix("\n4 to the folder\n"))
        #expect(read("run.sh") == "two" && read("secret") == "two")
        // Another content runs in nobody else's name.
        #expect(try mode("run.sh") == 0o755 && mode("page.html") == 0o644 && mode("secret") == 0o400)
        #expect(try mode("new") == 0o600)
        #expect(try await sync("--yes") == "in step: 4 files\n")
    }

    /// A folder that was made anew, or on whose place a disk is not mounted, has removed nothing.
    @Test func anotherFolderRemovesNothing() async throws {
        try await someone.done("vault", "init")
        try write("one", "one")
        _ = try await sync("--yes")
        // While it has the name, no other folder gets its number.
        try FileManager.default.moveItem(atPath: folder, toPath: folder + "-before")
        try Folder.create(folder)
        let result = try await someone.run("vault", "sync", folder, "--yes")
        expect(result, 0, "is another folder than at the last sync: nothing is removed", "1 to the folder")
        #expect(read("one") == "one")
        try FileManager.default.removeItem(atPath: "\(folder)/one")
        #expect(try await sync("--yes").hasSuffix("1 removed from the vault\n"))
    }

    /// What lay on a disk that is gone was not removed, and of another disk in its place nothing is known.
    @Test(.enabled(if: SmallDisk.isPossible)) func aDiskBelowItThatIsGoneRemovesNothing() async throws {
        try await someone.done("vault", "init")
        try write("top", "top")
        try Folder.create(folder + "/disk")
        do {
            let disk = try SmallDisk(kilobytes: 256, on: folder + "/disk")
            try write("on it", "disk/photo")
            _ = try await sync("--yes")
            #expect(try await sync("--yes") == "in step: 2 files\n")
            withExtendedLifetime(disk) {}
        }
        for isThere in [true, false] {
            if !isThere { try FileManager.default.removeItem(atPath: folder + "/disk") }
            let gone = try await someone.run("vault", "sync", folder, "--yes")
            #expect(gone.status == 6 && gone.output == "in step: 1 file; 1 left alone\n", "\(gone)")
            #expect(gone.errors.contains("/disk is a folder whose disk is not mounted"), "\(gone)")
            #expect(try await scene.entries(of: someone) == ["top", "disk/photo"])
        }
        try Folder.create(folder + "/disk")
        let other = try SmallDisk(kilobytes: 256, on: folder + "/disk")
        let result = try await someone.run("vault", "sync", folder, "--yes")
        expect(result, 0, "another disk than at the last sync: nothing is removed below it, and what differs is kept")
        #expect(read("disk/photo") == "on it")
        // From then on it is known.
        try FileManager.default.removeItem(atPath: folder + "/disk/photo")
        #expect(try await sync("--yes").hasSuffix("1 removed from the vault\n"))
        withExtendedLifetime(other) {}
    }

    /// What another folder has, a disk of backups for one, may be older than what the vault has: both are kept.
    @Test func anotherFolderReplacesNothing() async throws {
        try await someone.done("vault", "init")
        for name in ["diary.txt", "letter.txt"] { try write("one", name) }
        _ = try await sync("--yes")
        try await someone.done("vault", "remove", "diary.txt")
        try await someone.done("vault", "add", "-", "--as", "diary.txt", input: "two")
        // While it has the name, no other folder gets its number.
        try FileManager.default.moveItem(atPath: folder, toPath: folder + "-before")
        // The diary is as it was the last time, and only the letter is in the vault.
        try write("one", "diary.txt")
        try write("zero", "letter.txt")
        let result = try await someone.run("vault", "sync", folder, "--yes")
        expect(result, 1, "nothing is removed, and what differs is kept twice", "2 kept twice")
        #expect(read("diary.txt") == "one" && read("letter.txt") == "zero")
        let asides = there.subtracting(["diary.txt", "letter.txt"]).sorted()
        #expect(asides.map { read($0) } == ["two", "one"], "\(asides)")
        for name in there { #expect(try await content(of: name) == read(name), "\(name)") }
        #expect(try await sync("--yes") == "in step: 4 files\n")
    }

    @Test func hostileNames() async throws {
        try await someone.done("vault", "init")
        let outside = scene.folder.file("outside")
        try Folder.create(outside)
        for name in ["letters/one", "pipe", "link", "tree/one"] {
            try await someone.done("vault", "add", "-", "--as", name, input: "of the vault: \(name)")
        }
        _ = try await sync("--yes")
        for name in ["letters", "tree"] { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        for name in ["pipe", "link"] { #expect(unsafe unlink("\(folder)/\(name)") == 0) }
        try #require(unsafe symlink(outside, "\(folder)/letters") == 0)
        try #require(unsafe symlink("/etc/passwd", "\(folder)/link") == 0)
        try #require(unsafe mkfifo("\(folder)/pipe", 0o600) == 0)
        try write("a control character", "a\u{1B}[2Jb")
        try write("a line break", "a\nb")
        try #require(unsafe mkdir("\(folder)/tree", 0o700) == 0)
        // What is below a link, or called like a pipe, was not removed; "tree/one" was.
        let result = try await someone.run("vault", "sync", folder, "--yes")
        #expect(result.status == 6, "\(result)")
        #expect(result.output.hasSuffix("1 removed from the vault; 5 left alone\n"), "\(result)")
        #expect(result.errors.split(separator: "\n").count == 5 && !result.errors.contains("\u{1B}"), "\(result)")
        #expect(result.errors.contains("letters is a symbolic link"), "\(result)")
        #expect(result.errors.contains("pipe is no regular file"), "\(result)")
        #expect(result.errors.contains("a line break or another control character"))
        #expect(try await scene.entries(of: someone) == ["letters/one", "pipe", "link"])
        // Nothing is written through a link, whatever comes from the vault.
        try await someone.done("vault", "add", "-", "--as", "letters/two", input: "new")
        expect(try await someone.run("vault", "sync", folder, "--dry-run", "--json"), 6, #""steps":[]"#)
        #expect(Folder.names(in: outside).isEmpty)
    }

    @Test func whereItCannotBe() async throws {
        try await someone.done("vault", "init")
        try write("one", "one")
        expect(try await someone.run("vault", "sync", folder + "-missing", "--yes"), 4, "No such file")
        expect(try await someone.run("vault", "sync", "\(folder)/one", "--yes"), 6, "Not a directory")
        let vault = someone.folder + "/vault"
        expect(try await someone.run("vault", "sync", vault, "--yes"), 6, "a part of the vault itself")
        expect(try await someone.run("vault", "sync", vault + "/files", "--yes"), 6, "a part of the vault itself")
        expect(try await someone.run("vault", "sync", folder, "--as", "../x"), 2, "..")
        // A folder and a file of one name: the one that cannot be is told.
        try await someone.done("vault", "add", "-", "--as", "one/two", input: "below it")
        let result = try await someone.run("vault", "sync", folder, "--yes")
        #expect(result.status == 6 && result.output.hasSuffix("1 to the vault; 1 not done\n"), "\(result)")
        #expect(read("one") == "one")
    }

    @Test func whatItKnowsIsSealed() async throws {
        try await someone.done("vault", "init")
        try write("one", "a telling name")
        _ = try await sync("--yes")
        let states = someone.folder + "/vault/syncs"
        let names = try FileManager.default.contentsOfDirectory(atPath: states)
        #expect(names.count == 1)
        for name in names {
            let content = try Data(contentsOf: URL(fileURLWithPath: "\(states)/\(name)"))
            #expect(content.range(of: Data("telling".utf8)) == nil && content.range(of: Data("plain".utf8)) == nil)
        }
        expect(try await someone.run("vault", "verify"), 0, "1 sound, 0 damaged, 0 unknown")
    }
}
