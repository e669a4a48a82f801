import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamEnclave

@Suite("Monotonic counters", .serialized, .enabled(if: softwareTPMIsExpected))
struct CounterTests {
    private let index: UInt32 = 0x0180_0100

    @Test func itOnlyRises() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let counter = try await enclave.defineCounter(at: index)
        let first = try await enclave.value(of: counter)
        #expect(first > 0)
        for step in 1...5 { #expect(try await enclave.increment(counter) == first + UInt64(step)) }
        // Kept, and used by another program after the power was cut.
        let kept = try MonotonicCounter(representation: counter.representation)
        tpm.kill()
        try tpm.start()
        let other = TPMEnclave(try TPMAddress(tpm.address))
        #expect(try await other.value(of: kept) == first + 5)
        #expect(try await other.increment(kept) == first + 6)
        #expect(try tpm.slots().isEmpty)
        #expect(try tpm.tool("nvreadpublic").contains("nt=0x1"), "the TPM's tools see a counter")
    }

    @Test func removedAndMadeAnewItGoesOn() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let old = try await enclave.defineCounter(at: index)
        for _ in 0..<3 { _ = try await enclave.increment(old) }
        let last = try await enclave.value(of: old)
        let taken = await failure { _ = try await enclave.defineCounter(at: index) }
        #expect(taken == .indexTaken(index))
        try await enclave.undefineCounter(at: index)
        let gone = await failure { _ = try await enclave.value(of: old) }
        #expect(gone == .noCounter(index))
        let goneToo = await failure { try await enclave.undefineCounter(at: index) }
        #expect(goneToo == .noCounter(index))
        let new = try await enclave.defineCounter(at: index)
        #expect(try await enclave.value(of: new) > last)
        // Whoever kept the old one is told.
        let wrong = await failure { _ = try await enclave.increment(old) }
        #expect(wrong == .wrongCounterAuthorization)
        guard case .tpm(let status) = try await enclave.status() else { throw EnclaveError.wrongKind }
        #expect(status.lockoutCounter == 0)
        #expect(try tpm.slots().isEmpty)
    }

    @Test func indices() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        for index: UInt32 in [0, 0x017F_FFFF, 0x01C0_0000, 0x8100_0001, .max] {
            let failed = await failure { _ = try await enclave.defineCounter(at: index) }
            guard case .unsupported = failed else {
                Issue.record("\(index): \(String(describing: failed))")
                continue
            }
            let removed = await failure { try await enclave.undefineCounter(at: index) }
            #expect(removed == .noCounter(index))
        }
    }

    @Test func ofAnotherTPM() async throws {
        let (tpm, other) = (try SoftwareTPM(), try SoftwareTPM())
        let counter = try await TPMEnclave(TPMAddress(tpm.address)).defineCounter(at: index)
        let enclave = TPMEnclave(try TPMAddress(other.address))
        let failed = await failure { _ = try await enclave.value(of: counter) }
        #expect(failed == .otherTPM)
    }

    @Test func representation() throws {
        let name = try TPMName(bytes: [0, 0x0B] + [UInt8](repeating: 7, count: 32))
        let counter = MonotonicCounter(
            index: index,
            storageKeyName: name,
            authorization: SymmetricKey(size: .bits256)
        )
        let secret = counter.representation
        let bytes = unsafe secret.withUnsafeBytes { unsafe Array($0) }
        #expect(bytes.count == 71)
        let read = try MonotonicCounter(representation: secret)
        #expect(read.index == index && read.storageKeyName == name && read.authorization == counter.authorization)
        for count in 0..<bytes.count {
            #expect(throws: EnclaveError.damagedBlob) {
                try MonotonicCounter(representation: SecretBytes(copying: Array(bytes.prefix(count))))
            }
        }
        #expect(throws: EnclaveError.damagedBlob) {
            try MonotonicCounter(representation: SecretBytes(copying: bytes + [0]))
        }
        // Version, index and Name have one right form each; the authorization is any bytes.
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            let other = try? MonotonicCounter(representation: SecretBytes(copying: flipped))
            guard let other else { continue }
            let again = unsafe other.representation.withUnsafeBytes { unsafe Array($0) }
            #expect(again == flipped && flipped != bytes)
        }
    }
}
