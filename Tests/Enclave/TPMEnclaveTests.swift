import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamEnclave

/// What only a TPM does, on a real one.
@Suite("TPM 2.0", .serialized, .enabled(if: softwareTPMIsExpected))
struct TPMEnclaveTests {
    private let peer = P256.KeyAgreement.PrivateKey().publicKey

    @Test func keysWithoutAPIN() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let agreeing = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions())
        let signing = try await enclave.makeKey(.signing, options: EnclaveKeyOptions())
        let other = P256.KeyAgreement.PrivateKey()
        let secret = try await enclave.sharedSecret(with: other.publicKey, key: agreeing, pin: nil)
        #expect(try secret == other.sharedSecretFromKeyAgreement(with: agreeing.agreementKey))
        let digest = SHA256.hash(data: Data([1]))
        let signature = try await enclave.signature(for: digest, key: signing, pin: nil)
        #expect(try signing.signingKey.isValidSignature(signature, for: digest))
        let pin = try EnclavePIN("1234")
        let failed = await failure { _ = try await enclave.sharedSecret(with: peer, key: agreeing, pin: pin) }
        #expect(failed == .pinUnexpected)
    }

    /// The TPM's own tools read what it was given: the attributes that keep a key where it is.
    @Test(arguments: EnclaveKeyPurpose.allCases, [false, true])
    func attributes(purpose: EnclaveKeyPurpose, hasPIN: Bool) async throws {
        let tpm = try SoftwareTPM()
        let tap = try Tap(to: tpm)
        let enclave = TPMEnclave(try TPMAddress(tap.address))
        let options = EnclaveKeyOptions(pin: hasPIN ? try EnclavePIN("1234") : nil)
        let key = try await enclave.makeKey(purpose, options: options)
        let answer = try #require(tap.exchanges.first { $0.code == 0x153 }?.answer, "no TPM2_Create")
        let area = try PublicArea(answer, told: tpm)
        var wanted: Set = ["fixedtpm", "fixedparent", "sensitivedataorigin", "userwithauth"]
        wanted.insert(purpose == .signing ? "sign" : "decrypt")
        if !hasPIN { wanted.insert("noda") }
        #expect(area.attributes == wanted)
        #expect(area.text.contains(Data(key.publicKey.x963Representation.dropFirst().prefix(32)).hexadecimal))
    }

    @Test func status() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        guard case .tpm(let status) = try await enclave.status() else { throw EnclaveError.wrongKind }
        #expect(status.address == tpm.address)
        #expect(status.manufacturer == "IBM" && status.model == "SWTPM")
        #expect(status.firmware.split(separator: ".").count == 4 && status.firmware != "0.0.0.0")
        #expect(status.lockoutCounter == 0 && status.maximumTries == 3 && !status.isLockedOut)
        #expect(status.recoverySeconds == 1000)
        #expect(try tpm.slots().isEmpty)
    }

    @Test func wrongPINsLockOut() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let (pin, wrong) = (try EnclavePIN("1234"), try EnclavePIN("4321"))
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        let open = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions())
        for left in [2, 1, 0] {
            let failed = await failure { _ = try await enclave.sharedSecret(with: peer, key: key, pin: wrong) }
            #expect(failed == .wrongPIN(triesLeft: left))
        }
        for pin in [pin, wrong] {
            let failed = await failure { _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin) }
            #expect(failed == .lockedOut(recoverySeconds: 1000))
        }
        guard case .tpm(let status) = try await enclave.status() else { throw EnclaveError.wrongKind }
        #expect(status.isLockedOut && status.lockoutCounter == 3)
        // A key without a PIN is not concerned.
        _ = try await enclave.sharedSecret(with: peer, key: open, pin: nil)
        #expect(try tpm.slots().isEmpty)
        try tpm.tool("dictionarylockout", ["-c"])
        _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin)
    }

    /// A TPM leaves out zeros at an authorization's end.
    @Test func authorizationsThatEndWithZeros() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        var found = 0
        for number in 0..<10_000 where found < 2 {
            let pin = try EnclavePIN("\(number)")
            guard unsafe pin.authorization.withUnsafeBytes({ unsafe $0.last == 0 }) else { continue }
            found += 1
            let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
            _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin)
        }
        #expect(found == 2)
    }

    @Test func ofAnotherTPM() async throws {
        let (tpm, other) = (try SoftwareTPM(), try SoftwareTPM())
        let pin = try EnclavePIN("1234")
        let key = try await TPMEnclave(TPMAddress(tpm.address)).makeKey(.signing, options: EnclaveKeyOptions(pin: pin))
        let enclave = TPMEnclave(try TPMAddress(other.address))
        let digest = SHA256.hash(data: Data())
        for _ in 0..<2 {
            let failed = await failure { _ = try await enclave.signature(for: digest, key: key, pin: pin) }
            #expect(failed == .otherTPM)
        }
        #expect(try other.slots().isEmpty)
        guard case .tpm(let status) = try await enclave.status() else { throw EnclaveError.wrongKind }
        #expect(status.lockoutCounter == 0, "no try was counted")
    }

    @Test func clearedTPM() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions())
        try tpm.tool("clear", ["-c", "p"])
        for enclave in [enclave, TPMEnclave(try TPMAddress(tpm.address))] {
            let failed = await failure { _ = try await enclave.sharedSecret(with: peer, key: key, pin: nil) }
            #expect(failed == .tpmCleared)
        }
        let made = await failure { _ = try await enclave.makeKey(.signing, options: EnclaveKeyOptions()) }
        #expect(made == .tpmCleared, "an enclave that is in use takes no other storage key")
        // A new one begins anew.
        let fresh = TPMEnclave(try TPMAddress(tpm.address))
        let next = try await fresh.makeKey(.keyAgreement, options: EnclaveKeyOptions())
        _ = try await fresh.sharedSecret(with: peer, key: next, pin: nil)
        #expect(try tpm.slots().isEmpty)
    }

    /// Where the owner has taken the endorsement hierarchy for himself, a cleared TPM cannot be told from another.
    @Test func closedHierarchies() async throws {
        let tpm = try SoftwareTPM()
        try tpm.tool("changeauth", ["-c", "e", "password"])
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions())
        _ = try await enclave.sharedSecret(with: peer, key: EnclaveKeyBlob(bytes: key.bytes), pin: nil)
        try tpm.tool("changeauth", ["-c", "o", "password"])
        let late = TPMEnclave(try TPMAddress(tpm.address))
        let made = await failure { _ = try await late.makeKey(.signing, options: EnclaveKeyOptions()) }
        #expect(made == .ownerPasswordSet)
        try tpm.tool("clear", ["-c", "p"])
        let fresh = TPMEnclave(try TPMAddress(tpm.address))
        let failed = await failure { _ = try await fresh.sharedSecret(with: peer, key: key, pin: nil) }
        #expect(failed == .otherTPM)
    }

    @Test func resetBetweenUses() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions())
        for _ in 0..<3 {
            tpm.kill()
            let failed = await failure { _ = try await enclave.sharedSecret(with: peer, key: key, pin: nil) }
            #expect(failed == .absent(address: tpm.address, .missing))
            try tpm.start()
            _ = try await enclave.sharedSecret(with: peer, key: key, pin: nil)
        }
        #expect(try tpm.slots().isEmpty)
    }

    @Test func fullSlots() async throws {
        let tpm = try SoftwareTPM()
        let enclave = TPMEnclave(try TPMAddress(tpm.address))
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions())
        for number in 0..<3 {
            try tpm.tool("createprimary", ["-C", "n", "-G", "ecc", "-c", tpm.file("object\(number)")])
        }
        let before = try tpm.slots()
        try #require(before.count == 3, "\(before)")
        let failed = await failure { _ = try await enclave.sharedSecret(with: peer, key: key, pin: nil) }
        #expect(failed == .slotsTaken)
        #expect(try tpm.slots() == before, "nothing of others is removed")
        try tpm.tool("flushcontext", ["-t"])
        _ = try await enclave.sharedSecret(with: peer, key: key, pin: nil)
        #expect(try tpm.slots().isEmpty)
    }

    /// Ten tasks, and as many enclaves as there are tasks: nobody is refused, and nothing stays.
    @Test func manyAtOnce() async throws {
        let tpm = try SoftwareTPM()
        let pin = try EnclavePIN("1234")
        let shared = TPMEnclave(try TPMAddress(tpm.address))
        let agreeing = try await shared.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        let signing = try await shared.makeKey(.signing, options: EnclaveKeyOptions())
        let count = Count.of(few: 100, full: 1000)
        let secrets = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<10 {
                let enclave = task.isMultiple(of: 2) ? shared : TPMEnclave(try TPMAddress(tpm.address))
                group.addTask {
                    var done = 0
                    for number in 0..<count / 10 {
                        if number.isMultiple(of: 3) {
                            let digest = SHA256.hash(data: Data([UInt8(task)]))
                            let signature = try await enclave.signature(for: digest, key: signing, pin: nil)
                            if try signing.signingKey.isValidSignature(signature, for: digest) { done += 1 }
                        } else {
                            let other = P256.KeyAgreement.PrivateKey()
                            let secret = try await enclave.sharedSecret(with: other.publicKey, key: agreeing, pin: pin)
                            if try secret == other.sharedSecretFromKeyAgreement(with: agreeing.agreementKey) {
                                done += 1
                            }
                        }
                    }
                    return done
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(secrets == count / 10 * 10)
        #expect(try tpm.slots().isEmpty)
    }
}

extension Data {
    fileprivate var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }
}
