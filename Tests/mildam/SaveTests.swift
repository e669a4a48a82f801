import Foundation
import Glibc
import HouseSupport
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

/// Files on their way: what is in the way stays, what nobody needs goes, what is too large is not begun.
@Suite("Sending and saving files")
struct SaveTests {
    /// Between the look and the end of the download something can get the name.
    @Test func aFileThatAppearsMeanwhileStays() async throws {
        let scene = try await FileScene.set()
        let path = scene.house.folder.file("copy")
        scene.proxy.tamper { route, _, answer in
            if case Routes.blobContent = route { try Data("another's".utf8).write(to: URL(fileURLWithPath: path)) }
            return answer
        }
        expect(try await scene.bob.run("save", "kitchen", "3", "-o", path), 6, "cannot create", "File exists")
        #expect(scene.read("copy") == Data("another's".utf8))
        expect(try await scene.bob.run("save", "kitchen", "3", "-o", path, "--force"), 0)
        #expect(scene.read("copy") == scene.content)
    }

    @Test func aLinkThatLeadsNowhereStays() async throws {
        let scene = try await FileScene.set()
        let path = scene.house.folder.file("link")
        try #require(unsafe symlink("nowhere", path) == 0)
        scene.proxy.forget()
        expect(try await scene.bob.run("save", "kitchen", "3", "-o", path), 6, "--force")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "nowhere")
        #expect(scene.read("nowhere") == nil)
    }

    /// Without --output: in this folder, under a name that is safe whatever the sender called it.
    @Test func aNameThatDeceives() async throws {
        let scene = try await FileScene.set()
        let name = " .\u{1b}[2Jphoto\u{202e}gnp.exe\n"
        try scene.content.write(to: URL(fileURLWithPath: scene.house.folder.file(name)))
        try await scene.alice.done("send", "kitchen", "--file", scene.house.folder.file(name))
        try await scene.bob.done("read", "kitchen")
        let target = try TemporaryFolder()
        expect(
            try await scene.bob.run("save", "kitchen", "4", folder: target.path),
            0,
            "saved [2Jphotognp.exe\n"
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["[2Jphotognp.exe"])
    }

    /// What a killed program left behind goes with the next file; what still waits stays.
    @Test func leftoversGo() async throws {
        let scene = try await FileScene.set()
        let note = scene.house.folder.file("note.txt")
        try await scene.house.kill()
        let (outgoing, incoming) = (scene.alice.folder + "/outgoing", scene.alice.folder + "/incoming")
        expect(try await scene.alice.run("send", "kitchen", "--file", note), 7, "kept")
        let waiting = try FileManager.default.contentsOfDirectory(atPath: outgoing)
        #expect(waiting.count == 1)

        try Folder.create(incoming)
        let old = Date(timeIntervalSinceNow: -8 * 86_400)
        for (path, isOld) in [
            (outgoing + "/stale.age", false), (outgoing + "/cut.age.12.34.part", false), (incoming + "/old.age", true),
            (incoming + "/new.age", false),
        ] {
            try Data([1]).write(to: URL(fileURLWithPath: path))
            if isOld { try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path) }
        }
        expect(try await scene.alice.run("send", "kitchen", "--file", note), 7, "kept")
        let left = try FileManager.default.contentsOfDirectory(atPath: outgoing)
        #expect(left.count == 2 && left.contains(waiting[0]), "\(left)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: incoming) == ["new.age"])
        try await scene.house.restart()
        try await scene.alice.done("send", "kitchen", "after")
        #expect(try await scene.bob.messages("kitchen").suffix(3).map(\.kind) == ["file", "file", "text"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: outgoing) == [])
    }

    /// One that fits as it is, but not once it is encrypted, is as much too large as one that does not fit at all.
    @Test(arguments: [Limits.blob + 1, Limits.blob - 1_000_000])
    func tooLarge(_ size: Int) async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        let path = house.folder.file("large")
        try Data().write(to: URL(fileURLWithPath: path))
        try #require(unsafe truncate(path, size) == 0)
        expect(
            try await alice.run("send", "kitchen", "--file", path),
            1,
            "over the 4294967296 bytes that a relay takes"
        )
        #expect(!FileManager.default.fileExists(atPath: alice.folder + "/outgoing"), "something was encrypted")
        #expect(try await alice.account().unsent == 0)
    }
}
