import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamEnclave

/// Programs that are killed, and power that is cut.
@Suite("TPM and sudden ends", .serialized, .enabled(if: softwareTPMIsExpected))
struct TPMKillTests {
    private let peer = P256.KeyAgreement.PrivateKey().publicKey

    private func counter(of enclave: TPMEnclave) async throws -> Int {
        guard case .tpm(let status) = try await enclave.status() else { throw EnclaveError.wrongKind }
        return status.lockoutCounter
    }

    /// A program that is killed leaves what it had loaded in a TPM without a resource manager. The next one removes it,
    /// and nothing else.
    @Test func killedPrograms() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let pin = try EnclavePIN("1234")
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        try Data(key.bytes).write(to: URL(fileURLWithPath: tpm.file("key")))
        // Somebody else's, which stays.
        try tpm.tool("createprimary", ["-C", "n", "-G", "ecc", "-c", tpm.file("object")])
        let before = try tpm.slots()
        try #require(before.count == 1, "\(before)")
        var random = Seed.generator(for: "killedPrograms")
        var left = 0
        let count = Count.of(few: 10, full: 50)
        for _ in 0..<count {
            let worker = try Program("mildam-enclave-worker", [tpm.address, tpm.file("key"), "1234"])
            let line = try await worker.line(with: "agreed")
            #expect(line != nil, "the slots are taken")
            usleep(.random(in: 0...20_000, using: &random))
            worker.signal(SIGKILL)
            _ = try await worker.end()
            if try tpm.slots() != before { left += 1 }
        }
        print("\(left) of \(count) killed programs left something in the TPM's slots, until the next one came")
        #expect(left > 0, "no kill hit a program at work")
        #expect(try await counter(of: enclave) == 0)
        #expect(try tpm.slots() == before)
        _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin)
        #expect(try tpm.slots() == before)
    }

    /// Power cuts count against nobody as long as no PIN was used: the storage key is without protection, too.
    @Test func powerCutsWithoutPINs() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions())
        let made = try await enclave.defineCounter(at: 0x0180_0001)
        var random = Seed.generator(for: "powerCutsWithoutPINs")
        var within = 0
        let count = Count.of(few: 6, full: 50)
        for number in 0..<count {
            let peer = peer
            let work = Task { try await enclave.sharedSecret(with: peer, key: key, pin: nil) }
            if number.isMultiple(of: 2) {
                _ = try await work.value
                _ = try await enclave.value(of: made)
            } else {
                try await Task.sleep(for: .microseconds(Int.random(in: 0...4_000, using: &random)))
            }
            tpm.kill()
            if case .failure = await work.result { within += 1 }
            try tpm.start()
        }
        print("\(within) of \(count) power cuts fell within an operation")
        #expect(within > 0, "no cut hit a TPM at work")
        #expect(try await counter(of: enclave) == 0)
        #expect(try tpm.slots().isEmpty)
        _ = try await enclave.sharedSecret(with: peer, key: key, pin: nil)
    }

    /// The TPM cannot know whether power was cut to hide a wrong PIN, and counts each cut after a PIN was used as one.
    @Test func powerCutsAfterPINsCount() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let pin = try EnclavePIN("1234")
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        var counters: [Int] = []
        for _ in 0..<3 {
            _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin)
            tpm.kill()
            try tpm.start()
            counters.append(try await counter(of: enclave))
        }
        print(
            "power cuts after a right PIN: the lockout counter is \(counters.map(String.init).joined(separator: ", "))"
        )
        #expect(counters == [1, 2, 3])
        let failed = await failure { _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin) }
        #expect(failed == .lockedOut(recoverySeconds: 1000))
        // An orderly end counts for nothing.
        try tpm.tool("dictionarylockout", ["-c"])
        _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin)
        try tpm.tool("shutdown")
        tpm.kill()
        try tpm.start()
        #expect(try await counter(of: enclave) == 0)
    }
}
