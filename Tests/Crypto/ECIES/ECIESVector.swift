import Foundation
import MildamCrypto
import TestSupport
import Testing

/// A packet that an Apple system made, or a program that reads and writes theirs.
struct ECIESVector: Codable, CustomStringConvertible {
    let name, curve, hash: String
    let variable_iv: Bool
    let private_key_hex, public_key_hex, ciphertext_hex, plaintext_utf8: String
    let derived_z_hex, derived_key_hex, derived_iv_hex: String

    var description: String { name }

    var parameters: ECIES.Parameters {
        get throws {
            let known = ECIES.Hash.allCases.first { $0.name == hash }
            return try ECIES.Parameters(hash: #require(known), iv: variable_iv ? .derived : .zero)
        }
    }

    /// All of them; fewer than the nine of the set are an error.
    static func read() throws -> [ECIESVector] {
        let vectors = try JSONDecoder().decode([ECIESVector].self, from: Vectors.data("ecies/apple_interop.json"))
        try #require(vectors.count >= 9, "\(vectors.count) packets of nine")
        return vectors
    }
}

extension ECIES.Hash {
    /// The name that the vectors and the peer use.
    var name: String { "\(self)".uppercased() }
}

extension NISTCurve {
    /// The name that the vectors and the peer use.
    static var secName: String { "\(self)".replacing("P", with: "secp") + "r1" }
}

/// The bytes of a secret, to be compared.
func exposed(_ secret: consuming SecretBytes) -> [UInt8] {
    unsafe secret.withUnsafeBytes { unsafe Array($0) }
}
