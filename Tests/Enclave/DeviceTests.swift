import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamEnclave

/// A TPM that is reached through a device, as in a real machine.
@Suite("TPM devices", .serialized, .enabled(if: softwareTPMIsExpected))
struct DeviceTests {
    @Test(arguments: [false, true])
    func keys(isManaged: Bool) async throws {
        let tpm = try SoftwareTPM()
        let device = try DeviceTPM(of: tpm)
        let enclave = TPMEnclave(device.address(isManaged: isManaged))
        let pin = try EnclavePIN("1234")
        let agreeing = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        let signing = try await enclave.makeKey(.signing, options: EnclaveKeyOptions())
        for _ in 0..<20 {
            let peer = P256.KeyAgreement.PrivateKey()
            let secret = try await enclave.sharedSecret(with: peer.publicKey, key: agreeing, pin: pin)
            #expect(try secret == peer.sharedSecretFromKeyAgreement(with: agreeing.agreementKey))
            let digest = unsafe SHA256.hash(data: secret.withUnsafeBytes { unsafe Array($0) })
            let signature = try await enclave.signature(for: digest, key: signing, pin: nil)
            #expect(try signing.signingKey.isValidSignature(signature, for: digest))
        }
        guard case .tpm(let status) = try await enclave.status() else { throw EnclaveError.wrongKind }
        #expect(status.manufacturer == "IBM")
        #expect(try tpm.slots().isEmpty)
    }

    /// Where a resource manager gives each connection slots of its own, what is loaded by others is not even looked at,
    /// and nobody waits for anybody.
    @Test func aResourceManagerNeedsNoLock() async throws {
        let tpm = try SoftwareTPM()
        let tap = try Tap(to: tpm)
        let device = try DeviceTPM(of: tpm)
        let direct = TPMEnclave(try TPMAddress(tap.address))
        let managed = TPMEnclave(device.address(isManaged: true))
        let (folder, name) = (try SlotGuard.folder(), SlotGuard.name(of: managed.address))
        // Terminals' names come again.
        try? FileManager.default.removeItem(atPath: folder + "/" + name + ".lock")
        _ = try await direct.status()
        _ = try await managed.status()
        let asked = tap.exchanges.map(\.command).filter { $0.dropFirst(6).starts(with: [0, 0, 1, 0x7A, 0, 0, 0, 1]) }
        #expect(asked.count == 4, "objects and sessions: for the status, and by the one that has to look")
        let locks = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!locks.contains { $0.hasPrefix(name) })
        #expect(locks.contains { $0.hasPrefix(SlotGuard.name(of: direct.address)) })
    }
}
