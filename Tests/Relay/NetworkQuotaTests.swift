import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

/// What accounts can have together that anybody made from one network.
@Suite("A network's quota")
struct NetworkQuotaTests {
    private let folder: TemporaryFolder
    private let here = NetworkID(bytes: [1])
    private let there = NetworkID(bytes: [2])

    init() throws { folder = try TemporaryFolder() }

    private func transactor(_ store: TestedStore, pieces: Int) throws -> Transactor {
        var quota = RelayQuota()
        quota.networkBytes = pieces * DiskUsage.piece
        return try store.transactor(at: folder.file("relay.db"), quota)
    }

    private func refusal<Value>(_ result: Result<Value, APIError>) -> APIErrorCode? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    private func pieces(_ network: NetworkID, _ transactor: Transactor) throws -> Int {
        let asking = Doing<Int> { facts, _ throws(Missing) in .success(try facts.pieces(of: network)) }
        return try transactor.perform(asking).get()
    }

    private func record(_ size: Int, in room: RoomID, by person: ScriptPerson) -> RecordPiece {
        let piece = BlobPiece(room: room, blob: .random(), size: size, offset: 0, count: 1)
        return RecordPiece(piece: piece, sender: person.account)
    }

    @Test(
        "accounts of one network share it, others do not, and what goes is given back",
        arguments: TestedStore.allCases,
        [true, false]
    )
    func shared(_ store: TestedStore, _ inOneBatch: Bool) throws {
        let transactor = try transactor(store, pieces: 5)
        defer { transactor.lane.close() }
        let (alice, bob, carol, dave) = (
            try ScriptPerson("alice"), try ScriptPerson("bob"), try ScriptPerson("carol"), try ScriptPerson("dave")
        )
        func perform<Operation: StoreOperation>(_ operation: Operation) throws -> APIErrorCode? {
            if !inOneBatch { try transactor.begin(at: 1) }
            let result = refusal(try transactor.perform(operation))
            if !inOneBatch { _ = try transactor.commit() }
            return result
        }
        func hold(_ expected: Int) throws {
            if !inOneBatch { try transactor.begin(at: 1) }
            #expect(try pieces(here, transactor) == expected)
            if !inOneBatch { _ = try transactor.commit() }
        }
        if inOneBatch { try transactor.begin(at: 1) }
        #expect(try perform(alice.register(at: 1, from: here)) == nil)
        #expect(try perform(bob.register(at: 1, from: here)) == nil)
        #expect(try perform(carol.register(at: 1, from: there)) == nil)
        #expect(try perform(dave.register(at: 1)) == nil)
        try hold(2)
        let (alices, bobs) = (RoomID.random(), RoomID.random())
        #expect(try perform(ScriptGroup.create(alices, by: alice.sender)) == nil)
        #expect(try perform(ScriptGroup.create(bobs, by: bob.sender)) == nil)
        #expect(try perform(record(3_000_000, in: alices, by: alice)) == nil)
        try hold(4)
        #expect(try perform(record(2_200_000, in: bobs, by: bob)) == .quotaExceeded)
        #expect(try perform(record(1_500_000, in: bobs, by: bob)) == nil)
        try hold(5)
        // Within their pieces both go on; nobody new comes.
        #expect(try perform(record(1_000, in: bobs, by: bob)) == nil)
        let eve = try ScriptPerson("eve")
        #expect(try perform(eve.register(at: 1, from: here)) == .quotaExceeded)
        #expect(try perform(eve.register(at: 1, from: there)) == nil)
        for person in [carol, dave] {
            let room = RoomID.random()
            #expect(try perform(ScriptGroup.create(room, by: person.sender)) == nil)
            #expect(try perform(record(4_000_000, in: room, by: person)) == nil)
        }
        // The room's file goes with its last member.
        #expect(try perform(ScriptGroup.leave(alices, by: alice.sender)) == nil)
        try hold(3)
        #expect(try perform(record(2_000_000, in: bobs, by: bob)) == nil)
        try hold(5)
        if inOneBatch { _ = try transactor.commit() }
        try transactor.begin(at: 1)
        #expect(try pieces(here, transactor) == 5)
        _ = try transactor.commit()
    }

    @Test("whoever's network is full says nothing more, but leaves and puts others out")
    func full() throws {
        let transactor = try transactor(.sqlite, pieces: 2)
        defer { transactor.lane.close() }
        let (alice, bob) = (try ScriptPerson("alice"), try ScriptPerson("bob"))
        let room = RoomID.random()
        for person in [alice, bob] { try transactor.alone(person.register(at: 1, from: here)).get() }
        _ = try transactor.alone(ScriptGroup.create(room, by: alice.sender)).get()
        func send(_ operation: SendToGroup) throws -> APIErrorCode? { refusal(try transactor.alone(operation)) }
        func say(_ size: Int, id: MessageID = .random()) throws -> APIErrorCode? {
            let text = [UInt8](repeating: 1, count: size)
            return try send(ScriptGroup.say(text, in: room, by: alice.sender, epoch: 1, id: id))
        }
        let first = MessageID.random()
        #expect(try send(ScriptGroup.commit(to: room, by: alice.sender, adding: [bob.account])) == nil)
        #expect(try say(1, id: first) == nil)
        #expect(try transactor.alone(record(900_000, in: room, by: alice)).get().size == 900_000)
        #expect(try say(20_000) == .quotaExceeded)
        #expect(try say(1, id: first) == nil, "it has its number")
        let removal = ScriptGroup.commit(
            to: room,
            by: alice.sender,
            epoch: 1,
            after: 1,
            removing: [bob.account],
            size: 20_000
        )
        #expect(try send(removal) == nil)
        let farewell = ScriptGroup.leave(room, by: alice.sender, epoch: 2, after: 3, size: GroupSendRules.freeProposal)
        #expect(try send(farewell) == nil)
    }

    @Test("a network is 24 bits of an IPv4 address or 48 of an IPv6 one, and the relay's secrets hide which")
    func networks() throws {
        func address(_ text: String) throws -> SocketAddress { try #require(SocketAddress(ip: text, port: 1)) }
        let (one, other) = (RelaySecrets(at: 0), RelaySecrets(at: 0))
        func isSame(_ left: String, _ right: String) throws -> Bool {
            one.network(of: try address(left)) == one.network(of: try address(right))
        }
        #expect(try isSame("192.0.2.1", "192.0.2.254"))
        #expect(try !isSame("192.0.2.1", "192.0.3.1"))
        #expect(try isSame("::ffff:192.0.2.1", "192.0.2.9"))
        #expect(try isSame("2001:db8:1:2::1", "2001:db8:1:ffff::2"))
        #expect(try !isSame("2001:db8:1::1", "2001:db8:2::1"))
        let network = one.network(of: try address("192.0.2.1"))
        #expect(network.bytes.count == 16)
        #expect(try network != other.network(of: address("192.0.2.1")))
    }

    @Test("an account remembers the network that it was made from")
    func registration() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let network = relay.server.parts.secrets.network(of: .loopback(port: 1))
        let account = alice.account
        let found: Result<NetworkID?, APIError> = await relay.change { facts, _ throws(Missing) in
            .success(try facts.usage(of: account).network)
        }
        #expect(try found.get() == network)
        await relay.server.stop()
    }
}
