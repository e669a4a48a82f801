import Foundation
import MildamCrypto
import MildamWire
import TestSupport
import Testing

@Suite("Against the openssl program")
struct OpenSSLTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ content: some DataProtocol) throws -> String {
        let path = folder.file(name)
        try Data(content).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func openssl(_ arguments: String...) throws -> String {
        let result = try Program.run("openssl", arguments)
        #expect(result.status == 0, "\(result)")
        return result.output
    }

    @Test func hashAndHMAC() throws {
        let message = SecureRandom.data(count: 1000)
        let path = try file("message", message)
        #expect(try openssl("dgst", "-sha384", path).contains(Hex.encode(SHA384.hash(data: message))))
        let key = SymmetricKey(size: .bits256)
        let hex = unsafe key.withUnsafeBytes { unsafe Hex.encode(Array($0)) }
        let code = HMAC<SHA512>.authenticationCode(for: message, using: key)
        #expect(
            try openssl("dgst", "-sha512", "-mac", "hmac", "-macopt", "hexkey:" + hex, path).contains(Hex.encode(code))
        )
    }

    @Test func ed25519() throws {
        let key = Curve25519.Signing.PrivateKey()
        let message = SecureRandom.data(count: 100)
        let info = try Hex.decode("302a300506032b6570032100") + key.publicKey.rawRepresentation
        let output = try openssl(
            "pkeyutl",
            "-verify",
            "-rawin",
            "-pubin",
            "-keyform",
            "DER",
            "-inkey",
            file("key", info),
            "-in",
            file("message", message),
            "-sigfile",
            file("signature", key.signature(for: message))
        )
        #expect(output.contains("Verified Successfully"))
    }

    @Test func ecdsa() throws {
        let key = P256.Signing.PrivateKey()
        let message = SecureRandom.data(count: 100)
        let info = try p256Info(key.publicKey.x963Representation)
        let signature = try file("signature", key.signature(for: message).derRepresentation)
        let output = try openssl(
            "dgst",
            "-sha256",
            "-verify",
            file("key", info),
            "-keyform",
            "DER",
            "-signature",
            signature,
            file("message", message)
        )
        #expect(output.contains("Verified OK"))
    }

    @Test func x25519() throws {
        let (own, other) = (Curve25519.KeyAgreement.PrivateKey(), Curve25519.KeyAgreement.PrivateKey())
        let privateKey = try Hex.decode("302e020100300506032b656e04220420") + other.rawRepresentation
        let publicKey = try Hex.decode("302a300506032b656e032100") + own.publicKey.rawRepresentation
        _ = try openssl(
            "pkeyutl",
            "-derive",
            "-keyform",
            "DER",
            "-inkey",
            file("private", privateKey),
            "-peerform",
            "DER",
            "-peerkey",
            file("public", publicKey),
            "-out",
            folder.file("secret")
        )
        let secret = try Data(contentsOf: URL(fileURLWithPath: folder.file("secret")))
        #expect(try constantTimeEquals(own.sharedSecretFromKeyAgreement(with: other.publicKey), secret))
    }

    @Test func x963() throws {
        let secret = try P256.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PrivateKey().publicKey
        )
        let hex = unsafe secret.withUnsafeBytes { unsafe Hex.encode(Array($0)) }
        let output = try openssl(
            "kdf",
            "-keylen",
            "48",
            "-kdfopt",
            "digest:SHA256",
            "-kdfopt",
            "hexsecret:" + hex,
            "-kdfopt",
            "hexinfo:0102",
            "X963KDF"
        )
        let digits = output.trimmingCharacters(in: .whitespacesAndNewlines).replacing(":", with: "")
        let key = secret.x963DerivedSymmetricKey(
            using: SHA256.self,
            sharedInfo: [1, 2] as [UInt8],
            outputByteCount: 48
        )
        #expect(try key == SymmetricKey(data: Hex.decode(digits)))
    }

    private func p256Info(_ point: Data) throws -> [UInt8] {
        try Hex.decode("3059301306072a8648ce3d020106082a8648ce3d030107034200") + point
    }
}
