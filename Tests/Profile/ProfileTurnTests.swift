import Foundation
import Glibc
import MildamProfile
import MildamSystem
import TestSupport
import Testing

@Suite("A beginning that came to nothing")
struct ProfileTurnTests {
    private let folder: TemporaryFolder
    private let profile: OpenProfile

    init() throws {
        folder = try TemporaryFolder()
        profile = OpenProfile(folder: folder.file("data/of/alice"))
    }

    private var files: Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: profile.place.folder)) ?? [])
    }

    private func write(_ name: String) throws {
        try Data(name.utf8).write(to: URL(fileURLWithPath: "\(profile.place.folder)/\(name)"))
    }

    /// Makes what a client does.
    private func begin() async throws -> ProfileTurn {
        let turn = try await ProfileTurn(waitingFor: profile.place)
        #expect(turn.isFirst)
        try profile.rootKey(during: turn)
        try write("messenger.db")
        turn.noteMade()
        return turn
    }

    @Test func itLeavesNothing() async throws {
        try await begin().takeBack()
        #expect(!WholeFile.exists(folder.file("data")))
    }

    @Test func whatOthersMadeStays() async throws {
        let turn = try await begin()
        // The key of another program, in the place of the one that was made, with what lies under it.
        let key = profile.place.folder + "/root.key"
        let database = profile.place.messages
        for path in [key, database] { try FileManager.default.moveItem(atPath: path, toPath: path + "-before") }
        for name in ["root.key", "messenger.db", "messenger.db-wal", "keychain.db"] { try write(name) }
        turn.takeBack()
        #expect(files.isSuperset(of: ["root.key", "messenger.db", "messenger.db-wal", "keychain.db"]), "\(files)")
    }

    @Test func aProfileThatWasUsedStays() async throws {
        _ = try await begin()
        let turn = try await ProfileTurn(waitingFor: profile.place)
        #expect(!turn.isFirst)
        turn.noteMade()
        turn.takeBack()
        #expect(files.isSuperset(of: ["root.key", "messenger.db"]), "\(files)")
    }

    /// Whoever waits for its turn makes the folder anew, and a key of its own.
    @Test func whoWaitsMakesItAnew() async throws {
        var turn: ProfileTurn? = try await begin()
        let key = try profile.rootKey.rootKey(making: false)
        let waiting = Task { [profile] in try await Blocking.run { try profile.rootKey.rootKey(making: true) } }
        _ = await eventually {
            let locks = (try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? ""
            return locks.split(separator: "\n").contains { $0.contains("-> FLOCK") && $0.contains(" \(getpid()) ") }
        }
        turn?.takeBack()
        #expect(!WholeFile.exists(profile.place.folder))
        turn = nil
        let made = try await waiting.value
        #expect(try made != key && profile.rootKey.rootKey(making: false) == made)
    }
}
