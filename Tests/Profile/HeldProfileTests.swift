import MildamCrypto
import MildamSystem
import TestSupport
import Testing

@testable import MildamProfile

@Suite("A profile that a program holds")
struct HeldProfileTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    @Test func othersWaitAndItsOwnWorkTakesTurns() async throws {
        let place = scene.place
        let held = try await HeldProfile(waitingFor: place, within: .seconds(1))
        // Its own: one after the other.
        var first: ProfileTurn? = try await ProfileTurn(waitingFor: place)
        let second = Task { _ = try await ProfileTurn(waitingFor: place) }
        try await Task.sleep(for: .milliseconds(100))
        #expect(first != nil)
        first = nil
        try await second.value
        // Another program's.
        let other = try Program("mildam-profile-worker", ["hold", place.folder])
        #expect(try await other.line(with: "held", within: 0.5) == nil)
        withExtendedLifetime(held) {}
        other.signal(15)
        _ = try await other.end()
    }

    @Test func whatAnotherProgramHoldsIsNotHeld() async throws {
        let other = try Program("mildam-profile-worker", ["hold", scene.place.folder])
        #expect(try await other.line(with: "held") != nil)
        let place = scene.place
        await #expect(throws: ProfileIsBusy(name: place.name)) {
            _ = try await HeldProfile(waitingFor: place, within: .milliseconds(100))
        }
        other.signal(9)
        _ = try await other.end()
        _ = try await HeldProfile(waitingFor: place, within: .seconds(5))
        // It was let go at once, and the lock is the usual one again.
        let taken = try place.takeLock()
        let isFree = taken != nil
        #expect(isFree)
    }

    @Test func letGoOnceItsOwnWorkHasHadItsTurn() async throws {
        let place = scene.place
        let held = try await HeldProfile(waitingFor: place, within: .seconds(1))
        var turn: ProfileTurn? = try await ProfileTurn(waitingFor: place)
        await #expect(throws: ProfileIsBusy(name: place.name)) { try await held.letGo(within: .milliseconds(100)) }
        #expect(HeldProfile.isHeld(place.folder) && turn != nil)
        turn = nil
        try await held.letGo(within: .seconds(5))
        #expect(!HeldProfile.isHeld(place.folder))
        let other = try Program("mildam-profile-worker", ["hold", place.folder])
        #expect(try await other.line(with: "held") != nil)
        // The value may live on: the profile is others', and can be had again.
        let again = Task { try await HeldProfile(waitingFor: place, within: .seconds(20)) }
        try await Task.sleep(for: .milliseconds(100))
        other.signal(9)
        _ = try await other.end()
        let second = try await again.value
        #expect(HeldProfile.isHeld(place.folder))
        withExtendedLifetime((held, second)) {}
    }

    @Test func aKeptKeyOpensWithoutItsFile() async throws {
        let profile = OpenProfile(folder: scene.place.folder)
        #expect(try profile.keepingRootKey().place == profile.place, "nothing lies under a key yet")
        let key = try profile.rootKey.rootKey(making: true)
        let something: [UInt8] = [1]
        try WholeFile.write(something.span, to: profile.place.messages)
        let kept = try profile.keepingRootKey()
        try WholeFile.write(something.span, to: profile.place.folder + "/root.key")
        #expect(try kept.rootKey.rootKey(making: false) == key)
        #expect(throws: (any Error).self) { try profile.rootKey.rootKey(making: false) }
    }

    /// A key that was in a file may be another one, or in the keychain, after others have worked with the profile.
    @Test func reopenedItHasTheKeyThatOthersHaveLeft() async throws {
        let profile = OpenProfile(folder: scene.place.folder)
        let first = try profile.rootKey.rootKey(making: true)
        let something: [UInt8] = [1]
        try WholeFile.write(something.span, to: profile.place.messages)
        let kept = try profile.keepingRootKey()
        #expect(try kept.reopened().rootKey.rootKey(making: false) == first)
        let other = [UInt8](repeating: 7, count: 32)
        try WholeFile.write(other.span, to: profile.place.folder + "/root.key")
        #expect(try kept.reopened().rootKey.rootKey(making: false) != first)
    }
}
