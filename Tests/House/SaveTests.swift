import Foundation
import Glibc
import MildamFiles
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamMessenger

/// Files on their way: what is in the way stays, what nobody needs goes, what is too large is not begun.
@Suite("Sending and saving files")
struct SaveTests {
    /// alice has sent a file, number 3; bob meets the relay through a proxy.
    private struct Scene {
        let house: House
        let proxy: TamperingProxy
        let alice: Person
        let bob: Person
        let content = Data("what was sent".utf8)

        static func set() async throws -> Scene {
            let house = try await House.open()
            let proxy = try TamperingProxy.start(before: house.relay.url)
            let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
            for person in [alice, bob] { try await person.create() }
            try await house.room("kitchen", of: [alice, bob])
            let scene = Scene(house: house, proxy: proxy, alice: alice, bob: bob)
            try scene.content.write(to: URL(fileURLWithPath: house.folder.file("note.txt")))
            try await alice.done("send", "kitchen", "--file", house.folder.file("note.txt"))
            try await bob.done("read", "kitchen")
            return scene
        }

        func read(_ name: String) -> Data? { FileManager.default.contents(atPath: house.folder.file(name)) }
    }

    /// Between the look and the end of the download something can get the name.
    @Test func aFileThatAppearsMeanwhileStays() async throws {
        let scene = try await Scene.set()
        let path = scene.house.folder.file("copy")
        scene.proxy.tamper { route, _, answer in
            if case Routes.blobContent = route { try Data("another's".utf8).write(to: URL(fileURLWithPath: path)) }
            return answer
        }
        expect(try await scene.bob.run("save", "kitchen", "3", "-o", path), 1, "cannot create", "File exists")
        #expect(scene.read("copy") == Data("another's".utf8))
        expect(try await scene.bob.run("save", "kitchen", "3", "-o", path, "--force"), 0)
        #expect(scene.read("copy") == scene.content)
    }

    @Test func aLinkThatLeadsNowhereStays() async throws {
        let scene = try await Scene.set()
        let path = scene.house.folder.file("link")
        try #require(unsafe symlink("nowhere", path) == 0)
        scene.proxy.forget()
        expect(try await scene.bob.run("save", "kitchen", "3", "-o", path), 1, "--force")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "nowhere")
        #expect(scene.read("nowhere") == nil)
    }

    /// Without --output: in this folder, under a name that is safe whatever the sender called it.
    @Test func aNameThatDeceives() async throws {
        let scene = try await Scene.set()
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

    /// Saved is on the disk, under its name.
    @Test(arguments: [[], ["--force"]])
    func savedSurvivesAPowerCut(_ more: [String]) async throws {
        let scene = try await Scene.set()
        let target = try TemporaryFolder()
        let cut = try PowerCut(following: target.path)
        let saved = try await Program.result(
            of: "mildam",
            ["-p", "bob", "save", "kitchen", "3", "-o", target.file("copy")] + more,
            environment: cut.environment.merging(["MILDAM_HOME": scene.bob.home]) { $1 }
        )
        expect(saved, 0)
        let disk = try cut.restored()
        #expect(FileManager.default.contents(atPath: disk.file("copy")) == scene.content)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == ["copy"])
    }

    /// What a killed program left behind goes with the next file; what still waits stays.
    @Test func leftoversGo() async throws {
        let scene = try await Scene.set()
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

    enum Lie: CaseIterable, Sendable {
        case negative, beyond, otherSize, otherBlob, pieceBeyond, pieceHuge, pieceNegative
    }

    /// A relay that says how much it has of an upload, and cannot have it.
    @Test(arguments: Lie.allCases)
    func anUploadThatCannotBe(_ lie: Lie) async throws {
        let scene = try await Scene.set()
        let note = scene.house.folder.file("note.txt")
        scene.proxy.tamper { route, request, answer in
            guard let blob = Routes.blob.names(in: route)?.blob else { return answer }
            let size = AgeFile.size(ofContent: scene.content.count)
            let isPiece = request.method == .put
            var state = BlobState(blob: blob, size: size, received: isPiece ? size : 0)
            switch (lie, isPiece) {
            case (.negative, false): state.received = .min
            case (.beyond, false): state.received = size + 1
            case (.otherSize, false): state.size = size + 1
            case (.otherBlob, false): state.blob = .random()
            case (.pieceBeyond, true): state.received = size + 1
            case (.pieceHuge, true): state.received = 1 << 62
            case (.pieceNegative, true): state.received = -1
            default: break
            }
            return HTTPResponse(status: 200, body: Array(try JSONEncoder().encode(state)))
        }
        expect(try await scene.bob.run("send", "kitchen", "--file", note), 5, "the state of an upload")
        #expect(try await scene.bob.account().unsent == 0)
        // An honest relay gets it whole.
        scene.proxy.behave()
        try await scene.bob.done("send", "kitchen", "--file", note)
        let copy = scene.house.folder.file("copy")
        try await scene.alice.done("read", "kitchen")
        try await scene.alice.done("save", "kitchen", "4", "-o", copy)
        #expect(scene.read("copy") == scene.content)
    }
}
