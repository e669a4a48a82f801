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

    /// After its use nothing is left: not in what the TPM's software stack gave back, and not on the stack.
    @Test(
        .enabled(if: softwareTPMIsExpected),
        .disabled(if: Sanitizer.isOn, "a sanitizer keeps freed memory, and shadows terabytes of it")
    )
    func nothingStaysOfWhatATPMWasTold() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        for (what, secret) in try await use(enclave) {
            #expect(try ProcessMemory.occurrences(of: secret.bytes) == 0, "\(what)")
        }
    }

    /// Uses a PIN, right and wrong, and a counter; remembers their secrets masked.
    private func use(_ enclave: TPMEnclave) async throws -> [(String, MaskedSecret)] {
        let pin = try EnclavePIN(SecretBytes.random(count: 32))
        let wrong = try EnclavePIN(SecretBytes.random(count: 32))
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        let peer = P256.KeyAgreement.PrivateKey().publicKey
        let secret = try await enclave.sharedSecret(with: peer, key: key, pin: pin)
        let failed = await failure { _ = try await enclave.sharedSecret(with: peer, key: key, pin: wrong) }
        #expect(failed == .wrongPIN(triesLeft: 2))
        let counter = try await enclave.defineCounter(at: 0x0180_0001)
        _ = try await enclave.increment(counter)
        let kept = unsafe secret.withUnsafeBytes { unsafe MaskedSecret($0) }
        #expect(try ProcessMemory.occurrences(of: kept.bytes) == 1, "the search does not find what is there")
        return unsafe [
            ("the shared secret", kept),
            ("the PIN", pin.withUnsafeBytes { unsafe MaskedSecret($0) }),
            ("its authorization", pin.authorization.withUnsafeBytes { unsafe MaskedSecret($0) }),
            ("a wrong PIN's authorization", wrong.authorization.withUnsafeBytes { unsafe MaskedSecret($0) }),
            ("a counter's authorization", counter.authorization.withUnsafeBytes { unsafe MaskedSecret($0) }),
        ]
    }
}
