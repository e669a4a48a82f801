import Foundation
import Glibc
import HouseSupport
import MildamSystem
import TestSupport
import Testing

/// `mildam vault`, as it is typed.
@Suite("A vault, at the command line")
struct VaultCommandTests {
    private let scene: VaultScene
    private let someone: Person

    init() throws {
        scene = try VaultScene()
        someone = scene.someone()
    }

    /// Three files, tagged "three", and a note: what most of these tests begin with.
    private func fill() async throws {
        let files = try scene.makeFiles(3)
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", files, "--tag", "three")
        try await someone.done("vault", "add", "-", "--as", "notes/one.txt", input: "from a pipe")
    }

    @Test func making() async throws {
        expect(try await someone.run("vault", "list"), 4, "vault init")
        try await someone.done("vault", "init")
        expect(try await someone.run("vault", "init"), 6, "not empty")
    }

    @Test func adding() async throws {
        let files = try scene.makeFiles(3)
        try await someone.done("vault", "init")
        try #require(unsafe symlink("0", files + "/link") == 0)
        try #require(unsafe mkfifo(files + "/pipe", 0o600) == 0)
        let added = try await someone.run("vault", "add", files, "--tag", "three")
        #expect(added.status == 6 && added.output == "added 3, 2 not\n", "\(added)")
        #expect(added.errors.contains("a symbolic link") && added.errors.contains("no regular file"), "\(added)")
    }

    @Test func addingFromStandardInput() async throws {
        try await someone.done("vault", "init")
        expect(try await someone.run("vault", "add", "-", "--as", "notes/one.txt", input: "from a pipe"), 0, "added 1")
        expect(try await someone.run("vault", "add", "-", input: "from a pipe"), 2, "--as")
        let again = try await someone.run("vault", "add", "-", "--as", "notes/one.txt", input: "from a pipe")
        expect(again, 0, "added 0, 1 as before")
        let shared = try await someone.run("vault", "add", "-", "--as", "two", input: "from a pipe")
        expect(shared, 0, "added 1, 1 of them with content that was there")
        expect(try await someone.run("vault", "add", "-", "--as", "../two", input: "x"), 2, "..")
        expect(try await someone.run("vault", "get", "notes/one.txt"), 0, "from a pipe")
        expect(try await someone.run("vault", "get", "notes/two.txt"), 4)
    }

    /// A vault does not take in itself.
    @Test func addingTheVault() async throws {
        try await someone.done("vault", "init")
        let own = try await someone.run("vault", "add", someone.folder + "/vault/index.db")
        #expect(own.status == 6 && own.errors.contains("index.db is a part of the vault itself"), "\(own)")
        let whole = try await someone.run("vault", "add", someone.folder)
        #expect(whole.status == 6 && whole.errors.contains("vault is a part of the vault itself"), "\(whole)")
        expect(try await someone.run("vault", "search", "index.db"), 0, "nothing")
        expect(try await someone.run("vault", "list"), 0, "someone/root.key", "someone/lock")
    }

    /// Where the copy of the names belongs, somebody has put a link to a folder: nothing of others is removed there.
    @Test func aLinkInThePlaceOfTheNames() async throws {
        let (outside, names) = (scene.folder.file("outside"), someone.folder + "/vault/names")
        try Folder.create(outside)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: outside + "/1.age"))
        try await someone.done("vault", "init")
        try #require(unsafe symlink(outside, names) == 0)
        expect(try await someone.run("vault", "add", "-", "--as", "note", input: "a note"), 6, "vault/names")
        #expect(Folder.names(in: outside) == ["1.age"])
        try FileManager.default.removeItem(atPath: names)
        expect(try await someone.run("vault", "list"), 0, "nothing")
        expect(try await someone.run("vault", "add", "-", "--as", "note", input: "a note"), 0, "added 1")
    }

    /// Nothing comes after the largest number, which somebody has given a file there.
    @Test func aFileOfNamesOfTheLastNumber() async throws {
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", "-", "--as", "note", input: "a note")
        let path = someone.folder + "/vault/names/\(Int.max).age"
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        let refused = try await someone.run("vault", "add", "-", "--as", "two", input: "another")
        expect(refused, 6, "write a file after")
        try FileManager.default.removeItem(atPath: path)
        expect(try await someone.run("vault", "add", "-", "--as", "two", input: "another"), 0, "added 1")
        #expect(try await scene.entries(of: someone) == ["note", "two"])
    }

    @Test func searchingMovingAndTagging() async throws {
        try await fill()
        expect(try await someone.run("vault", "search", "THREE"), 0, "many/0", "many/1", "many/2")
        expect(try await someone.run("vault", "search", "plain", "notes"), 0, "notes/one.txt")
        expect(try await someone.run("vault", "move", "notes/one.txt", "many/0"), 6)
        expect(try await someone.run("vault", "move", "notes/one.txt", "notes/b.txt"), 0)
        expect(try await someone.run("vault", "tag", "notes/b.txt", "--add", "b", "--add", "a"), 0, "a, b")
        expect(try await someone.run("vault", "tag", "notes/b.txt", "--add", ""), 2, "tag")
        expect(try await someone.run("vault", "export", "x", "--table", "y.csv", "--force"), 2, "--force")
    }

    @Test func verifyingRekeyingAndRemoving() async throws {
        try await fill()
        expect(try await someone.run("vault", "verify"), 0, "4 sound, 0 damaged, 0 unknown")
        expect(try await someone.run("vault", "rekey"), 0, "4 files")
        expect(try await someone.run("vault", "rekey", "--full"), 0, "4 files")
        expect(try await someone.run("vault", "remove", "many/0", "nothing"), 4)
        expect(try await someone.run("vault", "remove", "many/0"), 0)
        expect(try await someone.run("vault", "verify"), 0, "3 sound")
        try await scene.expectSound(someone, ["many/1", "many/2"], "at the end")
    }

    /// What cannot be done for one is named, and done for the others.
    @Test func oneThatFailsHoldsUpNoOther() async throws {
        let files = try scene.makeFiles(3)
        try await someone.done("vault", "init")
        try await someone.done("vault", "add", files)
        try await someone.done("vault", "move", "many/0", "many/1/inside")
        let out = scene.folder.file("out")
        let first = try await someone.run("vault", "export", out)
        #expect(first.status == 6 && first.output.contains("exported 2"), "\(first)")
        #expect(first.errors.contains("many/1/inside: another file of this name stands in the way"), "\(first)")
        let again = try await someone.run("vault", "export", out, "--json")
        #expect(again.status == 6 && again.output.contains("--force to replace it"), "\(again)")
        expect(try await someone.run("vault", "export", out, "many/2"), 6, "--force to replace it")
        expect(try await someone.run("vault", "export", out + "/many/2"), 6, "many/2")
        expect(try await someone.run("vault", "list", "many/"), 0, "many/2")
        expect(try await someone.run("vault", "list", "nothing"), 4, "nothing")
        expect(try await someone.run("vault", "import", "nowhere.csv"), 4, "nowhere.csv")
        expect(try await someone.run("vault", "store-password", "--json"), 0, "{\"password\":\"")
        // Nothing can be made there: one line, and no end without one.
        expect(try await someone.run("vault", "init", "--vault", "/proc/nothing/vault"), 4, "/proc/nothing")
        expect(try await someone.run("vault", "add", "-", files, "--as", "x", input: "x"), 2, "alone")
        // It is not the vault's file that is missing.
        expect(try await someone.run("vault", "get", "many/2", "-o", scene.folder.file("nowhere/x")), 4, "nowhere/x")
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
        try await someone.done("vault", "init")
        let lock = try ProcessLock(waitingFor: someone.folder + "/vault/lock")
        let program = try someone.start("vault", "verify")
        #expect(try await program.complaint(with: "waiting for another program") != nil)
        _ = consume lock
        expect(try await program.end(), 0, "0 sound")
    }

    @Test func aRootKeyThatIsLostIsNotMadeAnew() async throws {
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
}
