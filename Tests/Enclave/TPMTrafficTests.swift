import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamEnclave

/// What somebody on the way to the TPM sees, and can do.
@Suite("TPM traffic", .serialized, .enabled(if: softwareTPMIsExpected))
struct TPMTrafficTests {
    @Test func neitherSecretNorPINPasses() async throws {
        let tpm = try SoftwareTPM()
        let tap = try Tap(to: tpm)
        let enclave = TPMEnclave(try TPMAddress(tap.address))
        let text = "the PIN, which is not seen"
        let pin = try EnclavePIN(text)
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        let peer = P256.KeyAgreement.PrivateKey()
        let secret = try await enclave.sharedSecret(with: peer.publicKey, key: key, pin: pin)
        let counter = try await enclave.defineCounter(at: 0x0180_0001)
        _ = try await enclave.increment(counter)
        // All of it went by, and the public parts of it are seen.
        #expect(tap.exchanges.map(\.code).contains(0x154), "no TPM2_ECDH_ZGen")
        #expect(tap.occurrences(of: Array(key.publicKey.x963Representation.dropFirst().prefix(32))) > 0)
        let hidden: [(String, [UInt8])] = [
            ("the shared secret", unsafe secret.withUnsafeBytes { unsafe Array($0) }),
            ("the PIN", Array(text.utf8)),
            ("what the TPM knows the PIN by", unsafe pin.authorization.withUnsafeBytes { unsafe Array($0) }),
            ("the counter's authorization", unsafe counter.authorization.withUnsafeBytes { unsafe Array($0) }),
        ]
        for (what, bytes) in hidden {
            for start in stride(from: 0, through: bytes.count - 8, by: 4) {
                #expect(tap.occurrences(of: Array(bytes[start..<start + 8])) == 0, "\(what), from byte \(start)")
            }
        }
    }

    /// Each session is salted to the storage key, and each command that uses a key or its PIN is in a session of its own,
    /// which encrypts what is secret and ends with it.
    @Test func everySessionIsSalted() async throws {
        let tpm = try SoftwareTPM()
        let tap = try Tap(to: tpm)
        let enclave = TPMEnclave(try TPMAddress(tap.address))
        let peer = P256.KeyAgreement.PrivateKey().publicKey
        for pin in [nil, try EnclavePIN("1234")] {
            let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
            _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin)
            let signing = try await enclave.makeKey(.signing, options: EnclaveKeyOptions(pin: pin))
            _ = try await enclave.signature(for: SHA256.hash(data: Data()), key: signing, pin: pin)
        }
        let counter = try await enclave.defineCounter(at: 0x0180_0001)
        _ = try await enclave.increment(counter)
        let starts = tap.exchanges.filter { $0.code == 0x176 }
        // After the header: the key's handle, that of what it is bound to, and nonce and salt with their sizes.
        for start in starts {
            #expect(start.command[10] == 0x80, "salted to no key")
            let nonce = Int(start.command[18]) << 8 | Int(start.command[19])
            let salt = start.command.dropFirst(20 + nonce).prefix(2).reduce(0) { $0 << 8 | Int($1) }
            #expect(nonce == 32 && salt > 64)
        }
        // TPM2_Create, ECDH_ZGen, Sign, NV_DefineSpace, NV_Increment, NV_Read; how many handles stand before the session.
        let handles: [UInt32: Int] = [0x153: 1, 0x154: 1, 0x15D: 1, 0x12A: 1, 0x134: 2, 0x14E: 2]
        // The first use of a PIN after a start is asked for twice: the TPM first notes that there was one.
        let uses = tap.exchanges.filter { handles[$0.code] != nil && $0.isAnswered }
        let codes = tap.exchanges.map { String($0.code, radix: 16) }
        #expect(Set(uses.map(\.code)) == Set(handles.keys) && uses.count == starts.count, "\(codes)")
        for use in uses {
            let session = use.command.dropFirst(10 + 4 * (handles[use.code] ?? 0) + 4)
            #expect(session.first == 0x02, "a password, in clear")
            let nonce = session.dropFirst(4).prefix(2).reduce(0) { $0 << 8 | Int($1) }
            let attributes = session.dropFirst(6 + nonce).first ?? 0
            #expect(attributes & 1 == 0, "the session does not end")
            // Increments have nothing to hide, agreements and reads nothing in, definitions and signatures nothing out.
            let wanted: [UInt32: UInt8] = [0x153: 0x60, 0x154: 0x40, 0x15D: 0x20, 0x12A: 0x20, 0x134: 0, 0x14E: 0x40]
            #expect(attributes == wanted[use.code], "command \(String(use.code, radix: 16))")
        }
    }

    /// The same search finds both where they pass in clear, as tools send them that are not told to encrypt.
    @Test func theSearchFindsWhatPassesInClear() async throws {
        let tpm = try SoftwareTPM()
        let tap = try Tap(to: tpm)
        func tool(_ name: String, _ arguments: [String]) async throws {
            let result = try await Program.result(
                of: "tpm2_" + name,
                arguments,
                environment: ["TPM2TOOLS_TCTI": tap.address],
                folder: (tpm.file("") as NSString).deletingLastPathComponent
            )
            try #require(result.status == 0, "\(result)")
        }
        let text = "a PIN in clear"
        try await tool("createprimary", ["-C", "o", "-G", "ecc256", "-c", tpm.file("parent")])
        try await tool(
            "create",
            [
                "-C", tpm.file("parent"), "-G", "ecc256", "-p", text, "-u", tpm.file("public"), "-r",
                tpm.file("private"),
                "-a", "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|decrypt|noda",
            ]
        )
        try await tool("flushcontext", ["-t"])
        try await tool(
            "load",
            ["-C", tpm.file("parent"), "-u", tpm.file("public"), "-r", tpm.file("private"), "-c", tpm.file("key")]
        )
        try await tool("flushcontext", ["-t"])
        try await tool(
            "ecdhkeygen",
            ["-c", tpm.file("key"), "-u", tpm.file("ephemeral"), "-o", tpm.file("secret")]
        )
        // TPM2B_ECC_POINT without its own size: the x-coordinate with its size comes first.
        let secret = Array(try Data(contentsOf: URL(fileURLWithPath: tpm.file("secret"))))
        let start = try #require((2...4).first { secret[$0 - 1] == 32 }, "\(secret.prefix(8))")
        #expect(tap.occurrences(of: Array(secret[start..<start + 8])) > 0)
        #expect(tap.occurrences(of: Array(text.utf8.prefix(8))) > 0)
    }

    /// A storage key that is not the one the key was made under is noticed before a session is salted with it: its owner
    /// would learn what the session hides.
    @Test func anotherStorageKeyIsNoticed() async throws {
        let (tpm, attacker) = (try SoftwareTPM(), try SoftwareTPM())
        let tap = try Tap(to: tpm)
        let enclave = TPMEnclave(try TPMAddress(tap.address))
        let pin = try EnclavePIN("1234")
        let key = try await enclave.makeKey(.keyAgreement, options: EnclaveKeyOptions(pin: pin))
        let counter = try await enclave.defineCounter(at: 0x0180_0001)
        let peer = P256.KeyAgreement.PrivateKey().publicKey
        _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin)

        tap.lead(to: attacker)
        let before = tap.exchanges.count
        // One that knows the storage key, and one that begins.
        for enclave in [enclave, TPMEnclave(try TPMAddress(tap.address))] {
            let agreed = await failure { _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin) }
            #expect(agreed == .otherTPM)
            let raised = await failure { _ = try await enclave.increment(counter) }
            #expect(raised == .otherTPM)
        }
        let made = await failure { _ = try await enclave.makeKey(.signing, options: EnclaveKeyOptions(pin: pin)) }
        #expect(made == .otherTPM)
        let codes = tap.exchanges.dropFirst(before).map(\.code)
        #expect(codes.contains(0x131), "it was not even asked for its storage key")
        #expect(!codes.contains(0x176), "a session was salted with the stranger's key")

        tap.lead(to: tpm)
        _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin)
    }
}
