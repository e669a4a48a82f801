import Foundation
import MildamWire
import TestSupport
import Testing

/// One file of Project Wycheproof.
struct Wycheproof: Decodable {
    var numberOfTests: Int
    var testGroups: [Group]

    struct Group: Decodable {
        var publicKey: PublicKey?
        var tagSize: Int?
        var tests: [Case]
    }

    struct PublicKey: Decodable {
        var pk: String?
        var uncompressed: String?
    }

    enum Verdict: String, Decodable { case valid, invalid, acceptable }

    struct Case: Decodable, CustomStringConvertible {
        var tcId: Int
        var comment: String
        var flags: [String]
        var result: Verdict
        var key, iv, aad, msg, ct, tag, sig: String?
        var `public`, `private`, shared: String?
        var ikm, salt, info, okm, password, dk: String?
        var size, iterationCount, dkLen: Int?

        var description: String { "case \(tcId): \(comment) \(flags) \(result)" }
        var flagText: String { flags.sorted().joined(separator: " ") }
    }

    /// Reads a file; one that is missing, empty, or shorter than it says, is an error.
    static func read(_ name: String) throws -> Wycheproof {
        let file = try JSONDecoder().decode(Wycheproof.self, from: Vectors.data("wycheproof/\(name)_test.json"))
        let count = file.testGroups.reduce(0) { $0 + $1.tests.count }
        try #require(count > 0 && count == file.numberOfTests, "\(name) has \(count) of \(file.numberOfTests) cases")
        return file
    }
}

/// The bytes of a vector's field.
func bytes(_ text: String?) throws -> [UInt8] { try Hex.decode(#require(text)) }

/// What became of a file's cases.
struct Tally {
    var ran = 0
    var refusedForSize = 0

    func report(_ name: String) {
        print("Wycheproof \(name): \(ran) ran, \(refusedForSize) refused for their size or form")
    }
}
