import Foundation
import TestSupport

/// The published exports of Google Authenticator.
enum MigrationVectors {
    /// A token of an export of Google Authenticator.
    struct Entry: Decodable {
        let secret_hex: String
        let name: String
        let issuer: String
        let algorithm: String
        let digits: Int
        let type: String
        let counter: UInt64?
    }

    struct Migration: Decodable {
        let uri: String
        let payload_hex: String
        let entries: [Entry]
        let version: Int32
        let batch_size: Int
        let batch_index: Int
        let batch_id: Int32
    }

    struct Published: Decodable {
        let uri: String
        let payload_hex: String?
        let entries: [Entry]?
        let secret_hex: String?
    }

    static func read<Value: Decodable>(_ name: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Vectors.data("otp/" + name))
    }
}
