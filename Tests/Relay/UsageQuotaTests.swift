import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import TestSupport
import Testing

@testable import MildamRelay

/// What one account can ever have on the relay's disk, whichever way it fills it.
@Suite("An account's quota")
struct UsageQuotaTests {
    private let folder: TemporaryFolder
    private let transactor: Transactor
    private let quota: RelayQuota
    private let people: [ScriptPerson]
    private let room = RoomID.random()

    private var alice: ScriptPerson { people[0] }
    private var bob: ScriptPerson { people[1] }
    private var carol: ScriptPerson { people[2] }

    init() throws {
        var quota = RelayQuota()
        quota.accountBytes = 2_000_000
        quota.roomMembers = 12
        folder = try TemporaryFolder()
        self.quota = quota
        transactor = try TestedStore.sqlite.transactor(at: folder.file("relay.db"), quota)
        people = try ["alice", "bob", "carol"].map { try ScriptPerson($0) }
        for person in people { try transactor.alone(person.register(at: 1)).get() }
        _ = try transactor.alone(ScriptGroup.create(room, by: alice.sender)).get()
    }

    @Test("the largest quota can be added to: its reserve, and whatever one operation causes")
    func largest() throws {
        var quota = RelayQuota()
        quota.accountBytes = RelayQuota.maximumBytes
        quota.networkBytes = RelayQuota.maximumBytes
        let most = quota.accountBytes + quota.accountReserve + Limits.blob + Limits.groupBody + Limits.welcomes
        #expect(most > quota.accountBytes && DiskUsage.pieces(most) > DiskUsage.pieces(quota.accountBytes))
        let folder = try TemporaryFolder()
        for store in TestedStore.allCases {
            let transactor = try store.transactor(at: folder.file("\(store)"), quota)
            let person = try ScriptPerson("alice")
            try transactor.alone(person.register(at: 1, from: NetworkID(bytes: Array(0..<16)))).get()
            let account = person.account
            let asking = Doing<[APIErrorCode?]> { facts, _ throws(Missing) in
                .success([
                    try facts.refusal(of: RelayQuota.maximumBytes + 1, by: account, .reserve)?.code,
                    try facts.refusal(of: RelayQuota.maximumBytes, by: account)?.code,
                    try facts.refusal(of: Limits.blob, by: account)?.code,
                ])
            }
            let found = try transactor.alone(asking).get()
            #expect(found == [nil, .quotaExceeded, nil], "\(store)")
        }
    }

    private func state(of room: RoomID) throws -> Room {
        let asking = Doing<Room> { facts, _ throws(Missing) in
            guard let room = try facts.room(room) else { return .failure(.unknownRoom) }
            return .success(room)
        }
        return try transactor.alone(asking).get()
    }

    private func usage(of person: ScriptPerson) throws -> DiskUsage {
        let account = person.account
        let asking = Doing<DiskUsage> { facts, _ throws(Missing) in .success(try facts.usage(of: account).disk) }
        return try transactor.alone(asking).get()
    }

    /// What is sent to a room.
    private enum Deed {
        /// Something said, of so many bytes.
        case say(Int)
        /// A commit of so many bytes, with a Welcome of some size for each of these devices.
        case commit(
            Int = 1,
            adding: [ScriptPerson] = [],
            removing: [ScriptPerson] = [],
            welcome: Int = 100,
            to: [ScriptPerson] = []
        )
        /// A farewell of so many bytes.
        case leave(Int)
    }

    /// - Returns: why it is refused; `nil` when it is taken.
    private func send(_ deed: Deed, by person: ScriptPerson, in other: RoomID? = nil) throws -> APIErrorCode? {
        let state = try state(of: other ?? room)
        let handshake = state.group?.handshake ?? 0
        let (id, sender, epoch) = (state.id, person.sender, state.epoch)
        let operation =
            switch deed {
            case .say(let size):
                ScriptGroup.say([UInt8](repeating: 1, count: size), in: id, by: sender, epoch: epoch)
            case .commit(let size, let added, let removed, let welcome, let welcomed):
                ScriptGroup.commit(
                    to: id,
                    by: sender,
                    epoch: epoch,
                    after: handshake,
                    adding: added.map(\.account),
                    removing: removed.map(\.account),
                    welcoming: welcomed.map(\.address),
                    welcome: welcome,
                    size: size
                )
            case .leave(let size):
                ScriptGroup.leave(id, by: sender, epoch: epoch, after: handshake, size: size)
            }
        return refusal(try transactor.alone(operation))
    }

    private func make(_ room: RoomID = .random(), by person: ScriptPerson) throws -> APIErrorCode? {
        refusal(try transactor.alone(ScriptGroup.create(room, by: person.sender)))
    }

    private func refusal<Value>(_ result: Result<Value, APIError>) -> APIErrorCode? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    /// Bodies and rows as they lie in the database.
    private func stored() throws -> Int {
        let rows = try TestedStore.sqlite.dump(at: folder.file("relay.db")).rows
        return rows.filter { $0.kind != "usage" }.reduce(0) { $0 + $1.columns.reduce(0) { $0 + $1.utf8.count / 2 } }
    }

    /// Says as much as an account may.
    private func fill(_ person: ScriptPerson) throws {
        while try send(.say(Limits.message), by: person) == nil {}
        while try send(.say(1_000), by: person) == nil {}
        while try send(.say(1), by: person) == nil {}
        #expect(try usage(of: person).bytes > quota.accountBytes - 300)
    }

    @Test("messages, Welcomes, rooms, members and files with the largest bodies end with it, and so does the database")
    func attack() throws {
        let crowd = try (0..<10).map { try ScriptPerson("crowd\($0)") }
        for person in crowd { try transactor.alone(person.register(at: 1)).get() }
        #expect(try send(.commit(adding: crowd, to: crowd), by: alice) == nil)
        for person in crowd { try transactor.alone(AcceptRoom(room: room, sender: person.sender)).get() }
        var taken = 0
        var refusals: Set<APIErrorCode> = []
        func note(_ refusal: APIErrorCode?) { if let refusal { refusals.insert(refusal) } else { taken += 1 } }
        for _ in 0..<20 {
            // More than 1 MB in one request: what a commit brings is bounded as anything else.
            note(try send(.commit(welcome: 1 << 17, to: crowd), by: alice))
            note(try send(.say(Limits.message), by: alice))
            note(try send(.commit(Limits.message, welcome: 10_000, to: crowd), by: alice))
            note(try send(.commit(welcome: 10_000, to: crowd), by: alice))
            note(try make(by: alice))
            let piece = BlobPiece(room: room, blob: .random(), size: 400_000, offset: 0, count: 1)
            note(refusal(try transactor.alone(RecordPiece(piece: piece, sender: alice.account))))
        }
        while try send(.commit(to: crowd), by: alice) == nil { taken += 1 }
        while try make(by: alice) == nil { taken += 1 }
        while try send(.commit(GroupSendRules.freeCommit), by: alice) == nil { taken += 1 }
        while try send(.commit(), by: alice) == nil { taken += 1 }
        #expect(taken > 10 && refusals == [.quotaExceeded])
        let most = quota.accountBytes + quota.accountReserve
        #expect(try usage(of: alice).bytes <= most && usage(of: alice).bytes > most - 4_000)
        #expect(try stored() < most + 200_000)
        // The others have theirs.
        #expect(try send(.commit(adding: [bob]), by: alice) == .quotaExceeded)
        let own = RoomID.random()
        #expect(try make(own, by: bob) == nil)
        #expect(try send(.say(Limits.message), by: bob, in: own) == nil)
    }

    @Test("who has all of it says nothing more, makes nothing and brings nobody in, but puts out, renews and leaves")
    func full() throws {
        #expect(try send(.commit(adding: [bob, carol]), by: alice) == nil)
        try transactor.alone(AcceptRoom(room: room, sender: bob.sender)).get()
        try fill(alice)
        #expect(try send(.say(300), by: alice) == .quotaExceeded)
        #expect(try make(by: alice) == .quotaExceeded)
        let piece = BlobPiece(room: room, blob: .random(), size: 1, offset: 0, count: 1)
        #expect(refusal(try transactor.alone(RecordPiece(piece: piece, sender: alice.account))) == .quotaExceeded)
        #expect(try send(.say(1), by: bob) == nil, "bob has his own")
        #expect(try send(.commit(removing: [carol]), by: alice) == nil)
        #expect(try send(.commit(to: [bob]), by: alice) == .quotaExceeded, "a Welcome is no way out")
        #expect(try send(.commit(GroupSendRules.freeCommit), by: alice) == nil)
        #expect(try send(.commit(GroupSendRules.freeCommit + 1), by: alice) == .quotaExceeded)
        // Also once nothing is left of the reserve.
        while try send(.commit(GroupSendRules.freeCommit), by: alice) == nil {}
        while try send(.commit(1_000), by: alice) == nil {}
        // A farewell is free as far as clients send any, so that coming and going is worth little.
        #expect(try send(.leave(GroupSendRules.freeProposal + 1), by: alice) == .quotaExceeded)
        #expect(try send(.leave(GroupSendRules.freeProposal), by: alice) == nil)
    }

    @Test("what is deleted makes room again, and whoever has read a Welcome gives it back")
    func again() throws {
        #expect(try send(.commit(adding: [bob], welcome: 100_000, to: [bob]), by: alice) == nil)
        try fill(alice)
        #expect(try send(.say(50_000), by: alice) == .quotaExceeded)
        try transactor.alone(DropMailbox(address: bob.address, last: 1)).get()
        #expect(try send(.say(50_000), by: alice) == nil)
        try fill(alice)
        // What a snapshot is followed by stays.
        let snapshot = QuietSnapshot(
            generation: 1,
            epoch: 1,
            handshake: 1,
            account: alice.account,
            bytes: [7, 7]
        )
        try transactor.alone(PutSnapshot(room: room, snapshot: snapshot)).get()
        let all = DropMessages(cutoff: .max, start: [])
        while case .success(.some) = try transactor.alone(all) {}
        #expect(try send(.say(Limits.message), by: alice) == nil)
    }

    @Test("a message that was taken has its number, also where its sender may say nothing more")
    func retry() throws {
        let message = ScriptGroup.say([1], in: room, by: alice.sender)
        let first = try transactor.alone(message).get()
        try fill(alice)
        #expect(try transactor.alone(message).get().number == first.number)
    }

    @Test("members count for whoever made the room, and are brought in by whoever is not full")
    func members() throws {
        #expect(try send(.commit(adding: [bob]), by: alice) == nil)
        try fill(alice)
        while try usage(of: alice).bytes + 256 <= quota.accountBytes {
            #expect(try send(.commit(), by: alice) == nil)
        }
        let hers = try usage(of: alice).bytes
        #expect(try send(.commit(adding: [carol]), by: bob) == nil)
        #expect(try usage(of: alice).bytes == hers + 256)
        #expect(try send(.commit(removing: [carol]), by: bob) == nil)
        #expect(try send(.say(1), by: bob) == nil)
        let own = RoomID.random()
        #expect(try make(own, by: bob) == nil)
        #expect(try send(.commit(adding: [alice, carol]), by: bob, in: own) == nil)
        try fill(bob)
        while try usage(of: bob).bytes + 256 <= quota.accountBytes { #expect(try send(.commit(), by: bob) == nil) }
        #expect(try send(.commit(adding: [carol]), by: bob) == .quotaExceeded)
        #expect(try send(.commit(adding: [carol]), by: alice) == .quotaExceeded)
    }

    @Test("a room has so many members")
    func crowd() throws {
        let crowd = try (0..<11).map { try ScriptPerson("crowd\($0)") }
        for person in crowd { try transactor.alone(person.register(at: 1)).get() }
        #expect(try send(.commit(adding: crowd + [bob]), by: alice) == .quotaExceeded)
        #expect(try send(.commit(adding: crowd), by: alice) == nil)
        #expect(try send(.commit(adding: [bob]), by: alice) == .quotaExceeded)
        #expect(try send(.leave(1), by: crowd[0]) == nil)
        #expect(try send(.commit(removing: [crowd[0]]), by: alice) == nil)
        #expect(try send(.commit(adding: [bob]), by: alice) == nil)
    }
}
