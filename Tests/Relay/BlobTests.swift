import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Blobs over HTTP")
struct BlobTests {
    @Test("pieces, a restart of the upload, and reading back in ranges")
    func pieces() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom().id
        let path = Routes.blob.at(BlobPlace(room, .random())).path
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
        let (host, guest) = (try await GroupMember("alice", on: relay), try await GroupMember("bob", on: relay))
        let (alice, bob) = (host.person, guest.person)
        let carol = try await Person("carol", on: relay)
        let (room, blob) = (RoomID.random(), BlobID.random())
        var group = try host.group(room)
        #expect(try await host.create(room, group).status == 201)
        #expect(try await host.add(guest, to: room, &group).status == 201)
        let path = Routes.blob.at(BlobPlace(room, blob)).path
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
            (carol, Routes.blob.at(BlobPlace(room, .random())).path + "?size=10&offset=0", [1], .notAMember),
            (alice, Routes.blob.at(BlobPlace(.random(), .random())).path + "?size=10&offset=0", [1], .unknownRoom),
        ]
        for (person, target, body, code) in cases {
            let answer = try await person.ask(.put, target, body: body)
            #expect(answer.apiError?.code == code, "\(target)")
            #expect(answer.status == code.status)
        }
        #expect(try relay.dump() == before)
        #expect(try await carol.ask(.get, path).apiError?.code == .notAMember)
        #expect(try await alice.ask(.put, path + "?size=10&offset=3", body: [4, 5, 6, 7, 8, 9, 10]).status == 200)
        let words = try group.protect([1]).wireBytes
        #expect(try await host.send(.application(words), to: room, epoch: 1, blobs: [blob]).status == 201)
        #expect(try await bob.ask(.get, path + "/content?offset=0&length=10").body == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        #expect(try await carol.ask(.get, path + "/content?offset=0&length=10").apiError?.code == .notAMember)
        for query in ["", "?offset=0", "?length=1", "?offset=0&length=0", "?offset=0&length=\(Limits.blobPiece + 1)"] {
            #expect(try await bob.ask(.get, path + "/content" + query).apiError?.code == .badRequest)
        }
        await relay.server.stop()
    }

    @Test("who came, or came back, after a blob was told of does not get it")
    func joiners() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bob", on: relay))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        // The relay cannot see whose message it is: bob says what alice has sealed.
        func tell(of blob: BlobID, by member: GroupMember, _ group: inout Group, epoch: UInt64) async throws {
            let words = try group.protect([1]).wireBytes
            #expect(try await member.send(.application(words), to: room, epoch: epoch, blobs: [blob]).status == 201)
        }
        func put(_ member: GroupMember, _ group: inout Group, epoch: UInt64) async throws -> String {
            let blob = BlobID.random()
            let path = Routes.blob.at(BlobPlace(room, blob)).path
            #expect(try await member.person.ask(.put, path + "?size=1&offset=0", body: [1]).status == 200)
            try await tell(of: blob, by: member, &group, epoch: epoch)
            return path
        }
        func canRead(_ member: GroupMember, _ path: String) async throws -> Bool {
            let state = try await member.person.ask(.get, path)
            let content = try await member.person.ask(.get, path + "/content?offset=0&length=1")
            #expect(state.status == content.status)
            if state.status != 200 { #expect(content.apiError?.code == .unknownBlob) }
            return state.status == 200
        }
        let early = try await put(alice, &group, epoch: 0)
        let part = BlobID.random()
        let half = Routes.blob.at(BlobPlace(room, part)).path
        #expect(try await alice.person.ask(.put, half + "?size=2&offset=0", body: [1]).status == 200)
        #expect(try await alice.add(bob, to: room, &group).status == 201)
        let between = try await put(alice, &group, epoch: 1)
        let own = try await put(bob, &group, epoch: 1)
        // It became whole, and was told of, only while he was there.
        #expect(try await alice.person.ask(.put, half + "?size=2&offset=1", body: [2]).status == 200)
        try await tell(of: part, by: alice, &group, epoch: 1)
        for path in [early, between, own, half] { #expect(try await canRead(alice, path)) }
        #expect(try await !canRead(bob, early))
        for path in [between, own, half] { #expect(try await canRead(bob, path)) }
        let out = try alice.commit(&group, removing: [LeafIndex(rawValue: 1)])
        #expect(try await alice.send(out, to: room, epoch: 1).status == 201)
        try group.mergeStagedCommit()
        let away = try await put(alice, &group, epoch: 2)
        #expect(try await alice.add(bob, to: room, &group).status == 201)
        for path in [early, between, half, away] { #expect(try await !canRead(bob, path)) }
        #expect(try await canRead(bob, own))
        let latest = try await put(alice, &group, epoch: 3)
        #expect(try await canRead(bob, latest))
        await relay.server.stop()
    }

    @Test("a piece that was written and then not recorded leaves no file")
    func unrecorded() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bob", on: relay))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await alice.add(bob, to: room, &group).status == 201)
        let out = try alice.commit(&group, removing: [LeafIndex(rawValue: 1)])
        let blob = BlobID.random()
        let file = relay.file(of: blob, in: room)
        // The commit thread stands still; behind what holds it up waits Bob's removal, behind that the record.
        let gate = DispatchSemaphore(value: 0)
        let standing = Doing<Void> { _, _ in
            gate.wait()
            return .success(())
        }
        relay.server.parts.commits.perform(standing, for: .relay) { _ in }
        try #require(await eventually { relay.server.parts.commits.backlog == 0 })
        async let removal = alice.send(out, to: room, epoch: 1)
        try #require(await eventually { relay.server.parts.commits.backlog > 0 })
        let target = Routes.blob.at(BlobPlace(room, blob)).path + "?size=1&offset=0"
        async let answer = bob.person.ask(.put, target, body: [1])
        while !FileManager.default.fileExists(atPath: file) { try await Task.sleep(for: .milliseconds(5)) }
        gate.signal()
        #expect(try await removal.status == 201)
        #expect(try await answer.apiError?.code == .notAMember)
        #expect(!FileManager.default.fileExists(atPath: file))
        await relay.server.stop()
    }

    @Test("a first piece that the disk has no room for leaves no file")
    func noRoom() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom().id
        let blob = BlobID.random()
        let path = Routes.blob.at(BlobPlace(room, blob)).path + "?size=\(Limits.blobPiece)&offset=0"
        let piece = [UInt8](repeating: 7, count: Limits.blobPiece)
        // The kernel takes 900 KiB of a file and refuses the rest, as a full disk does.
        signal(SIGXFSZ, SIG_IGN)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var before = rlimit()
        try #require(unsafe getrlimit(resource, &before) == 0)
        var limit = rlimit(rlim_cur: 900 << 10, rlim_max: before.rlim_max)
        try #require(unsafe setrlimit(resource, &limit) == 0)
        let answer = try? await alice.ask(.put, path, body: piece)
        unsafe setrlimit(resource, &before)
        #expect(answer?.apiError?.code == .storageFull)
        #expect(!FileManager.default.fileExists(atPath: relay.file(of: blob, in: room)))
        #expect(try await alice.ask(.put, path, body: piece).status == 200)
        await relay.server.stop()
    }

    @Test("a start removes the files of which nothing is recorded, and no other")
    func remains() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom().id
        let blob = BlobID.random()
        #expect(
            try await alice.ask(.put, Routes.blob.at(BlobPlace(room, blob)).path + "?size=2&offset=0", body: [1]).status
                == 200
        )
        await relay.server.stop()
        let kept = relay.file(of: blob, in: room)
        let folder = Folder.parent(of: kept)
        let foreign = folder + "/README"
        let remains = [folder + "/\(room)-\(BlobID.random())", folder + "/\(RoomID.random())-\(blob)"]
        for path in remains + [foreign] { try WholeFile.write([1, 2, 3].span, to: path) }
        let next = try TestRelay(folder: relay.folder)
        await next.server.stop()
        for path in [kept, foreign] { #expect(FileManager.default.fileExists(atPath: path)) }
        for path in remains { #expect(!FileManager.default.fileExists(atPath: path)) }
    }

    @Test("the file is private, and goes with its room")
    func file() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom().id
        let blob = BlobID.random()
        #expect(
            try await alice.ask(.put, Routes.blob.at(BlobPlace(room, blob)).path + "?size=1&offset=0", body: [1]).status
                == 200
        )
        let path = relay.file(of: blob, in: room)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let request = GroupSendRequest(id: .random(), generation: 0, epoch: 0, seen: 0, content: .proposal([1]))
        let leaving = SendToGroup(request, .leaving(after: 0), to: room, by: alice.sender)
        let left: Result<SendReceipt, APIError> = await withCheckedContinuation { continuation in
            relay.server.parts.commits.perform(leaving, for: .relay) { continuation.resume(returning: $0) }
        }
        #expect(try left.get().number == 1)
        await relay.server.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
