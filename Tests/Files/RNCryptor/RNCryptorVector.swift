import Foundation
import MildamWire
import TestSupport
import Testing

/// One of the vectors of RNCryptor-Spec: lines of `key: value`, ended by an empty one.
struct RNCryptorVector: Sendable, CustomTestStringConvertible {
    /// The file that it is from: `v3/password`.
    let file: String
    let fields: [String: String]

    var testDescription: String { "\(file): \(fields["title"] ?? "?")" }
    var password: String { fields["password"] ?? "" }

    /// The bytes of a field, which is hexadecimal with spaces.
    func bytes(_ name: String) throws -> [UInt8] {
        try Hex.decode(#require(fields[name], "no \(name) in \(self)").filter { !$0.isWhitespace })
    }

    /// All of one kind: `kdf`, `password` or `key`.
    static func all(_ kind: String, of versions: [String]) throws -> [RNCryptorVector] {
        try versions.flatMap { version in
            let file = "\(version)/\(kind)"
            let text = try String(decoding: Vectors.data("rncryptor/" + file), as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("#") }
            return lines.split { $0.allSatisfy(\.isWhitespace) }.map { lines in
                let fields = lines.compactMap { line -> (String, String)? in
                    guard let colon = line.firstIndex(of: ":") else { return nil }
                    let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                    return (String(line[..<colon]), value)
                }
                return RNCryptorVector(file: file, fields: Dictionary(fields) { $1 })
            }
        }
    }

    static let kdf: [RNCryptorVector] = (try? all("kdf", of: ["v1", "v2", "v3"])) ?? []
    static let password: [RNCryptorVector] = (try? all("password", of: ["v1", "v2", "v3"])) ?? []
    static let key: [RNCryptorVector] = (try? all("key", of: ["v3"])) ?? []
}
