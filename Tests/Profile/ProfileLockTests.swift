import Foundation
import Glibc
import MildamProfile
import MildamStorage
import MildamSystem
import TestSupport
import Testing

@Suite("A profile's lock")
struct ProfileLockTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    @Test func itIsRefusedWhileAnotherProgramHoldsIt() async throws {
        let other = try Program("mildam-profile-worker", ["hold", scene.place.folder])
        #expect(try await other.line(with: "held") != nil)
        let taken = try scene.place.takeLock()
        let isTaken = taken != nil
        #expect(!isTaken)
        #expect(try scene.permissions("lock") == 0o600)

        let place = scene.place
        let waiting = Task { _ = try await place.waitForLock() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }

        let profile = try await scene.open()
        let made = Task { try await Blocking.run { try profile.rootKey.rootKey(making: true) } }
        try await Task.sleep(for: .milliseconds(200))
        #expect(!scene.files.contains("root.key"), "it waits")
        other.signal(SIGKILL)
        _ = try await other.end()
        let key = try await made.value
        #expect(try profile.rootKey.rootKey(making: false) == key)
    }

    @Test func whatOthersMayEnterIsNotBelieved() throws {
        let place = scene.place
        _ = try OpenProfile(folder: place.folder).rootKey.rootKey(making: true)
        try place.check()
        #expect(unsafe chmod(place.folder, 0o755) == 0)
        let error = #expect(throws: SystemError.self) { try place.check() }
        #expect(error?.distrust?.fault == .open(0o755))
        #expect(throws: StorageError.self) { try place.alone { () throws(StorageError) -> Void in } }
    }

    @Test func whatIsOpenToOthersIsNamed() async throws {
        let key = scene.place.folder + "/root.key"
        _ = try OpenProfile(folder: scene.place.folder).rootKey.rootKey(making: true)
        let examination = ProfileExamination(scene.place)
        #expect(examination.exposure == nil)
        #expect(await examination.waitUntilFree())
        #expect(unsafe chmod(key, 0o640) == 0)
        #expect(examination.exposure?.found == "\(key) is open to others (permissions 640)")
        #expect(examination.exposure?.remedy == "chmod -R u+rwX,go= '\(scene.place.folder)'")
    }
}
