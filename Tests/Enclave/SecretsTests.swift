import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamEnclave

/// What is shown of secrets, and what stays of them in memory.
@Suite("Secrets of enclaves", .serialized)
struct SecretsTests {
    @Test func nothingIsDescribed() throws {
        let pin = try EnclavePIN(SecretBytes(copying: Data(repeating: 0xAB, count: 40)))
        let counter = MonotonicCounter(
            index: 0x0180_0001,
            storageKeyName: try TPMName(bytes: [0, 0x0B] + [UInt8](repeating: 1, count: 32)),
            authorization: SymmetricKey(data: Data(repeating: 0xAB, count: 32))
        )
        let values: [(Any, String)] = [
            (pin, "EnclavePIN"), (counter, "MonotonicCounter (0x1800001)"),
            (EnclaveKeyOptions(pin: pin), "EnclaveKeyOptions(pin: Optional(EnclavePIN))"),
        ]
        for (value, text) in values {
            #expect("\(value)".hasSuffix(text), "\(value)")
            var dumped = ""
            dump(value, to: &dumped)
            for shown in [dumped, "\(value)", String(reflecting: value)] {
                #expect(!shown.lowercased().contains("abab") && !shown.contains("171"), "\(shown)")
            }
        }
    }

    @Test func errorsSayWhatToDo() {
        let cases: [(EnclaveError, String)] = [
            (.absent(address: "device:/dev/tpmrm0", .missing), "passphrase"),
            (.absent(address: "device:/dev/tpmrm0", .notPermitted), "group tss"),
            (.wrongPIN(triesLeft: 2), "2 more"), (.lockedOut(recoverySeconds: 600), "600 seconds"),
            (.tpmCleared, "cleared"), (.otherTPM, "another TPM"), (.tpm(code: 0x101), "failure"),
        ]
        for (error, words) in cases { #expect("\(error)".contains(words), "\(error)") }
    }

    /// After its use nothing is left in memory, and not in what the TPM's software stack gave back.
    @Test(
        .enabled(if: softwareTPMIsExpected),
        .disabled(if: Sanitizer.isOn, "a sanitizer keeps freed memory, and shadows terabytes of it")
    )
    func nothingStaysOfWhatATPMWasTold() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let pin = try EnclavePIN(SecretBytes.random(count: 32))
        let wrong = try EnclavePIN(SecretBytes.random(count: 32))
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        try expectNothing("of a new key's PIN", of: pin.authorization)
        let peer = P256.KeyAgreement.PrivateKey().publicKey
        let kept = try await agree(enclave, with: peer, key, pin)
        #expect(try ProcessMemory.occurrences(of: kept.bytes) == 0, "the shared secret")
        try expectNothing("of a PIN", of: pin.authorization)
        let failed = await failure { _ = try await enclave.sharedSecret(with: peer, key: key, pin: wrong) }
        #expect(failed == .wrongPIN(triesLeft: 2))
        try expectNothing("of a wrong PIN", of: wrong.authorization)
        let counter = try await enclave.defineCounter(at: 0x0180_0001)
        try expectNothing("but the counter's own copy", of: counter.authorization, but: 1)
        _ = try await enclave.increment(counter)
        try expectNothing("but the counter's own copy", of: counter.authorization, but: 1)
    }

    /// The secret that was agreed on, masked: it is there once, with its owner, and then goes with him.
    private func agree(
        _ enclave: TPMEnclave,
        with peer: P256.KeyAgreement.PublicKey,
        _ key: EnclaveKeyBlob,
        _ pin: EnclavePIN
    ) async throws -> MaskedSecret {
        let secret = try await enclave.sharedSecret(with: peer, key: key, pin: pin)
        let masked = unsafe secret.withUnsafeBytes { unsafe MaskedSecret($0) }
        #expect(try ProcessMemory.occurrences(of: masked.bytes) == 1, "its owner's copy, and no other")
        return masked
    }

    private func expectNothing(_ what: Comment, of secret: consuming SymmetricKey, but copies: Int = 0) throws {
        let masked = unsafe secret.withUnsafeBytes { unsafe MaskedSecret($0) }
        _ = consume secret
        #expect(try ProcessMemory.occurrences(of: masked.bytes) == copies, what)
    }
}
