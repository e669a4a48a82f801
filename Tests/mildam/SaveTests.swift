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
        let number = "\(scene.number)"
        expect(try await scene.bob.run("save", "kitchen", number, "-o", path), 6, "cannot create", "File exists")
        #expect(scene.read("copy") == Data("another's".utf8))
        expect(try await scene.bob.run("save", "kitchen", number, "-o", path, "--force"), 0)
        #expect(scene.read("copy") == scene.content)
    }

    @Test func aLinkThatLeadsNowhereStays() async throws {
        let scene = try await FileScene.set()
        let path = scene.house.folder.file("link")
        try #require(unsafe symlink("nowhere", path) == 0)
        scene.proxy.forget()
        expect(try await scene.bob.run("save", "kitchen", "\(scene.number)", "-o", path), 6, "--force")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "nowhere")
        #expect(scene.read("nowhere") == nil)
    }

    /// Without --output: in this folder, under a name that is safe whatever the sender called it.
    @Test func aNameThatDeceives() async throws {
        let scene = try await FileScene.set()
        let name = " .\u{1b}[2Jphoto\u{202e}gnp.exe\n"
        try scene.content.write(to: URL(fileURLWithPath: scene.house.folder.file(name)))
        let number = try await scene.alice.sendFile(scene.house.folder.file(name), to: "kitchen")
        try await scene.bob.done("read", "kitchen")
        let target = try TemporaryFolder()
        expect(
            try await scene.bob.run("save", "kitchen", "\(number)", folder: target.path),
            0,
            "saved [2Jphotognp.exe\n"
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["[2Jphotognp.exe"])
        // There is one of this name now.
        expect(try await scene.bob.run("save", "kitchen", "\(number)", folder: target.path), 6, "--force")
    }

    /// Without a number it is the newest one.
    @Test func theNewestFile() async throws {
        let scene = try await FileScene.set()
        try await scene.alice.done("send", "kitchen", "that was it")
        let copy = scene.house.folder.file("newest")
        expect(try await scene.bob.run("save", "kitchen", "-o", copy), 0, "saved ")
        #expect(scene.read("newest") == scene.content)
        try await scene.bob.done("room", "create", "attic")
        expect(try await scene.bob.run("save", "attic"), 4, "no file was sent to attic")
    }

    /// A file's size is its own, and not that of its ciphertext.
    @Test func aFileHasItsOwnSize() async throws {
        let scene = try await FileScene.set()
        expect(try await scene.bob.run("read", "kitchen", "--json"), 0, #""size":13"#)
    }

    /// What a killed program left behind goes when the client begins; what still waits stays, and is sent once.
    @Test func leftoversGo() async throws {
        let scene = try await FileScene.set()
        let (note, alice) = (scene.house.folder.file("note.txt"), scene.alice)
        try await scene.house.kill()
        expect(try await alice.run("send", "kitchen", "--file", note), 7, "kept", "do not repeat it")
        let waiting = alice.names(in: "sending")
        #expect(waiting.count == 1)
        try await alice.done("client", "stop")

        try Folder.create(alice.folder + "/saving")
        let old = Date(timeIntervalSinceNow: -8 * 86_400)
        for (name, isOld) in [
            ("sending/stale.age", false), ("sending/cut.age.12.34.part", false), ("saving/old.age", true),
            ("saving/new.age", false),
        ] {
            let path = alice.folder + "/" + name
            try Data([1]).write(to: URL(fileURLWithPath: path))
            if isOld { try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path) }
        }
        expect(try await alice.run("status"), 0, "waiting      1")
        #expect(alice.names(in: "sending") == waiting)
        #expect(alice.names(in: "saving") == ["new.age"])
        try await scene.house.restart()
        #expect(try await scene.bob.files(2, in: "kitchen").count == 2)
        try await waitUntil { alice.names(in: "sending").isEmpty }
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
        #expect(alice.names(in: "sending").isEmpty, "something was encrypted")
    }

    /// What is no file on a disk is read through the command.
    @Test func aPipe() async throws {
        let scene = try await FileScene.set()
        let script = "printf %s 'through a pipe' | \"$0\" send kitchen --file /dev/stdin --json"
        let result = try await Program.result(
            of: "/bin/sh",
            ["-c", script, try Program.find("mildam")],
            environment: scene.alice.variables
        )
        expect(result, 0, #""number":"#)
        let number = try #require(try await scene.bob.files(2, in: "kitchen").last?.number)
        let copy = scene.house.folder.file("copy")
        expect(try await scene.bob.run("save", "kitchen", "\(number)", "-o", copy), 0)
        #expect(scene.read("copy") == Data("through a pipe".utf8))
    }
}
