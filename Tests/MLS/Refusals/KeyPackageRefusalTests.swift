import MildamCrypto
import MildamWire
import Testing

@testable import MildamMLS

/// Alice proposes to add Eve; Bob looks.
@Suite("RFC 9420, section 10.1: key packages that are refused")
struct KeyPackageRefusalTests {
    private func refuse(_ rule: ValidationRule, _ change: (inout KeyPackageContent) -> Void) throws {
        let party = try Party(["alice", "bob"])
        let keyPackage = try Person("eve").bundle().forged(content: change)
        try party["bob"].expectRefusal(rule, of: party["alice"].forged(.add(keyPackage)))
    }

    @Test(arguments: [[], [1, 2, 3]] + LowOrderKey.x25519)
    func initKeyIsValid(key: [UInt8]) throws {
        try refuse(.initKeyIsValid) { $0.initKey = HPKEPublicKey(key) }
    }

    @Test func initKeyIsAnother() throws {
        try refuse(.initKeyIsAnother) { $0.initKey = $0.leafNode.encryptionKey }
    }

    @Test func keyPackageExtensionsAreDistinct() throws {
        let twice = [Extension](repeating: Extension(type: .lastResort, data: []), count: 2)
        try refuse(.keyPackageExtensionsAreDistinct) { $0.extensions.list = twice }
    }

    @Test func keyPackageFitsGroup() throws {
        try refuse(.keyPackageFitsGroup) { $0.cipherSuite = .x25519AES128 }
        try refuse(.keyPackageFitsGroup) { $0.cipherSuite = CipherSuite(rawValue: 0xF000) }
        try refuse(.keyPackageFitsGroup) { $0.version = ProtocolVersion(rawValue: 2) }
    }

    @Test func keyPackageSignatureIsValid() throws {
        let party = try Party(["alice", "bob"])
        let eve = try Person("eve").bundle().keyPackage
        let keyPackage = KeyPackage(eve.content, signature: eve.signature.flipped)
        try party["bob"].expectRefusal(.keyPackageSignatureIsValid, of: party["alice"].forged(.add(keyPackage)))
        let other = try Person("mallory").bundle().forged(content: { $0.leafNode = eve.leafNode })
        try party["bob"].expectRefusal(.keyPackageSignatureIsValid, of: party["alice"].forged(.add(other)))
    }
}
