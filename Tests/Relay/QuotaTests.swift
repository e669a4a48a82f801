import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Quotas")
struct QuotaTests {
    @Test("a full room takes no more, but lets everybody go")
    func room() async throws {
        let relay = try TestRelay { $0.quota.roomBytes = 1_000 }
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let carol = try await Person("carol", on: relay)
        let room = try await alice.createRoom()
        #expect(try await alice.add(bob, to: room).status == 201)
        #expect(try await alice.send(String(repeating: "x", count: 900), to: room).status == 201)
        let refusal = try await alice.send(String(repeating: "x", count: 200), to: room)
        #expect(refusal.status == 507 && refusal.apiError?.code == .quotaExceeded)
        #expect(try await alice.send(String(repeating: "x", count: 95), to: room).status == 201)
        #expect(try await alice.add(carol, to: room).apiError?.code == .quotaExceeded)
        // Its own rooms are not the others' burden.
        #expect(try await bob.send("here", to: try await bob.createRoom()).status == 201)
        func renewal(_ size: Int) async throws -> HTTPResponse {
            let state = try await alice.state(of: room)
            let change = MembershipChange(action: .renew, after: state.next - 1)
            let text = String(repeating: "x", count: size)
            return try await alice.send(text, to: room, generation: state.generation + 1, change: change)
        }
        #expect(try await renewal(20_000).apiError?.code == .quotaExceeded)
        #expect(try await renewal(1_000).status == 201)
        let after = try await alice.state(of: room).next - 1
        let leave = MembershipChange(action: .leave, after: after)
        #expect(try await bob.send("bye", to: room, generation: 2, change: leave).status == 201)
        await relay.server.stop()
    }

    @Test("an account has so many bytes, and so many files; what was begun counts whole")
    func blobs() async throws {
        let relay = try TestRelay {
            $0.quota.accountBytes = 1_000_000
            $0.quota.accountBlobs = 3
        }
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let room = try await alice.createRoom()
        #expect(try await alice.add(bob, to: room).status == 201)
        func upload(_ person: Person, _ size: Int, blob: BlobID = .random()) async throws -> Int {
            let path = Routes.blob.at(BlobPlace(room, blob)).path + "?size=\(size)&offset=0"
            return try await person.ask(.put, path, body: [1]).status
        }
        #expect(try await upload(alice, 900_000) == 200)
        let blob = BlobID.random()
        #expect(try await upload(alice, 100_000, blob: blob) == 507)
        #expect(!WholeFile.exists(relay.file(of: blob, in: room)))
        #expect(try await upload(alice, 50_000) == 200)
        #expect(try await upload(alice, 1) == 200)
        #expect(try await upload(alice, 1) == 507)
        #expect(try await upload(bob, 950_000) == 200)
        // What goes with its room is given back, and no more than that.
        let other = try await alice.createRoom()
        func uploadElsewhere(_ size: Int) async throws -> Int {
            try await alice.ask(
                .put,
                Routes.blob.at(BlobPlace(other, .random())).path + "?size=\(size)&offset=0",
                body: [1]
            ).status
        }
        #expect(try await uploadElsewhere(1) == 507)
        let leave = MembershipChange(action: .leave, after: 1)
        #expect(try await alice.send("bye", to: room, change: leave).status == 201)
        #expect(try await uploadElsewhere(1) == 507, "bob still has it")
        let last = MembershipChange(action: .leave, after: 2)
        #expect(try await bob.send("bye", to: room, change: last).status == 201)
        #expect(try await uploadElsewhere(600_000) == 200)
        #expect(try await uploadElsewhere(400_000) == 507)
        #expect(try await uploadElsewhere(350_000) == 200)
        await relay.server.stop()
    }

    @Test("an account makes so many rooms, and a retry makes none")
    func rooms() async throws {
        let relay = try TestRelay { $0.quota.accountRooms = 2 }
        let alice = try await Person("alice", on: relay)
        let first = try await alice.createRoom()
        _ = try await alice.createRoom()
        #expect(
            try await alice.ask(Routes.createRoom.at(), CreateRoomRequest(room: .random())).apiError?.code
                == .quotaExceeded
        )
        #expect(try await alice.ask(Routes.createRoom.at(), CreateRoomRequest(room: first)).status == 201)
        await relay.server.stop()
    }

    @Test("nobody's mailbox is filled without end")
    func mailbox() async throws {
        let relay = try TestRelay {
            $0.quota.mailboxItems = 2
            $0.quota.senderRequests = 2
        }
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let carol = try await Person("carol", on: relay)
        let room = try await alice.createRoom()
        for person in [carol, bob] { #expect(try await alice.add(person, to: room).status == 201) }
        #expect(try await alice.add(bob, to: try await alice.createRoom()).status == 201)
        #expect(try await alice.add(bob, to: try await alice.createRoom()).apiError?.code == .quotaExceeded)
        // But it keeps nobody from being put out of a room, whose new key goes to those who stay.
        let removal = MembershipChange(
            action: .remove,
            accounts: [carol.account],
            after: try await alice.state(of: room).next - 1,
            envelopes: [AddressedEnvelope(account: bob.account, device: bob.device, body: Data("key".utf8))]
        )
        #expect(try await alice.send("out", to: room, generation: 2, change: removal).status == 201)
        #expect(try await bob.ask(.delete, "/v1/mailbox?through=2").status == 204)
        #expect(try await alice.add(bob, to: try await alice.createRoom()).status == 201)
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
