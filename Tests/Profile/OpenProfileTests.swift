import Foundation
import MildamCrypto
import MildamKeychain
import MildamProfile
import MildamStorage
import TestSupport
import Testing

@Suite("A profile is opened through the library alone")
struct OpenProfileTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    // MARK: The root key in a file

    @Test func itsKeyIsInAFile() async throws {
        let profile = try await scene.open()
        #expect(scene.files.isEmpty, "opening makes nothing")
        let key = try profile.rootKey.rootKey(making: true)
        #expect(scene.files == ["lock", "root.key"])
        #expect(try scene.permissions("") == 0o700 && scene.permissions("root.key") == 0o600)
        #expect(try await scene.open().rootKey.rootKey(making: false) == key)
        #expect(try OpenProfile(folder: scene.place.folder).rootKey.rootKey(making: true) == key)
        #expect(scene.asked.isEmpty)
    }

    @Test(arguments: ["messenger.db", "vault/vault.keys"])
    func noKeyIsMadeBesideWhatLiesUnderAnother(_ name: String) async throws {
        try FileManager.default.createDirectory(
            atPath: scene.place.vault,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try Data().write(to: URL(fileURLWithPath: scene.place.folder + "/" + name))
        let profile = try await scene.open()
        #expect(throws: StorageError.self) { try profile.rootKey.rootKey(making: true) }
        let lock = try await scene.place.waitForLock()
        #expect(throws: StorageError.self) { try profile.rootKey(holding: lock) }
        #expect(!scene.files.contains("root.key"))
    }

    // MARK: The root key in the keychain

    @Test func itsKeyIsInAKeychainThatThisProgramOpens() async throws {
        try await scene.makeKeychain()
        let key = try await scene.open().rootKey.rootKey(making: true)
        #expect(scene.asked == [.passphrase])
        #expect(!scene.files.contains("root.key"))
        #expect(try await scene.open().rootKey.rootKey(making: false) == key)
        scene.passphrase = "another"
        await #expect(throws: KeychainError.wrongSecret) { try await scene.open() }
    }

    @Test func itsKeyIsInAKeychainThatAnAgentKeeps() async throws {
        try await scene.makeKeychain()
        let folder = scene.place.folder
        defer { _ = try? scene.work("stop", folder) }
        let wrong = try Program.run("mildam-profile-worker", ["open", folder, "another"])
        #expect(wrong.status == 1 && wrong.output.contains("is wrong"), "\(wrong)")
        let first = try scene.work("open", folder, scene.passphrase)
        #expect(first.count == 2 && first.first == "asked")
        // The agent runs and is open: nobody is asked again.
        #expect(try scene.work("open", folder, "another") == [first[1]])
        // It is the same key that a program finds which opens the file itself.
        #expect(try await Scene.line(scene.open().rootKey.rootKey(making: false)) == first[1])
    }

    /// A copy of the program is another program: it would be given none of what the agent keeps.
    @Test func anAgentOfAnotherProgramIsAskedForNothing() async throws {
        try await scene.makeKeychain()
        let folder = scene.place.folder
        defer { _ = try? scene.work("stop", folder) }
        let first = try scene.work("open", folder, scene.passphrase)
        let copy = scene.folder.file("copy")
        try FileManager.default.copyItem(atPath: Program.find("mildam-profile-worker"), toPath: copy)
        let refused = try Program.run(copy, ["open", folder, scene.passphrase])
        #expect(refused.status == 1 && refused.output.contains("end it with `mildam lock --stop`"), "\(refused)")
        #expect(refused.output.contains(scene.place.keychain.path), "\(refused)")
        // It may end the agent, and then has one of its own.
        #expect(try Program.run(copy, ["stop", folder]).status == 0)
        let opened = try Program.run(copy, ["open", folder, scene.passphrase])
        #expect(opened.output.split(separator: "\n").last.map(String.init) == first.last, "\(opened)")
        // The agent's program is gone: nobody is its owner, and who comes next takes its place.
        try FileManager.default.removeItem(atPath: copy)
        #expect(try scene.work("open", folder, scene.passphrase) == first)
    }

    // MARK: Moving

    @Test func itsKeyMovesWhenTheKeychainIsOpen() async throws {
        let folder = scene.place.folder
        let old = try await scene.open().rootKey.rootKey(making: true)
        try await scene.makeKeychain()
        defer { _ = try? scene.work("stop", folder) }
        // A keychain that nobody has opened changes nothing, and is not asked for.
        #expect(try scene.work("open", folder, "another", "moving") == [Scene.line(old)])
        #expect(try await scene.open().moveRootKey { true } == false)
        #expect(scene.files.contains("root.key") && scene.asked.isEmpty)

        _ = try scene.work("unlock", folder, scene.passphrase)
        let moved = try scene.work("open", folder, "another", "moving")
        #expect(moved.count == 2 && moved.first == "moved" && moved.last != Scene.line(old))
        #expect(scene.files.isDisjoint(with: ["root.key", "root.key.earlier"]))
        let profile = try await scene.open()
        #expect(try Scene.line(profile.rootKey.rootKey(making: false)) == moved.last)
        #expect(try profile.rootKey.earlierRootKey() == old)
        #expect(try await profile.moveRootKey { true } == false, "it moves once")
    }

    @Test func aMoveThatWasInterruptedIsEndedByTheNext() async throws {
        let old = try await scene.open().rootKey.rootKey(making: true)
        try await scene.makeKeychain()
        // The move has begun: the file has its other name, and a new key is not in the keychain yet.
        try FileManager.default.moveItem(
            atPath: scene.place.folder + "/root.key",
            toPath: scene.place.folder + "/root.key.earlier"
        )
        let profile = try await scene.open()
        let key = try profile.rootKey.rootKey(making: true)
        #expect(try key != old && profile.rootKey.earlierRootKey() == old)
        #expect(try await profile.moveRootKey { false } == false, "something could not be sealed anew")
        #expect(scene.files.contains("root.key.earlier"))
        var sealed: [Bool] = []
        let isMoved = try await profile.moveRootKey {
            sealed.append(try profile.rootKey.earlierRootKey() == old)
            return true
        }
        #expect(isMoved && sealed == [true])
        #expect(!scene.files.contains("root.key.earlier"))
        #expect(try profile.rootKey.rootKey(making: false) == key)
        #expect(try profile.rootKey.earlierRootKey() == old)
    }
}
