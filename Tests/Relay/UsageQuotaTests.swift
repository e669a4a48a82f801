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
        _ = try transactor.alone(CreateRoom(id: room, sender: alice.sender)).get()
    }

    @Test("the largest quota can be added to: its reserve, and whatever one operation causes")
    func largest() throws {
        var quota = RelayQuota()
        quota.accountBytes = RelayQuota.maximumBytes
        quota.networkBytes = RelayQuota.maximumBytes
        let most = quota.accountBytes + quota.accountReserve + Limits.blob + Limits.envelopes * Limits.envelope
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

    /// - Returns: why it is refused; `nil` when it is taken.
    private func send(
        _ size: Int,
        by person: ScriptPerson,
        in other: RoomID? = nil,
        _ action: MembershipChange.Action? = nil,
        _ accounts: [AccountID] = [],
        envelope: Int = 100,
        to devices: [ScriptPerson] = []
    ) throws -> APIErrorCode? {
        let room = try state(of: other ?? room)
        let change = action.map { action in
            let envelopes = devices.map { $0.envelope(String(repeating: "k", count: envelope)) }
            return MembershipChange(action: action, accounts: accounts, after: room.next - 1, envelopes: envelopes)
        }
        let isNew = action == .remove || action == .renew
        let request = SendRequest(
            id: .random(),
            generation: isNew ? room.generation + 1 : room.generation,
            body: Data(repeating: 1, count: size),
            change: change
        )
        return refusal(try transactor.alone(SendMessage(request, to: room.id, by: person.sender)))
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
        while try send(Limits.message, by: person) == nil {}
        while try send(1_000, by: person) == nil {}
        while try send(1, by: person) == nil {}
        #expect(try usage(of: person).bytes > quota.accountBytes - 300)
    }

    @Test(
        "messages, key envelopes, rooms, members and files with the largest bodies end with it, and so does the database"
    )
    func attack() throws {
        let crowd = try (0..<10).map { try ScriptPerson("crowd\($0)") }
        for person in crowd { try transactor.alone(person.register(at: 1)).get() }
        #expect(try send(1, by: alice, .add, crowd.map(\.account), to: crowd) == nil)
        for person in crowd { try transactor.alone(AcceptRoom(room: room, sender: person.sender)).get() }
        var taken = 0
        var refusals: Set<APIErrorCode> = []
        func note(_ refusal: APIErrorCode?) { if let refusal { refusals.insert(refusal) } else { taken += 1 } }
        for _ in 0..<20 {
            // Nearly 3 MB in one request: what a key's renewal brings is bounded as anything else.
            note(try send(1, by: alice, .renew, envelope: Limits.envelope, to: crowd))
            note(try send(Limits.message, by: alice))
            note(try send(Limits.message, by: alice, .renew, envelope: 10_000, to: crowd))
            note(try send(1, by: alice, .renew, envelope: 10_000, to: crowd))
            note(refusal(try transactor.alone(CreateRoom(id: .random(), sender: alice.sender))))
            let piece = BlobPiece(room: room, blob: .random(), size: 400_000, offset: 0, count: 1)
            note(refusal(try transactor.alone(RecordPiece(piece: piece, sender: alice.account))))
        }
        while try send(1, by: alice, .renew, to: crowd) == nil { taken += 1 }
        while case .success = try transactor.alone(CreateRoom(id: .random(), sender: alice.sender)) { taken += 1 }
        #expect(taken > 10 && refusals == [.quotaExceeded])
        let most = quota.accountBytes + quota.accountReserve
        #expect(try usage(of: alice).bytes <= most && usage(of: alice).bytes > most - 4_000)
        #expect(try stored() < most + 200_000)
        // The others have theirs.
        #expect(try send(1, by: alice, .add, [bob.account]) == .quotaExceeded)
        let own = RoomID.random()
        _ = try transactor.alone(CreateRoom(id: own, sender: bob.sender)).get()
        #expect(try send(Limits.message, by: bob, in: own) == nil)
    }

    @Test("who has all of it says nothing more, makes nothing and brings nobody in, but puts out, renews and leaves")
    func full() throws {
        #expect(try send(1, by: alice, .add, [bob.account, carol.account]) == nil)
        try transactor.alone(AcceptRoom(room: room, sender: bob.sender)).get()
        try fill(alice)
        #expect(try send(300, by: alice) == .quotaExceeded)
        #expect(refusal(try transactor.alone(CreateRoom(id: .random(), sender: alice.sender))) == .quotaExceeded)
        let piece = BlobPiece(room: room, blob: .random(), size: 1, offset: 0, count: 1)
        #expect(refusal(try transactor.alone(RecordPiece(piece: piece, sender: alice.account))) == .quotaExceeded)
        #expect(try send(1, by: bob) == nil, "bob has his own")
        #expect(try send(1, by: alice, .remove, [carol.account], to: [bob]) == nil)
        #expect(try send(1 << 14, by: alice, .renew, to: [bob]) == nil)
        #expect(try send(1 << 14 + 1, by: alice, .renew, to: [bob]) == .quotaExceeded)
        // Also once nothing is left of the reserve.
        while try send(1, by: alice, .renew, envelope: Limits.envelope, to: [bob]) == nil {}
        while try send(1 << 14, by: alice, .renew) == nil {}
        // A farewell is free as far as clients send any, so that coming and going is worth little.
        #expect(try send(1 << 10 + 1, by: alice, .leave) == .quotaExceeded)
        #expect(try send(1 << 10, by: alice, .leave) == nil)
    }

    @Test("what is deleted makes room again, and whoever has read an envelope gives it back")
    func again() throws {
        #expect(try send(1, by: alice, .add, [bob.account], envelope: 100_000, to: [bob]) == nil)
        try fill(alice)
        #expect(try send(50_000, by: alice) == .quotaExceeded)
        try transactor.alone(DropMailbox(address: bob.address, last: 1)).get()
        #expect(try send(50_000, by: alice) == nil)
        try fill(alice)
        let all = DropMessages(cutoff: .max, start: [])
        while case .success(.some) = try transactor.alone(all) {}
        #expect(try send(Limits.message, by: alice) == nil)
    }

    @Test("a message that was taken has its number, also where its sender may say nothing more")
    func retry() throws {
        let request = SendRequest(id: .random(), generation: 1, body: Data([1]))
        let message = SendMessage(request, to: room, by: alice.sender)
        let first = try transactor.alone(message).get()
        try fill(alice)
        #expect(try transactor.alone(message).get().number == first.number)
    }

    @Test("members count for whoever made the room: where that account is full, nobody brings one in")
    func members() throws {
        #expect(try send(1, by: alice, .add, [bob.account]) == nil)
        try fill(alice)
        while try usage(of: alice).bytes + 256 <= quota.accountBytes {
            #expect(try send(1, by: alice, .renew) == nil)
        }
        #expect(try send(1, by: bob, .add, [carol.account]) == .quotaExceeded)
        #expect(try send(1, by: bob) == nil)
        let own = RoomID.random()
        _ = try transactor.alone(CreateRoom(id: own, sender: bob.sender)).get()
        #expect(try send(1, by: bob, in: own, .add, [alice.account, carol.account]) == nil)
    }

    @Test("a room has so many members")
    func crowd() throws {
        let crowd = try (0..<11).map { try ScriptPerson("crowd\($0)") }
        for person in crowd { try transactor.alone(person.register(at: 1)).get() }
        #expect(try send(1, by: alice, .add, crowd.map(\.account) + [bob.account]) == .quotaExceeded)
        #expect(try send(1, by: alice, .add, crowd.map(\.account)) == nil)
        #expect(try send(1, by: alice, .add, [bob.account]) == .quotaExceeded)
        #expect(try send(1, by: crowd[0], .leave) == nil)
        #expect(try send(1, by: alice, .renew) == nil)
        #expect(try send(1, by: alice, .add, [bob.account]) == nil)
    }
}
