import Foundation
import MildamKeychain
import TestSupport
import Testing

@Suite("Slots and locking")
struct SlotTests {
    @Test func onlyTheRightPassphraseOpens() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        let closed = try LocalKeychain(path: fixture.path)
        #expect(closed.state == .closed)
        #expect(throws: KeychainError.locked) { try closed.text("a") }
        await #expect(throws: KeychainError.wrongSecret) {
            try await closed.unlock(.passphrase(SecretValue(text: "correct horse battery stapl")))
        }
        await #expect(throws: KeychainError.noSuchSlot) { try await closed.unlock(.recoveryCode(RecoveryCode())) }
        try await closed.unlock(Fixture.passphrase)
        #expect(try closed.text("a") == "secret")
        #expect(try closed.auditLog().contains { $0.event == .wrongSecret })
    }

    /// However wrong it is, and whichever slot it is meant for: the answer is one, and a damaged slot's is the same.
    @Test func aWrongPassphraseTellsNothing() async throws {
        let fixture = try await Fixture()
        let second = SlotSecret.passphrase(SecretValue(text: "another one"))
        try await fixture.keychain.addSlot(second, costs: .least, authorizedBy: Fixture.passphrase)
        let right = "correct horse battery staple"
        let closed = try LocalKeychain(path: fixture.path)
        for wrong in ["c", String(right.dropLast()), right + " ", right + "\0", right.uppercased(), "another on"] {
            await #expect(throws: KeychainError.wrongSecret, "\(wrong)") {
                try await closed.unlock(.passphrase(SecretValue(text: wrong)))
            }
            #expect(closed.state == .closed)
        }
        try await closed.unlock(second)
        try fixture.sqlite("UPDATE slot SET sealed = zeroblob(length(sealed))")
        let damaged = try LocalKeychain(path: fixture.path)
        for secret in [Fixture.passphrase, second] {
            await #expect(throws: KeychainError.wrongSecret) { try await damaged.unlock(secret) }
        }
    }

    @Test func lockingTakesAwayWhatItShould() async throws {
        let fixture = try await Fixture()
        let keychain = fixture.keychain
        for accessibility in Accessibility.allCases {
            var item = password("\(accessibility)")
            item.accessibility = accessibility
            try keychain.add(item)
        }
        keychain.lock()
        #expect(keychain.state == .locked)
        for accessibility in Accessibility.allCases {
            if accessibility.endsWithLock {
                #expect(throws: KeychainError.locked) { try keychain.text("\(accessibility)") }
            } else {
                #expect(try keychain.text("\(accessibility)") == "secret")
            }
        }
        #expect(throws: KeychainError.locked) { try keychain.add(password("new")) }
        let query = KeychainQuery(.genericPassword)
        #expect(try keychain.copyMatching(query, limit: .all, returningSecrets: false).count == 5)
        try await keychain.unlock(Fixture.passphrase)
        for accessibility in Accessibility.allCases { #expect(try keychain.text("\(accessibility)") == "secret") }
    }

    @Test func aRecoveryCodeOpensAllButWhatThePasscodeGuards() async throws {
        let fixture = try await Fixture()
        var guarded = password("guarded")
        guarded.accessibility = .whenPasscodeSetThisDeviceOnly
        try fixture.keychain.add(guarded)
        try fixture.keychain.add(password("a"))
        let code = RecoveryCode()
        try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: Fixture.passphrase)
        #expect(try fixture.keychain.text("guarded") == "secret", "whoever is in stays in")
        let typed = try #require(RecoveryCode(SecretValue(text: code.text.text.map { " " + $0.uppercased() } ?? "")))
        let other = try await fixture.another(.recoveryCode(typed))
        #expect(try other.text("a") == "secret")
        #expect(throws: KeychainError.needsPassphrase) { try other.text("guarded") }
        await #expect(throws: KeychainError.needsPassphrase) {
            try await other.addSlot(
                .passphrase(SecretValue(text: "new")),
                costs: .least,
                authorizedBy: .recoveryCode(code)
            )
        }
    }

    @Test func theLastPassphraseTakesItsItemsWithIt() async throws {
        let fixture = try await Fixture()
        var guarded = password("guarded")
        guarded.accessibility = .whenPasscodeSetThisDeviceOnly
        try fixture.keychain.add(guarded)
        try fixture.keychain.add(password("a"))
        await #expect(throws: KeychainError.lastSlot) {
            try await fixture.keychain.removeSlot(1, authorizedBy: Fixture.passphrase)
        }
        let code = RecoveryCode()
        try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: Fixture.passphrase)
        await #expect(throws: KeychainError.needsPassphrase) {
            try await fixture.keychain.removeSlot(1, authorizedBy: .recoveryCode(code))
        }
        #expect(try fixture.keychain.text("guarded") == "secret", "nothing was lost")
        #expect(try await fixture.keychain.removeSlot(1, authorizedBy: .recoveryCode(code), loss: 1) == 1)
        #expect(throws: KeychainError.itemNotFound) { try fixture.keychain.text("guarded") }
        #expect(throws: KeychainError.needsPassphrase) { try fixture.keychain.add(guarded) }
        #expect(try fixture.keychain.text("a") == "secret")
        try await fixture.keychain.addSlot(
            .passphrase(SecretValue(text: "new")),
            costs: .least,
            authorizedBy: .recoveryCode(code)
        )
        try fixture.keychain.add(guarded)
        let other = try await fixture.another(.passphrase(SecretValue(text: "new")))
        #expect(try other.text("guarded") == "secret")
        #expect(try other.verify().isSound)
    }

    /// That a way is listed does not say that it opens.
    @Test func aWayIsTakenAwayByAnotherOne() async throws {
        let fixture = try await Fixture()
        let code = RecoveryCode()
        let slot = try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: Fixture.passphrase)
        for (number, own) in [(1, Fixture.passphrase), (slot.number, .recoveryCode(code))] as [(Int64, SlotSecret)] {
            await #expect(throws: KeychainError.lastSlot) {
                try await fixture.keychain.removeSlot(number, authorizedBy: own)
            }
        }
        #expect(try fixture.keychain.slots().count == 2)
        try await fixture.keychain.removeSlot(slot.number, authorizedBy: Fixture.passphrase)
        #expect(try fixture.keychain.slots().map(\.kind) == [.passphrase])
    }

    @Test func aForgottenPassphraseIsSetAnewWithACode() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        let code = RecoveryCode()
        try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: Fixture.passphrase)
        let new = SlotSecret.passphrase(SecretValue(text: "new"))
        let other = try await fixture.another(.recoveryCode(code))
        #expect(try await other.resetPassphrase(new, costs: .least, authorizedBy: .recoveryCode(code)) == 0)
        await #expect(throws: KeychainError.wrongSecret) { _ = try await fixture.another() }
        let opened = try await fixture.another(new)
        #expect(try opened.text("a") == "secret" && opened.slots().map(\.kind) == [.recoveryCode, .passphrase])
        // Items of a passcode can be kept again, under a key of their own.
        var guarded = password("guarded")
        guarded.accessibility = .whenPasscodeSetThisDeviceOnly
        try opened.add(guarded)
        #expect(try opened.passcodeItemCount() == 1 && opened.verify().isSound)
    }

    @Test func whatOnlyAPasscodeOpensGoesIfThatIsSaid() async throws {
        let fixture = try await Fixture()
        var guarded = password("guarded")
        guarded.accessibility = .whenPasscodeSetThisDeviceOnly
        try fixture.keychain.add(guarded)
        let code = RecoveryCode()
        try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: Fixture.passphrase)
        let new = SlotSecret.passphrase(SecretValue(text: "new"))
        let other = try await fixture.another(.recoveryCode(code))
        await #expect(throws: KeychainError.needsPassphrase) {
            try await other.resetPassphrase(new, costs: .least, authorizedBy: .recoveryCode(code))
        }
        #expect(try fixture.keychain.text("guarded") == "secret", "nothing was lost")
        #expect(try await other.resetPassphrase(new, costs: .least, authorizedBy: .recoveryCode(code), loss: 1) == 1)
        #expect(throws: KeychainError.itemNotFound) { try other.text("guarded") }
        // Whoever had it open with the old passphrase has lost that key, too.
        #expect(throws: KeychainError.needsPassphrase) { try fixture.keychain.add(guarded) }
        #expect(try await fixture.another(new).verify().isSound)
    }

    @Test func aPassphraseIsChangedWithoutTouchingItems() async throws {
        let fixture = try await Fixture()
        try fixture.keychain.add(password("a"))
        let rows = try fixture.sqlite("SELECT hex(attributes) || hex(key) || hex(secret) FROM item")
        let new = SlotSecret.passphrase(SecretValue(text: "another one"))
        try await fixture.keychain.replaceSlot(Fixture.passphrase, with: new, costs: .least)
        #expect(try fixture.sqlite("SELECT hex(attributes) || hex(key) || hex(secret) FROM item") == rows)
        let other = try LocalKeychain(path: fixture.path)
        await #expect(throws: KeychainError.wrongSecret) { try await other.unlock(Fixture.passphrase) }
        try await other.unlock(new)
        #expect(try other.text("a") == "secret")
    }

    @Test func aSlotsParametersAreAuthenticatedAndBounded() async throws {
        let fixture = try await Fixture()
        let original = try fixture.sqlite("SELECT hex(parameters) FROM slot").trimmingCharacters(in: .newlines)
        func opens(_ parameters: String) async throws -> KeychainError? {
            try fixture.sqlite("UPDATE slot SET parameters = x'\(parameters)'")
            let keychain = try LocalKeychain(path: fixture.path)
            do { try await keychain.unlock(Fixture.passphrase) } catch { return error }
            return nil
        }
        #expect(try await opens(original) == nil)
        // version, kind, created[8], then the memory in KiB and the passes.
        let position = original.index(original.startIndex, offsetBy: 20)
        func with(_ memory: UInt32, _ passes: UInt32) -> String {
            let costs = String(format: "%08X%08X", memory, passes)
            return String(original[..<position]) + costs + original[original.index(position, offsetBy: 16)...]
        }
        #expect(with(19 * 1024, 2) == original)
        for (memory, passes) in [(UInt32(1024), UInt32(2)), (19 * 1024, 1), (.max, 2), (19 * 1024, .max)] {
            guard case .storage(.damaged) = try await opens(with(memory, passes)) else {
                Issue.record("costs of \(memory) KiB and \(passes) passes were taken")
                continue
            }
        }
        #expect(try await opens(with(20 * 1024, 2)) == .wrongSecret)
        let later = String(original.prefix(4)) + "00000000000000FF" + original.dropFirst(20)
        #expect(try await opens(later) == .wrongSecret)
    }

    @Test func costsAreTunedToTheMachine() {
        let costs = PassphraseCosts.tuned(for: .milliseconds(200))
        #expect(costs.memoryKiB == 64 * 1024)
        #expect((3...16).contains(costs.passes))
        #expect(PassphraseCosts(memoryKiB: 1024, passes: 3) == nil)
    }

    @Test func aCodeIsReadBackAsItIsWritten() throws {
        let code = RecoveryCode()
        let text = try #require(code.text.text)
        #expect(text.count == 39)
        #expect(text.split(separator: "-").count == 8)
        let again = try #require(RecoveryCode(SecretValue(text: text)))
        #expect(again.text.constantTimeEquals(code.text))
        for wrong in ["", "abcd", String(text.dropLast()), text + "a", text.replacingOccurrences(of: "-", with: "1")] {
            #expect(RecoveryCode(SecretValue(text: wrong)) == nil)
        }
    }
}
