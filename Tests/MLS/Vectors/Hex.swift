import Foundation
import MildamCrypto
import MildamWire
import TestSupport
import Testing

@testable import MildamMLS

/// Bytes of a vector, which are hexadecimal there.
struct Bytes: Decodable, Hashable, CustomStringConvertible {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        bytes = try Hex.decode(try decoder.singleValueContainer().decode(String.self))
    }

    var secret: SymmetricKey { SymmetricKey(data: bytes) }
    var description: String { Hex.encode(bytes) }

    /// The structure that the bytes hold.
    func read<Value: WireDecodable>(_ type: Value.Type = Value.self) throws -> Value { try Value(wireBytes: bytes) }
}

extension SymmetricKey {
    /// The bytes of a secret, for comparison with a vector's.
    var exposed: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}

/// The cases of a published file; an empty one fails.
func vectors<Case: Decodable>(_ name: String, of type: Case.Type = Case.self, count: Int) throws -> [Case] {
    let cases = try JSONDecoder().decode([Case].self, from: Vectors.data("mls/\(name).json"))
    try #require(cases.count == count, "\(name) has \(cases.count) cases")
    return cases
}

/// A suite by a vector's number.
func suite(_ number: UInt16) throws -> Suite { try Suite.of(CipherSuite(rawValue: number)) }
