import Foundation
import MildamCrypto
import MildamEnclave
import MildamKeychain
import MildamStorage
import MildamTokens
import TestSupport
import Testing

/// The article's scenarios: store, read, delete, each with success and failure; over a real keychain file and a real TPM.
@Suite("The keychain's piece")
struct KeychainServiceTests {
    @Test func storesReadsAndDeletes() async throws {
        let desk = try await Desk()
        let place = desk.place()
        #expect(try place.read() == nil)
        try place.store(SecretValue(text: "a refresh token"))
        #expect(try place.read()?.text == "a refresh token")
        try place.store(SecretValue(text: "its successor"))
        #expect(try place.read()?.text == "its successor")
        // Another's place is another's.
        let other = KeychainService(desk.keychain, service: "tokens", account: "somebody else")
        #expect(try other.read() == nil)
        #expect(try place.delete())
        #expect(try place.read() == nil)
        #expect(try !place.delete())
    }

    @Test func anotherReaderSeesOldOrNewAndNeverNothing() async throws {
        let desk = try await Desk()
        let place = desk.place()
        try place.store(SecretValue(text: "0"))
        let second = try LocalKeychain(path: desk.folder.file("keychain.db"))
        try await second.unlock(.passphrase(SecretValue(text: Desk.passphrase)))
        let other = desk.place(second)
        async let seen = Blocking.run { try (0..<200).map { _ in try other.read()?.text } }
        try await Blocking.run { for number in 1..<40 { try place.store(SecretValue(text: "\(number)")) } }
        #expect(try await !seen.contains(nil))
    }

    @Test func lockedIsNotMissing() async throws {
        let desk = try await Desk()
        let place = KeychainService(desk.keychain, service: "s", account: "a", accessibility: .whenUnlocked)
        try place.store(SecretValue(text: "a refresh token"))
        desk.keychain.lock()
        #expect(throws: KeychainError.locked) { try place.read() }
        #expect(throws: KeychainError.locked) { try place.store(SecretValue(text: "x")) }
        // The default can be read behind a locked screen.
        #expect(try desk.place().read() == nil)
        try await desk.keychain.unlock(.passphrase(SecretValue(text: Desk.passphrase)))
        #expect(try place.read()?.text == "a refresh token")
    }

    @Test func damagedIsNotMissing() async throws {
        let desk = try await Desk()
        try desk.place().store(SecretValue(text: "a refresh token"))
        let path = desk.folder.file("keychain.db")
        let result = try Program.run("sqlite3", [path, "UPDATE item SET secret = randomblob(length(secret))"])
        #expect(result.status == 0)
        #expect(throws: KeychainError.self) { try desk.place().read() }
        let manager = desk.manager()
        guard case .notNow(.keychain)? = await failure({ try await manager.validAccessToken() }) else {
            Issue.record("damaged was taken for something else")
            return
        }
    }

    @Test func aClosedFolderIsAnErrorAndWhatWasThereStays() async throws {
        let desk = try await Desk()
        try desk.place().store(SecretValue(text: "a refresh token"))
        let stubborn = StubbornKeychain(desk.keychain)
        let full = KeychainError.storage(.full(path: "keychain.db"))
        stubborn.writing.withLock { $0 = full }
        #expect(throws: full) { try desk.place(stubborn).store(SecretValue(text: "x")) }
        #expect(try desk.place().read()?.text == "a refresh token")
    }
}

@Suite("The enclave's piece", .serialized, .enabled(if: softwareTPMIsExpected))
struct EnclaveServiceTests {
    @Test func encryptsAndDecryptsUnderOneKeyThatIsMadeOnce() async throws {
        let (desk, tpm) = (try await Desk(), try SoftwareTPM())
        let service = EnclaveService(TPMEnclave(try TPMAddress(tpm.address)), keychain: desk.keychain, tag: "tokens")
        let secret = SecretValue(text: "a refresh token")
        let first = try await service.encrypt(secret)
        #expect(first.count == secret.count + 81)
        #expect(Data(first).range(of: Data(secret.bytes)) == nil)
        #expect(try await service.decrypt(first).constantTimeEquals(secret))
        #expect(try await service.encrypt(secret) != first)
        #expect(try EnclaveKeyStore(desk.keychain).all().map(\.name) == ["tokens"])
        // Another process finds the same key.
        let other = EnclaveService(TPMEnclave(try TPMAddress(tpm.address)), keychain: desk.keychain, tag: "tokens")
        #expect(try await other.decrypt(first).constantTimeEquals(secret))
        #expect(try tpm.slots().isEmpty)
    }

    @Test func whatIsNotItsOwnIsRefused() async throws {
        let (desk, tpm) = (try await Desk(), try SoftwareTPM())
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let service = EnclaveService(enclave, keychain: desk.keychain, tag: "one")
        // Decrypting makes no key.
        let packet = try await EnclaveService(enclave, keychain: desk.keychain, tag: "two").encrypt(
            SecretValue(text: "x")
        )
        await #expect(throws: EnclaveServiceError.key(.noKey(name: "one"))) { try await service.decrypt(packet) }
        _ = try await service.encrypt(SecretValue(text: "y"))
        await #expect(throws: EnclaveServiceError.ecies(.authenticationFailure)) { try await service.decrypt(packet) }
        var changed = packet
        changed[packet.count - 1] ^= 1
        await #expect(throws: EnclaveServiceError.self) { try await service.decrypt(changed) }
        await #expect(throws: EnclaveServiceError.self) { try await service.decrypt([1, 2, 3]) }
    }

    @Test func withoutTheChipNothingIsReplaced() async throws {
        let (desk, tpm) = (try await Desk(), try SoftwareTPM())
        let service = EnclaveService(TPMEnclave(try TPMAddress(tpm.address)), keychain: desk.keychain, tag: "tokens")
        let packet = try await service.encrypt(SecretValue(text: "x"))
        tpm.kill()
        guard case .enclave(.absent)? = await error({ try await service.decrypt(packet) }) else {
            Issue.record("decrypted without the chip")
            return
        }
        #expect(try EnclaveKeyStore(desk.keychain).all().count == 1)
        try tpm.start()
        #expect(try await service.decrypt(packet).text == "x")
    }

    @Test("the manager with both layers: the record in the keychain opens by the chip alone")
    func composed() async throws {
        let (desk, tpm) = (try await Desk(), try SoftwareTPM())
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        var options = SecureTokenManager.Options()
        options.protection = .enclave(EnclaveService(enclave, keychain: desk.keychain, tag: "tokens"))
        let manager = try await desk.signedIn(options: options)
        let first = try await manager.validAccessToken()
        let kept = try #require(try desk.place().read())
        #expect(Data(kept.bytes).range(of: Data(first.token.bytes)) == nil)
        #expect(throws: (any Error).self) {
            try kept.withSpan { (bytes) throws(any Error) in try TokenRecord(bytes: bytes) }
        }
        desk.clock.advance(.seconds(301))
        #expect(try await manager.validAccessToken().number != first.number)
        // Another process, and one without the chip.
        let other = desk.manager(options: options)
        #expect(try await other.validAccessToken().number == manager.validAccessToken().number)
        tpm.kill()
        let without = desk.manager(options: options)
        guard case .notNow(.enclave)? = await failure({ try await without.validAccessToken() }) else {
            Issue.record("a missing chip was taken for something else")
            return
        }
        #expect(try await manager.validAccessToken().token.count > 0)
    }

    private func error(_ body: () async throws -> SecretValue) async -> EnclaveServiceError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? EnclaveServiceError
        }
    }
}

@Suite("The enclave's piece in software")
struct SoftwareEnclaveServiceTests {
    @Test func asksForThePIN() async throws {
        let desk = try await Desk()
        let pin = try EnclavePIN(SecretBytes(copying: Array("battery staple".utf8)))
        let wrong = try EnclavePIN(SecretBytes(copying: Array("battery".utf8)))
        let enclave = SoftwareEnclave()
        let service = EnclaveService(enclave, keychain: desk.keychain, tag: "t", pin: pin)
        let packet = try await service.encrypt(SecretValue(text: "x"))
        #expect(try await service.decrypt(packet).text == "x")
        let other = EnclaveService(enclave, keychain: desk.keychain, tag: "t", pin: wrong)
        await #expect(throws: EnclaveServiceError.enclave(.wrongPIN(triesLeft: nil))) {
            try await other.decrypt(packet)
        }
        let without = EnclaveService(enclave, keychain: desk.keychain, tag: "t")
        await #expect(throws: EnclaveServiceError.enclave(.pinRequired)) { try await without.decrypt(packet) }
    }
}
