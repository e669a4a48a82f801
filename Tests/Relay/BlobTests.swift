import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import Testing

@testable import MildamRelay

@Suite("Blobs over HTTP")
struct BlobTests {
    @Test("pieces, a restart of the upload, and reading back in ranges")
    func pieces() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.createRoom()
        let path = Route.blob(room, .random()).path
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(try await alice.ask(.get, path).apiError?.code == .unknownBlob)
        var offset = 0
        while offset < content.count {
            let piece = Array(content[offset..<min(offset + Limits.blobPiece, content.count)])
            let answer = try await alice.ask(.put, path + "?size=\(content.count)&offset=\(offset)", body: piece)
            #expect(answer.status == 200)
            // The answer was lost: the same piece again says where to go on.
            let again = try await alice.ask(.put, path + "?size=\(content.count)&offset=\(offset)", body: piece)
            #expect(again.apiError?.code == .wrongOffset)
            offset = try answer.value(BlobState.self).received
            #expect(again.apiError?.number == UInt64(offset))
            if offset < content.count {
                #expect(try await alice.ask(.get, path + "/content?offset=0&length=1").apiError?.code == .unknownBlob)
            }
        }
        #expect(try await alice.ask(.get, path).value(BlobState.self).isWhole)
        var read: [UInt8] = []
        while read.count < content.count {
            read += try await alice.ask(.get, path + "/content?offset=\(read.count)&length=1000000").body
        }
        #expect(read == content)
        #expect(try await alice.ask(.get, path + "/content?offset=3000000&length=1").apiError?.code == .badRequest)
        await relay.server.stop()
    }

    @Test("what is refused leaves no trace")
    func refusals() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let carol = try await Person("carol", on: relay)
        let room = try await alice.createRoom()
        _ = try await alice.add(bob, to: room)
        let path = Route.blob(room, .random()).path
        #expect(try await alice.ask(.put, path + "?size=10&offset=0", body: [1, 2, 3]).status == 200)
        let before = try relay.dump()
        let cases: [(Person, String, [UInt8], APIErrorCode)] = [
            (alice, path + "?size=10&offset=0", [1], .wrongOffset),
            (alice, path + "?size=10&offset=4", [1], .wrongOffset),
            (alice, path + "?size=11&offset=3", [1], .badRequest),
            (alice, path + "?size=10&offset=3", [UInt8](repeating: 1, count: 8), .badRequest),
            (alice, path + "?size=10&offset=3", [], .badRequest),
            (alice, path + "?size=10", [1], .badRequest),
            (alice, path + "?offset=3", [1], .badRequest),
            (alice, path + "?size=0&offset=0", [1], .badRequest),
            (alice, path + "?size=\(Limits.blob + 1)&offset=0", [1], .badRequest),
            (alice, path + "?size=99999999999999999999&offset=0", [1], .badRequest),
            (alice, path + "?size=10&offset=-1", [1], .badRequest),
            (alice, path + "?size=10&offset=3&more=1", [1], .badRequest),
            (alice, path + "?size=10&size=10&offset=3", [1], .badRequest),
            (alice, path + "?size=10&offset=3", [UInt8](repeating: 1, count: Limits.blobPiece + 1), .tooLarge),
            (bob, path + "?size=10&offset=3", [1], .badRequest),
            (carol, path + "?size=10&offset=3", [1], .notAMember),
            (carol, Route.blob(room, .random()).path + "?size=10&offset=0", [1], .notAMember),
            (alice, Route.blob(.random(), .random()).path + "?size=10&offset=0", [1], .unknownRoom),
        ]
        for (person, target, body, code) in cases {
            let answer = try await person.ask(.put, target, body: body)
            #expect(answer.apiError?.code == code, "\(target)")
            #expect(answer.status == code.status)
        }
        #expect(try relay.dump() == before)
        #expect(try await carol.ask(.get, path).apiError?.code == .notAMember)
        #expect(try await alice.ask(.put, path + "?size=10&offset=3", body: [4, 5, 6, 7, 8, 9, 10]).status == 200)
        #expect(try await bob.ask(.get, path + "/content?offset=0&length=10").body == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        #expect(try await carol.ask(.get, path + "/content?offset=0&length=10").apiError?.code == .notAMember)
        for query in ["", "?offset=0", "?length=1", "?offset=0&length=0", "?offset=0&length=\(Limits.blobPiece + 1)"] {
            #expect(try await bob.ask(.get, path + "/content" + query).apiError?.code == .badRequest)
        }
        await relay.server.stop()
    }

    @Test("the file is private, and goes with its room")
    func file() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.createRoom()
        let blob = BlobID.random()
        #expect(try await alice.ask(.put, Route.blob(room, blob).path + "?size=1&offset=0", body: [1]).status == 200)
        let path = relay.folder.path + "/data/blobs/\(blob.description.prefix(2))/\(room)-\(blob)"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try await alice.send("bye", to: room, change: .init(action: .leave, after: 0)).status == 201)
        await relay.server.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
