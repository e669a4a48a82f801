import Foundation
import MildamCrypto
import MildamFiles
import MildamSystem
import MildamWire
import TestSupport
import Testing

@Suite("age: the published vectors (C2SP/CCTV age)", .enabled(if: Vectors.areExpected))
struct AgeVectorTests {
    @Test("Every vector is run, or stands under what it waits for")
    func census() throws {
        let vectors = try AgeVector.all.get()
        #expect(vectors.count == 143)
        #expect(vectors.count { $0.missing == nil } == 67)
        for (feature, count) in [(AgeVector.Feature.armor, 33), (.scrypt, 25), (.hybrid, 18)] {
            let names = vectors.filter { $0.missing == feature }.map(\.name)
            print("not yet, needs \(feature.rawValue): \(names.joined(separator: " "))")
            #expect(names.count == count)
        }
    }

    @Test("Outcome and released content", arguments: AgeVector.applicable)
    func outcome(_ vector: AgeVector) throws {
        let identities = try vector.identities.map { try AgeX25519Identity($0) }
        let folder = try TemporaryFolder()
        try Data(vector.file).write(to: URL(fileURLWithPath: folder.file("in.age")))

        var failure: AgeError?
        var released: [UInt8] = []
        do {
            try opened(vector.file, with: identities, released: &released)
        } catch {
            failure = error
        }
        #expect(outcome(failure) == vector.expectation)
        if let payload = vector.payload {
            #expect(Hex.encode(SHA256.hash(data: released)) == payload)
        } else {
            #expect(released.isEmpty)
        }

        // The same through files: the same error, and a target only for success.
        var fileFailure: AgeError?
        do {
            let size = try AgeFile.decrypt(folder.file("in.age"), to: folder.file("out"), identities: identities)
            #expect(size == released.count)
        } catch {
            fileFailure = error
        }
        #expect(fileFailure == failure)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == (failure == nil ? ["in.age", "out"] : ["in.age"]))
        if failure == nil {
            #expect(try WholeFile.read(folder.file("out"), limit: 32 << 20) == released)
        }
    }

    @Test("A header that parses encodes to the same bytes, in pieces of any size", arguments: AgeVector.applicable)
    func headerRoundTrip(_ vector: AgeVector) throws {
        for piece in [1, 7, 65_536] {
            guard let (header, end) = try? header(of: vector.file, piece: piece) else {
                #expect(vector.expectation == "header failure")
                continue
            }
            #expect(header.bytes == Array(vector.file[..<end]))
        }
    }

    private func outcome(_ failure: AgeError?) -> String {
        switch failure {
        case nil: "success"
        case .noIdentityMatches: "no match"
        case .headerMACMismatch: "HMAC failure"
        case .malformedHeader, .unsupportedVersion: "header failure"
        case .damaged, .truncated, .trailingData: "payload failure"
        case .some(let error): "\(error)"
        }
    }
}
