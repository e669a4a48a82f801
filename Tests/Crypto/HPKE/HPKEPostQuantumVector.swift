import Foundation
import TestSupport
import Testing

@testable import MildamCrypto

/// A case of the vectors of HPKE's post-quantum draft. Some of its algorithms are RFC 9180's: the KEM, the KDF, or neither.
struct HPKEPostQuantumVector: Decodable, CustomStringConvertible {
    let kem_id, kdf_id, aead_id: UInt16
    let info, ikmR, ikmE, skRm, pkRm, enc: String
    let suite_id, shared_secret, key, base_nonce, exporter_secret: String
    let encryptions: [HPKEVector.Encryption]
    let exports: [HPKEVector.Export]

    var description: String { "KEM \(kem_id), KDF \(kdf_id), AEAD \(aead_id)" }

    /// All of them; fewer than the 13 of the set are an error.
    static func read() throws -> [HPKEPostQuantumVector] {
        let file = try Vectors.data("hpke/hpke-pq-test-vectors_mlspp.json")
        let vectors = try JSONDecoder().decode([HPKEPostQuantumVector].self, from: file)
        try #require(vectors.count == 13, "\(vectors.count) cases of 13")
        return vectors
    }
}
