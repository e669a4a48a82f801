import Foundation
import MildamCrypto
import MildamEnclave
import TestSupport
import Testing

/// What every enclave does, the same for each.
@Suite("Enclaves", .serialized)
struct EnclaveTests {
    @Test(arguments: EnclaveKind.available)
    func bothSidesAgree(kind: EnclaveKind) async throws {
        let (enclave, keeping) = try kind.make()
        let pin = try EnclavePIN("1234")
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        #expect(key.purpose == .keyAgreement && key.hasPIN && key.kind == (kind == .tpm ? .tpm : .software))
        for _ in 0..<3 {
            let peer = P256.KeyAgreement.PrivateKey()
            let here = try await enclave.sharedSecret(with: peer.publicKey, key: key, pin: pin)
            let there = try peer.sharedSecretFromKeyAgreement(with: key.agreementKey)
            #expect(here == there)
            let byteCount = unsafe here.withUnsafeBytes { $0.count }
            #expect(byteCount == 32)
        }
        withExtendedLifetime(keeping) {}
    }

    @Test(arguments: EnclaveKind.available)
    func signaturesAreValid(kind: EnclaveKind) async throws {
        let (enclave, keeping) = try kind.make()
        let pin = try EnclavePIN("a passphrase")
        let key = try await enclave.makeKey(.signing, options: EnclaveKeyOptions(pin: pin))
        let message = Data("what is signed".utf8)
        let signature = try await enclave.signature(for: SHA256.hash(data: message), key: key, pin: pin)
        #expect(try key.signingKey.isValidSignature(signature, for: message))
        #expect(try !key.signingKey.isValidSignature(signature, for: message + [0]))
        #expect(try OpenSSL.accepts(signature, of: message, by: key.signingKey))
        #expect(try !OpenSSL.accepts(signature, of: message + [0], by: key.signingKey))
        withExtendedLifetime(keeping) {}
    }

    @Test(arguments: EnclaveKind.available)
    func aKeyIsRestored(kind: EnclaveKind) async throws {
        let (enclave, keeping) = try kind.make()
        let pin = try EnclavePIN("1234")
        let made = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        let restored = try EnclaveKeyBlob(bytes: made.bytes)
        #expect(restored == made)
        // By another one of its kind, as after a new start.
        let other: any Enclave =
            if let keeping { TPMEnclave(try TPMAddress(keeping.address)) } else { SoftwareEnclave() }
        let peer = P256.KeyAgreement.PrivateKey()
        let here = try await other.sharedSecret(with: peer.publicKey, key: restored, pin: pin)
        #expect(try here == peer.sharedSecretFromKeyAgreement(with: made.agreementKey))
    }

    @Test(arguments: EnclaveKind.available)
    func keysDoOneThing(kind: EnclaveKind) async throws {
        let (enclave, keeping) = try kind.make()
        let pin = try EnclavePIN("1234")
        let agreeing = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        let signing = try await enclave.makeKey(.signing, options: EnclaveKeyOptions(pin: pin))
        let peer = P256.KeyAgreement.PrivateKey().publicKey
        let digest = SHA256.hash(data: Data())
        let agreed = await failure { _ = try await enclave.sharedSecret(with: peer, key: signing, pin: pin) }
        let signed = await failure { _ = try await enclave.signature(for: digest, key: agreeing, pin: pin) }
        #expect(agreed == .wrongPurpose && signed == .wrongPurpose)
        withExtendedLifetime(keeping) {}
    }

    @Test(arguments: EnclaveKind.available)
    func wrongAndMissingPINs(kind: EnclaveKind) async throws {
        let (enclave, keeping) = try kind.make()
        let pin = try EnclavePIN("1234")
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        let peer = P256.KeyAgreement.PrivateKey().publicKey
        let missing = await failure { _ = try await enclave.sharedSecret(with: peer, key: key, pin: nil) }
        #expect(missing == .pinRequired)
        for wrong in ["12345", "123", "1234\0", "\u{0}1234"] {
            let other = try EnclavePIN(wrong)
            let failed = await failure { _ = try await enclave.sharedSecret(with: peer, key: key, pin: other) }
            guard case .wrongPIN = failed else {
                // A TPM hears three.
                guard case .lockedOut = failed, kind == .tpm else {
                    Issue.record("\(wrong): \(String(describing: failed))")
                    continue
                }
                continue
            }
        }
        withExtendedLifetime(keeping) {}
    }

    /// PINs of every length that is allowed, and none other.
    @Test(arguments: EnclaveKind.available)
    func lengthsOfPINs(kind: EnclaveKind) async throws {
        for count in [0, 1025, 4096, 1 << 20] {
            #expect(throws: EnclaveError.pinLength(count)) { try EnclavePIN(SecretBytes.random(count: count)) }
        }
        let (enclave, keeping) = try kind.make()
        let peer = P256.KeyAgreement.PrivateKey()
        for count in [1, 31, 32, 33, 64, 65, 1024] {
            for byte: UInt8 in [0, 0x31, 0xFF] {
                let pin = try EnclavePIN(SecretBytes(copying: Data(repeating: byte, count: count)))
                let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
                let here = try await enclave.sharedSecret(with: peer.publicKey, key: key, pin: pin)
                #expect(try here == peer.sharedSecretFromKeyAgreement(with: key.agreementKey), "\(count) of \(byte)")
            }
        }
        withExtendedLifetime(keeping) {}
    }

    @Test(arguments: EnclaveKind.available)
    func ofTheOtherKind(kind: EnclaveKind) async throws {
        let (enclave, keeping) = try kind.make()
        let pin = try EnclavePIN("1234")
        let other = EnclaveKind.available.first { $0 != kind } ?? kind
        try #require(other != kind, "there is no other kind here")
        let (stranger, keepingToo) = try other.make()
        let key = try await stranger.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        let peer = P256.KeyAgreement.PrivateKey().publicKey
        let failed = await failure { _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin) }
        #expect(failed == .wrongKind)
        withExtendedLifetime((keeping, keepingToo)) {}
    }

    @Test(arguments: EnclaveKind.available)
    func aCancelledTaskAsksNothing(kind: EnclaveKind) async throws {
        let (enclave, keeping) = try kind.make()
        let pin = try EnclavePIN("1234")
        let task = Task { () -> EnclaveError? in
            while !Task.isCancelled { await Task.yield() }
            return await failure { _ = try await enclave.makeKey(.signing, options: EnclaveKeyOptions(pin: pin)) }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
        withExtendedLifetime(keeping) {}
    }

    /// Enclaves block, and hold up nobody: with as many at work as there are processors, a task still runs at once.
    @Test(arguments: EnclaveKind.available)
    func tasksRunOnMeanwhile(kind: EnclaveKind) async throws {
        let enclaves = try (0..<8).map { _ in try kind.make() }
        let pin = try EnclavePIN("1234")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (enclave, keeping) in enclaves {
                group.addTask {
                    for _ in 0..<10 {
                        _ = try await enclave.makeKey(.signing, options: EnclaveKeyOptions(pin: pin))
                    }
                    withExtendedLifetime(keeping) {}
                }
            }
            let clock = ContinuousClock()
            var longest = Duration.zero
            for _ in 0..<50 {
                let start = clock.now
                await Task.detached {}.value
                longest = max(longest, clock.now - start)
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(longest < .milliseconds(500), "\(longest)")
            try await group.waitForAll()
        }
    }
}
