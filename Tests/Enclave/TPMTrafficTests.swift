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
