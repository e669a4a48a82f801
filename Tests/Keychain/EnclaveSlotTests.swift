import Foundation
import MildamEnclave
import TestSupport
import Testing

@testable import MildamKeychain

@Suite("Slots and the counter in a TPM", .serialized, .enabled(if: softwareTPMIsExpected))
struct EnclaveSlotTests {
    private func options(_ tpm: SoftwareTPM) throws -> LocalKeychain.Options {
        var options = LocalKeychain.Options()
        options.enclave = TPMEnclave(try TPMAddress(tpm.address))
        return options
    }

    private func text(_ text: String) -> SecretValue { SecretValue(text: text) }

    @Test func thePINOpensAndWrongOnesAreCountedByTheChip() async throws {
        let tpm = try SoftwareTPM()
        let options = try options(tpm)
        let fixture = try await Fixture(.enclavePIN(text("1234")), options: options)
        try fixture.keychain.add(password("a"))
        let other = try LocalKeychain(path: fixture.path, options: options)
        await #expect(throws: KeychainError.wrongSecret) { try await other.unlock(.enclavePIN(text("1235"))) }
        try await other.unlock(.enclavePIN(text("1234")))
        #expect(try other.text("a") == "secret")
        let chipless = try LocalKeychain(path: fixture.path)
        guard case .absentEnclave = await failure({ try await chipless.unlock(.enclavePIN(text("1234"))) }) else {
            Issue.record("it opened without the chip")
            return
        }
        #expect(try tpm.slots().isEmpty)
    }

    @Test func bothAreNeededWhereBothWereAskedFor() async throws {
        let tpm = try SoftwareTPM()
        let options = try options(tpm)
        let fixture = try await Fixture(.enclaveAndPassphrase(text("right")), options: options)
        try fixture.keychain.add(password("a"))
        let other = try LocalKeychain(path: fixture.path, options: options)
        await #expect(throws: KeychainError.wrongSecret) { try await other.unlock(.enclaveAndPassphrase(text("left"))) }
        await #expect(throws: KeychainError.noSuchSlot) { try await other.unlock(.passphrase(text("right"))) }
        await #expect(throws: KeychainError.noSuchSlot) { try await other.unlock(.enclaveUnattended) }
        try await other.unlock(.enclaveAndPassphrase(text("right")))
        #expect(try other.text("a") == "secret")
        // Another chip, and the right passphrase.
        let stranger = try SoftwareTPM()
        let elsewhere = try LocalKeychain(path: fixture.path, options: self.options(stranger))
        guard case .enclave = await failure({ try await elsewhere.unlock(.enclaveAndPassphrase(text("right"))) }) else {
            Issue.record("another chip opened it")
            return
        }
    }

    /// The oldest one would go, which may be the one that is to be put back.
    @Test func anUnlockingThatRaisesTheCounterMakesNoCopy() async throws {
        let tpm = try SoftwareTPM()
        let options = try options(tpm)
        let fixture = try await Fixture(options: options)
        try await fixture.keychain.armCounter()
        try fixture.keychain.add(password("a"))
        try LocalKeychain.removeCopies(of: fixture.path)
        let other = try LocalKeychain(path: fixture.path, options: options)
        try await other.unlock(Fixture.passphrase)
        #expect(other.counterState == .agrees)
        #expect(try LocalKeychain.copies(of: fixture.path).isEmpty)
        try other.add(password("b"))
        #expect(try LocalKeychain.copies(of: fixture.path).count == 1)
    }

    @Test func theRecoveryCodeOpensWhenTheChipWasCleared() async throws {
        let tpm = try SoftwareTPM()
        let options = try options(tpm)
        let fixture = try await Fixture(.enclavePIN(text("1234")), options: options)
        let code = RecoveryCode()
        try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: .enclavePIN(text("1234")))
        try await fixture.keychain.armCounter()
        try fixture.keychain.add(password("a"))
        try tpm.tool("clear")
        let other = try LocalKeychain(path: fixture.path, options: self.options(tpm))
        guard case .enclave(let reason) = await failure({ try await other.unlock(.enclavePIN(text("1234"))) }) else {
            Issue.record("a cleared chip opened it")
            return
        }
        #expect(reason.contains("cleared"))
        try await other.unlock(.recoveryCode(code))
        #expect(try other.text("a") == "secret")
        guard case .unknown = other.counterState else {
            Issue.record("\(other.counterState)")
            return
        }
    }

    @Test func aChipThatIsLockedOutOrAwaySaysSoAndTheRecoveryCodeOpens() async throws {
        let tpm = try SoftwareTPM()
        let options = try options(tpm)
        let pin = SlotSecret.enclavePIN(text("1234"))
        let fixture = try await Fixture(pin, options: options)
        let code = RecoveryCode()
        try await fixture.keychain.addSlot(.recoveryCode(code), authorizedBy: pin)
        try fixture.keychain.add(password("a"))
        let other = try LocalKeychain(path: fixture.path, options: options)
        for _ in 0..<3 {
            await #expect(throws: KeychainError.wrongSecret) { try await other.unlock(.enclavePIN(text("4321"))) }
        }
        for tried in [pin, .enclavePIN(text("4321"))] {
            await #expect(throws: KeychainError.tooManyTries(seconds: 1000)) { try await other.unlock(tried) }
        }
        try await other.unlock(.recoveryCode(code))
        #expect(try other.text("a") == "secret")
        try tpm.tool("dictionarylockout", ["-c"])
        let again = try LocalKeychain(path: fixture.path, options: self.options(tpm))
        try await again.unlock(pin)
        tpm.kill()
        let without = try LocalKeychain(path: fixture.path, options: self.options(tpm))
        guard case .absentEnclave(.missing, _) = await failure({ try await without.unlock(pin) }) else {
            Issue.record("it opened without the chip")
            return
        }
        try await without.unlock(.recoveryCode(code))
        #expect(try without.text("a") == "secret")
    }

    @Test func aWholeFileOfYesterdayIsNoticedByTheCounter() async throws {
        let tpm = try SoftwareTPM()
        let options = try options(tpm)
        let fixture = try await Fixture(options: options)
        try await fixture.keychain.armCounter()
        try fixture.keychain.add(password("a"))
        let yesterday = fixture.folder.file("yesterday.db")
        try fixture.sqlite("VACUUM INTO '\(yesterday)'")
        // The same state, unlocked where it was left, is no rollback.
        let today = try LocalKeychain(path: fixture.path, options: options)
        try await today.unlock(Fixture.passphrase)
        #expect(today.counterState == .agrees)
        try today.add(password("b"))
        let old = try LocalKeychain(path: yesterday, options: options)
        await #expect(throws: KeychainError.rolledBack) { try await old.unlock(Fixture.passphrase) }
        #expect(throws: KeychainError.rolledBack) { try old.text("a") }
        try await old.repair()
        #expect(try old.text("a") == "secret")
        let accepted = try LocalKeychain(path: yesterday, options: options)
        try await accepted.unlock(Fixture.passphrase)
        #expect(accepted.counterState == .agrees)
        // What was the newest is now the old one.
        let again = try LocalKeychain(path: fixture.path, options: options)
        await #expect(throws: KeychainError.rolledBack) { try await again.unlock(Fixture.passphrase) }
        #expect(try tpm.slots().isEmpty)
    }

    /// Each writes the file before it raises the counter: were one to raise it twice for one line in the file, the file
    /// would look like an old one for good.
    @Test func twoUnlockingsAtOnceLockNobodyOut() async throws {
        let tpm = try SoftwareTPM()
        let options = try options(tpm)
        let fixture = try await Fixture(options: options)
        try await fixture.keychain.armCounter()
        let path = fixture.path
        for _ in 0..<8 {
            let errors = await withTaskGroup(of: KeychainError?.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        do throws(KeychainError) {
                            try await LocalKeychain(path: path, options: options).unlock(Fixture.passphrase)
                        } catch {
                            return error
                        }
                        return nil
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors == [nil, nil, nil])
        }
        let last = try LocalKeychain(path: path, options: options)
        try await last.unlock(Fixture.passphrase)
        #expect(last.counterState == .agrees)
    }

    @Test func whateverEndsAnUnlockingBetweenFileAndCounterLocksNobodyOut() async throws {
        let tpm = try SoftwareTPM()
        let options = try options(tpm)
        let fixture = try await Fixture(options: options)
        try await fixture.keychain.armCounter()
        for _ in 0..<2 {
            // The file was written, and the counter not raised.
            try fixture.keychain.core.withLock { core in
                try core.change { head in head.hardwareCounter += 1 }
            }
            for _ in 0..<2 {
                let next = try LocalKeychain(path: fixture.path, options: options)
                try await next.unlock(Fixture.passphrase)
                #expect(next.counterState == .agrees)
            }
            try await fixture.keychain.unlock(Fixture.passphrase)
        }
    }

    @Test func anUnattendedChipOpensAndGuardsNoPasscodeItems() async throws {
        let tpm = try SoftwareTPM()
        let options = try options(tpm)
        let fixture = try await Fixture(.enclaveUnattended, options: options)
        var guarded = password("guarded")
        guarded.accessibility = .whenPasscodeSetThisDeviceOnly
        #expect(throws: KeychainError.needsPassphrase) { try fixture.keychain.add(guarded) }
        try fixture.keychain.add(password("a"))
        let other = try LocalKeychain(path: fixture.path, options: options)
        try await other.unlock(.enclaveUnattended)
        #expect(try other.text("a") == "secret")
    }

    private func failure(_ body: () async throws -> Void) async -> KeychainError? {
        do { try await body() } catch { return error as? KeychainError }
        return nil
    }
}
