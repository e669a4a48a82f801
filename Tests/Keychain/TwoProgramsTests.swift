import Foundation
import MildamKeychain
import TestSupport
import Testing

@Suite("Two programs with one file")
struct TwoProgramsTests {
    private let code = RecoveryCode()
    private let second = SlotSecret.passphrase(SecretValue(text: "second"))

    private func guarded(_ account: String) -> NewItem {
        var item = password(account)
        item.accessibility = .whenPasscodeSetThisDeviceOnly
        return item
    }

    @Test func aPasscodeThatAnotherProgramRemovedProtectsNothingMore() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(guarded("a"))
        let other = try await fixture.another()
        try await other.addSlot(.recoveryCode(code), authorizedBy: Fixture.passphrase)
        try await other.removeSlot(1, authorizedBy: .recoveryCode(code), loss: 1)
        // What this one would seal under the key that it has, nobody could ever open.
        #expect(throws: KeychainError.needsPassphrase) { try fixture.keychain.add(guarded("b")) }
        try await other.addSlot(second, costs: .least, authorizedBy: .recoveryCode(code))
        #expect(throws: KeychainError.needsPassphrase) { try fixture.keychain.add(guarded("b")) }
        try await fixture.keychain.unlock(second)
        try fixture.keychain.add(guarded("b"))
        #expect(try await fixture.another(second).text("b") == "secret")
    }

    @Test func aPassphraseThatWasChangedProtectsWhatItDid() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(guarded("a"))
        try await fixture.keychain.replaceSlot(Fixture.passphrase, with: second, costs: .least)
        try await fixture.another(second).add(password("b"))
        #expect(try fixture.keychain.text("a") == "secret")
        try fixture.keychain.add(guarded("c"))
        #expect(try await fixture.another(second).text("c") == "secret")
    }

    @Test func twoFirstPassphrasesAtOnceAreOne() async throws {
        let fixture = try await Fixture(.recoveryCode(code))
        let others = [try LocalKeychain(path: fixture.path), try LocalKeychain(path: fixture.path)]
        let costs = try #require(PassphraseCosts(memoryKiB: 64 << 10, passes: 4))
        let secrets = [Fixture.passphrase, second]
        let code = code
        let results = await withTaskGroup(of: KeychainError?.self) { group in
            for (keychain, secret) in zip(others, secrets) {
                group.addTask {
                    do throws(KeychainError) {
                        try await keychain.unlock(.recoveryCode(code))
                        try await keychain.addSlot(secret, costs: costs, authorizedBy: .recoveryCode(code))
                    } catch {
                        return error
                    }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        // One comes first; the other's would be the key of other items.
        #expect(results.filter { $0 == nil }.count == 1)
        #expect(results.contains(.needsPassphrase))
        #expect(try LocalKeychain(path: fixture.path).slots().map(\.kind) == [.recoveryCode, .passphrase])
    }

    @Test func aFileThatWasPutInItsPlaceIsNotWrittenPast() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        let backup = fixture.folder.file("backup.db")
        try fixture.sqlite("VACUUM INTO '\(backup)'")
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: fixture.path + suffix) }
        #expect(unsafe rename(backup, fixture.path) == 0)
        // What it wrote would be in no file that anybody can find.
        #expect(throws: KeychainError.self) { try fixture.keychain.add(password("b")) }
        #expect(throws: KeychainError.self) { try fixture.keychain.text("a") }
        let other = try await fixture.another()
        #expect(try other.text("a") == "secret")
    }

    @Test func twoWritersSetOneItem() async throws {
        let fixture = try await Fixture()
        let other = try await fixture.another()
        let keychains = [fixture.keychain, other]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, keychain) in keychains.enumerated() {
                group.addTask {
                    try await Blocking.run {
                        for number in 0..<15 { try keychain.set(password("same", "service", "\(index) \(number)")) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let found = try fixture.keychain.copyMatching(KeychainQuery(.genericPassword), limit: .all)
        #expect(found.count == 1)
        #expect(found[0].secret?.text?.hasSuffix(" 14") == true)
        #expect(try fixture.keychain.verify().isSound)
    }
}
