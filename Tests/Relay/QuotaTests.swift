import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport
import MildamWire
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Quotas")
struct QuotaTests {
    /// Brings somebody into a room that is made for it.
    private func bring(_ other: GroupMember, by member: GroupMember) async throws -> HTTPResponse {
        let room = RoomID.random()
        var group = try member.group(room)
        #expect(try await member.create(room, group).status == 201)
        return try await member.add(other, to: room, &group)
    }

    @Test("a full room takes no more, but lets everybody go")
    func room() async throws {
        let relay = try TestRelay { $0.quota.roomBytes = 10_000 }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bob", on: relay))
        let carol = try await GroupMember("carol", on: relay)
        let room = RoomID.random()
        var hers = try alice.group(room)
        #expect(try await alice.create(room, hers).status == 201)
        let bundle = try bob.bundle()
        let added = try alice.commit(&hers, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try hers.mergeStagedCommit()
        var his = try await bob.join(room, with: bundle)
        guard case .commit(let message, _, _) = added else { throw CancellationError() }
        var probe = hers
        let sealing = try probe.protect([UInt8](repeating: 0, count: 1_000)).wireBytes.count - 1_000
        // 300 bytes are left.
        let long = String(repeating: "x", count: 9_700 - message.count - sealing)
        #expect(try await alice.say(long, in: &hers, room, epoch: 1).status == 201)
        let refusal = try await alice.say(String(repeating: "x", count: 200), in: &hers, room, epoch: 1)
        #expect(refusal.status == 507 && refusal.apiError?.code == .quotaExceeded)
        let short = String(repeating: "x", count: 95)
        #expect(try await alice.say(short, in: &hers, room, epoch: 1).status == 201)
        var tried = hers
        #expect(try await alice.add(carol, to: room, &tried).apiError?.code == .quotaExceeded)
        // Its own rooms are not the others' burden.
        let own = try await bob.person.makeRoom()
        #expect(try await bob.person.say("here", in: own).status == 201)
        let leaving = try his.proposeSelfRemove(authenticatedData: [1, 1]).message
        #expect(try await bob.send(.proposal(leaving.wireBytes), to: room, epoch: 1).status == 201)
        _ = try hers.process(leaving)
        #expect(try await alice.send(try alice.commit(&hers), to: room, epoch: 1).status == 201)
        #expect(try await alice.person.state(of: room).members == [alice.person.account])
        await relay.server.stop()
    }

    @Test("an account has so many bytes, and so many files; what was begun counts whole")
    func blobs() async throws {
        let relay = try TestRelay {
            $0.quota.accountBytes = 2_000_000
            $0.quota.accountBlobs = 3
        }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bob", on: relay))
        let room = RoomID.random()
        var hers = try alice.group(room)
        #expect(try await alice.create(room, hers).status == 201)
        let bundle = try bob.bundle()
        let added = try alice.commit(&hers, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try hers.mergeStagedCommit()
        var his = try await bob.join(room, with: bundle)
        func upload(_ member: GroupMember, _ size: Int, blob: BlobID = .random()) async throws -> Int {
            let path = Routes.blob.at(BlobPlace(room, blob)).path + "?size=\(size)&offset=0"
            return try await member.person.ask(.put, path, body: [1]).status
        }
        #expect(try await upload(alice, 1_500_000) == 200)
        let blob = BlobID.random()
        #expect(try await upload(alice, 400_000, blob: blob) == 507)
        #expect(!WholeFile.exists(relay.file(of: blob, in: room)))
        #expect(try await upload(alice, 50_000) == 200)
        #expect(try await upload(alice, 1) == 200)
        #expect(try await upload(alice, 1) == 507)
        #expect(try await upload(bob, 1_950_000) == 200)
        // What goes with its room is given back, and no more than that.
        let other = try await alice.person.makeRoom().id
        func uploadElsewhere(_ size: Int) async throws -> Int {
            try await alice.person.ask(
                .put,
                Routes.blob.at(BlobPlace(other, .random())).path + "?size=\(size)&offset=0",
                body: [1]
            ).status
        }
        #expect(try await uploadElsewhere(1) == 507)
        let farewell = try hers.proposeSelfRemove(authenticatedData: [1, 1]).message.wireBytes
        #expect(try await alice.send(.proposal(farewell), to: room, epoch: 1).status == 201)
        #expect(try await uploadElsewhere(1) == 507, "bob still has it")
        let last = try his.proposeSelfRemove(authenticatedData: [1, 1]).message.wireBytes
        #expect(try await bob.send(.proposal(last), to: room, epoch: 1).status == 201)
        #expect(try await uploadElsewhere(1_200_000) == 200)
        #expect(try await uploadElsewhere(700_000) == 507)
        #expect(try await uploadElsewhere(500_000) == 200)
        await relay.server.stop()
    }

    @Test("an account makes so many rooms, and a retry makes none")
    func rooms() async throws {
        let relay = try TestRelay { $0.quota.accountRooms = 2 }
        let alice = try await Person("alice", on: relay)
        let first = try await alice.makeRoom()
        _ = try await alice.makeRoom()
        #expect(try await alice.make(try LoneRoom(of: alice)).apiError?.code == .quotaExceeded)
        #expect(try await alice.make(first).status == 201)
        await relay.server.stop()
    }

    @Test("nobody's mailbox is filled without end")
    func mailbox() async throws {
        let relay = try TestRelay {
            $0.quota.mailboxItems = 2
            $0.quota.senderRequests = 2
        }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bob", on: relay))
        let carol = try await GroupMember("carol", on: relay)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        for member in [carol, bob] { #expect(try await alice.add(member, to: room, &group).status == 201) }
        #expect(try await bring(bob, by: alice).status == 201)
        #expect(try await bring(bob, by: alice).apiError?.code == .quotaExceeded)
        // But it keeps nobody from being put out of a room.
        let removal = try alice.commit(&group, removing: [LeafIndex(rawValue: 1)])
        #expect(try await alice.send(removal, to: room, epoch: 2).status == 201)
        #expect(try await bob.person.ask(.delete, "/v1/mailbox?through=2").status == 204)
        #expect(try await bring(bob, by: alice).status == 201)
        await relay.server.stop()
    }

    @Test("what lay in an older database is counted")
    func migration() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("relay.db")
        let (room, account) = (RoomID.random(), AccountID.random())
        do {
            let old = Schema(
                applicationID: RelaySchema.current.applicationID,
                migrations: Array(RelaySchema.migrations.prefix(1))
            )
            let database = try Database(path: path, schema: old)
            try database.execute("INSERT INTO rooms VALUES (?, ?, 1, 0, 0, 1, 3)", room.bytes, account.bytes)
            for number in 1...2 {
                try database.execute(
                    "INSERT INTO messages VALUES (?, ?, 1, 0, 0, ?, ?, ?, 0, ?, ?)",
                    room.bytes,
                    number,
                    account.bytes,
                    [UInt8](repeating: 1, count: 16),
                    [UInt8](repeating: UInt8(number), count: 16),
                    [UInt8](repeating: 0, count: 32),
                    [UInt8](repeating: 0, count: 100 * number)
                )
            }
            try database.execute("INSERT INTO blobs VALUES (?, ?, ?, 5, 5, 1)", room.bytes, room.bytes, account.bytes)
        }
        let lane = try SQLiteLane(path: path, options: SQLiteStore(path: path).options)
        #expect(try SQLiteReads(path: path).room(room)?.bytes == 300)
        let stored = try lane.database.first("SELECT stored FROM blobs") { row throws(StorageError) in
            try row.int64(0)
        }
        #expect(abs(try #require(stored) - WallClock.system.milliseconds) < 60_000)
    }
}
