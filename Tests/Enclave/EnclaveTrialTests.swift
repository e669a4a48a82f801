import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamEnclave

/// Whether an enclave that is tried is believed only when it is right.
@Suite("Trying an enclave, and choosing one", .serialized)
struct EnclaveTrialTests {
    @Test(arguments: EnclaveKind.available, EnclaveKeyPurpose.allCases)
    func aRightOnePasses(kind: EnclaveKind, purpose: EnclaveKeyPurpose) async throws {
        let (enclave, tpm) = try kind.make()
        let pin = try EnclavePIN("1234")
        let key = try await enclave.makeKey(purpose, options: EnclaveKeyOptions(pin: pin))
        let trial = try await EnclaveTrial(of: key, in: enclave, pin: pin)
        #expect(trial.purpose == purpose && trial.duration > .zero)
        let failed = await failure { _ = try await EnclaveTrial(of: key, in: enclave, pin: nil) }
        #expect(failed == .pinRequired)
        withExtendedLifetime(tpm) {}
    }

    /// Answers with another key's results, as something between a program and a TPM could.
    private struct Liar: Enclave {
        let enclave: SoftwareEnclave
        let others: [EnclaveKeyPurpose: EnclaveKeyBlob]

        func makeKey(
            _ purpose: EnclaveKeyPurpose,
            options: EnclaveKeyOptions
        ) async throws(EnclaveError) -> EnclaveKeyBlob {
            try await enclave.makeKey(purpose, options: options)
        }

        func sharedSecret(
            with publicKey: P256.KeyAgreement.PublicKey,
            key: EnclaveKeyBlob,
            pin: EnclavePIN?
        ) async throws(EnclaveError) -> SharedSecret {
            try await enclave.sharedSecret(with: publicKey, key: others[key.purpose] ?? key, pin: pin)
        }

        func signature(
            for digest: SHA256Digest,
            key: EnclaveKeyBlob,
            pin: EnclavePIN?
        ) async throws(EnclaveError) -> P256.Signing.ECDSASignature {
            try await enclave.signature(for: digest, key: others[key.purpose] ?? key, pin: pin)
        }

        func status() async throws(EnclaveError) -> EnclaveStatus { await enclave.status() }
    }

    @Test(arguments: EnclaveKeyPurpose.allCases) func aWrongOneDoesNot(purpose: EnclaveKeyPurpose) async throws {
        let software = SoftwareEnclave(costs: try .cheapest)
        let options = EnclaveKeyOptions(pin: try EnclavePIN("1234"))
        let key = try await software.makeKey(purpose, options: options)
        let liar = Liar(enclave: software, others: [purpose: try await software.makeKey(purpose, options: options)])
        let failed = await failure { _ = try await EnclaveTrial(of: key, in: liar, pin: options.pin) }
        #expect(failed == .forgedAnswer)
    }

    @Test func softwareTakesThePlaceOfATPMThatNobodyNamedOnly() async throws {
        let folder = try TemporaryFolder()
        let missing = "device:" + folder.file("missing")
        let nowhere = try TPMAddress(missing)
        let choice = try await EnclaveChoice.find(nowhere, isNamed: false)
        #expect(choice.status == .software(.standard) && choice.enclave is SoftwareEnclave)
        #expect(choice.missingTPM == .absent(address: missing, .missing))
        let named = await failure { _ = try await EnclaveChoice.find(nowhere, isNamed: true) }
        #expect(named == .absent(address: missing, .missing))
        // One that is there and does not answer is no reason to keep keys elsewhere.
        try Data().write(to: URL(fileURLWithPath: folder.file("tpm")))
        let silent = await failure {
            _ = try await EnclaveChoice.find(TPMAddress("swtpm:path=" + folder.file("tpm")), isNamed: false)
        }
        #expect(silent == .absent(address: "swtpm:path=" + folder.file("tpm"), .noAnswer))
        #expect(EnclaveChoice.software().missingTPM == nil)
    }

    @Test(.enabled(if: softwareTPMIsExpected)) func aTPMIsUsedWhereThereIsOne() async throws {
        let tpm = try SoftwareTPM()
        let choice = try await EnclaveChoice.find(TPMAddress(tpm.address), isNamed: false)
        guard case .tpm(let status) = choice.status else { throw EnclaveError.wrongKind }
        #expect(choice.enclave is TPMEnclave && choice.missingTPM == nil)
        #expect(status.loadedObjects == 0 && status.loadedSessions == 0 && status.freeObjectSlots == 3)
        try tpm.tool("createprimary", ["-C", "n", "-G", "ecc", "-c", tpm.file("object")])
        guard case .tpm(let busy) = try await choice.enclave.status() else { throw EnclaveError.wrongKind }
        #expect(busy.loadedObjects == 1 && busy.loadedSessions == 0 && busy.freeObjectSlots == 2, "\(busy)")
        #expect(try loadedSessions(at: TPMAddress(tpm.address)) == 1)
    }

    /// How many sessions the TPM has while there is one.
    private func loadedSessions(at address: TPMAddress) throws -> Int? {
        let connection = try TPMConnection(address)
        defer { connection.close() }
        var sessions: Int?
        let _: Void? = try? connection.withSession { _ throws(ResponseCode) in
            sessions = try TPMStatus(connection, at: address).loadedSessions
            // What is thrown ends the session.
            throw ResponseCode.malformed
        }
        return sessions
    }
}
