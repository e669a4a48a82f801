import Foundation
import MildamCrypto
import TestSupport

/// The program, as a second opinion on signatures.
enum OpenSSL {
    /// Whether `openssl dgst -verify` takes the signature.
    static func accepts(
        _ signature: P256.Signing.ECDSASignature,
        of message: Data,
        by key: P256.Signing.PublicKey
    ) throws -> Bool {
        let folder = try TemporaryFolder()
        // SubjectPublicKeyInfo of a point on P-256 (RFC 5480, section 2).
        let head: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        let files = [
            ("key", Data(head) + key.x963Representation), ("signature", signature.derRepresentation),
            ("message", message),
        ]
        for (name, content) in files { try content.write(to: URL(fileURLWithPath: folder.file(name))) }
        let result = try Program.run(
            "openssl",
            [
                "dgst", "-sha256", "-keyform", "DER", "-verify", folder.file("key"), "-signature",
                folder.file("signature"), folder.file("message"),
            ]
        )
        return result.status == 0 && result.output.contains("Verified OK")
    }
}
