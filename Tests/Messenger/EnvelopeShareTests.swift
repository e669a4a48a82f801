import Foundation
import MildamCrypto
import MildamGroupKey
import MildamIdentity
import MildamProfile
import MildamStorage
import TestSupport
import Testing

@testable import MildamMessenger

/// One member fills what a client keeps of a room's envelopes, and somebody else's key comes later.
@Suite("Each sender has a share of a room's envelopes")
struct EnvelopeShareTests {
    private static let largest = 65_535

    private let folder: TemporaryFolder
    private let root = SymmetricKey(size: .bits256)
    private let room = RoomID.random()
    private let alice = AccountID.random()
    private let mallory = AccountID.random()

    init() throws { folder = try TemporaryFolder() }

    private func open() async throws -> ClientStore {
        let keys = ResealingTests.Keys(present: root)
        return try await ClientStore.open(in: OpenProfile(at: ProfilePlace(folder: folder.path), rootKey: keys))
    }

    private func keep(
        _ generations: ClosedRange<UInt32>,
        from sender: AccountID?,
        as claimed: AccountID? = nil,
        boxSize: Int = 28,
        in store: ClientStore
    ) throws {
        let account = try #require(claimed ?? sender)
        let envelopes = try generations.map {
            try KeyEnvelope(sampleFor: room, generation: $0, from: account, boxSize: boxSize)
        }
        try store.transaction { () throws(MessengerError) in
            for envelope in envelopes { try store.keep(envelope, from: sender) }
        }
    }

    private func generations(of account: AccountID, in store: ClientStore) throws -> [UInt32] {
        try store.envelopes(for: room).filter { $0.header.senderAccount == account }.map(\.header.generation)
    }

    @Test func oneSenderHasSoManyBytes() async throws {
        let store = try await open()
        try keep(2...2, from: alice, in: store)
        try keep(100...380, from: mallory, boxSize: Self.largest, in: store)
        let kept = try generations(of: mallory, in: store)
        #expect(kept == Array((381 - UInt32(kept.count)...380).reversed()), "the newest generations")
        #expect((60...64).contains(kept.count), "\(kept.count)")
        try keep(3...3, from: alice, in: store)
        #expect(try generations(of: alice, in: store) == [3, 2])
    }

    @Test func oneSenderHasSoManyItems() async throws {
        let store = try await open()
        let count = UInt32(ClientStore.envelopesOfOne)
        try keep(2...count + 11, from: mallory, in: store)
        #expect(try generations(of: mallory, in: store) == Array((12...count + 11).reversed()))
    }

    /// Of too much in all, whoever has most loses their oldest: several members together crowd nobody out.
    @Test func whoHasMostGivesWay() async throws {
        let store = try await open()
        try keep(2...2, from: alice, in: store)
        let others = (0..<5).map { _ in AccountID.random() }
        for other in others { try keep(100...163, from: other, boxSize: Self.largest, in: store) }
        try keep(3...3, from: alice, in: store)
        #expect(try generations(of: alice, in: store) == [3, 2])
        let counts = try others.map { try generations(of: $0, in: store).count }
        #expect(counts.reduce(0, +) * Self.largest <= ClientStore.envelopeBytesKept, "\(counts)")
        #expect(counts.allSatisfy { $0 >= 40 }, "\(counts)")
        for other in others { #expect(try generations(of: other, in: store).first == 163) }
    }

    /// What the relay does not name the sender of takes nothing from the account that it claims to be from.
    @Test func aClaimTakesNothing() async throws {
        let store = try await open()
        try keep(2...2, from: alice, in: store)
        try keep(100...180, from: nil, as: alice, boxSize: Self.largest, in: store)
        #expect(try generations(of: alice, in: store).last == 2)
    }

    /// Rooms do not show by their rows that the same member is in two of them.
    @Test func aSenderHasAnotherNameInEachRoom() async throws {
        let store = try await open()
        for room in [room, .random()] {
            try store.keep(try KeyEnvelope(sampleFor: room, generation: 2, from: alice), from: alice)
        }
        let names = try store.database.rows("SELECT sender FROM envelopes") { row throws(StorageError) in
            try row.bytes(0)
        }
        #expect(Set(names).count == 2 && names.allSatisfy { $0.count == 16 && $0 != Array(alice.bytes.prefix(16)) })
    }

    /// What was kept before there were shares has one, and gives way to what comes later.
    @Test func whatWasKeptBefore() async throws {
        let path = folder.file("messenger.db")
        let earlier = Schema(
            applicationID: ClientStore.schema.applicationID,
            migrations: Array(ClientStore.schema.migrations.prefix(1))
        )
        do {
            let database = try Database(path: path, schema: earlier)
            let rowKeys = RowKeys(root: root, path: path)
            let name = rowKeys.blinded("envelopes", room.bytes)
            try database.transaction { () throws(StorageError) in
                for generation in 100...355 as ClosedRange<Int64> {
                    guard
                        let envelope = try? KeyEnvelope(
                            sampleFor: room,
                            generation: UInt32(generation),
                            from: mallory,
                            boxSize: Self.largest - 300
                        )
                    else { continue }
                    let bytes = envelope.wireBytes
                    let digest = Array(SHA256.hash(data: bytes))
                    let sealed = try rowKeys.envelopes.seal(
                        Data(bytes),
                        column: "value",
                        row: .bytes(name),
                        .integer(generation),
                        .bytes(digest)
                    )
                    try database.execute(
                        "INSERT INTO envelopes (room, generation, digest, value) VALUES (?, ?, ?, ?)",
                        name,
                        generation,
                        digest,
                        sealed
                    )
                }
            }
        }
        let store = try await open()
        #expect(try generations(of: mallory, in: store).count == 256, "they are there still")
        try keep(2...4, from: alice, boxSize: Self.largest, in: store)
        #expect(try generations(of: alice, in: store) == [4, 3, 2])
        #expect(try generations(of: mallory, in: store).count < 256)
    }
}
