import Foundation
import TestSupport
import Testing

@testable import MildamCrypto

/// A case of RFC 9180's published vectors (appendix A has seven of them in print).
struct HPKEVector: Decodable, CustomStringConvertible {
    let mode: UInt8
    let kem_id, kdf_id, aead_id: UInt16
    let info, ikmR, ikmE, skRm, skEm, pkRm, pkEm, enc: String
    let ikmS, skSm, pkSm, psk, psk_id: String?
    let shared_secret, key_schedule_context, secret, key, base_nonce, exporter_secret: String
    let encryptions: [Encryption]
    let exports: [Export]

    struct Encryption: Decodable {
        let aad, ct, nonce, pt: String
    }

    struct Export: Decodable {
        let exporter_context: String
        let L: Int
        let exported_value: String
    }

    var description: String { "mode \(mode), KEM \(kem_id), KDF \(kdf_id), AEAD \(aead_id)" }

    var ciphersuite: HPKE.Ciphersuite {
        get throws {
            try HPKE.Ciphersuite(
                kem: #require(HPKE.KEM(rawValue: kem_id)),
                kdf: #require(HPKE.KDF(rawValue: kdf_id)),
                aead: #require(HPKE.AEAD(rawValue: aead_id))
            )
        }
    }

    var presharedKey: HPKE.PresharedKey? {
        get throws {
            guard let psk, let psk_id else { return nil }
            return try HPKE.PresharedKey(SymmetricKey(data: bytes(psk)), identifier: bytes(psk_id))
        }
    }

    var sender: HPKE.PrivateKey? {
        get throws {
            guard let ikmS else { return nil }
            return try HPKE.PrivateKey(deriving: bytes(ikmS), kem: ciphersuite.kem)
        }
    }

    var recipient: HPKE.PrivateKey {
        get throws { try HPKE.PrivateKey(kem: ciphersuite.kem, rawRepresentation: bytes(skRm)) }
    }

    var ephemeral: HPKE.PrivateKey {
        get throws { try HPKE.PrivateKey(kem: ciphersuite.kem, rawRepresentation: bytes(skEm)) }
    }

    /// All of them; fewer than the 128 of the set are an error.
    static func read() throws -> [HPKEVector] {
        let file = try Vectors.data("hpke/rfc9180-vectors_5f503c5.json")
        let vectors = try JSONDecoder().decode([HPKEVector].self, from: file)
        try #require(vectors.count == 128, "\(vectors.count) cases of 128")
        return vectors
    }
}

/// The bytes of a key, to be compared.
func exposed(_ key: SymmetricKey) -> [UInt8] {
    unsafe key.withUnsafeBytes { unsafe Array($0) }
}
