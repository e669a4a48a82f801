import Foundation
import MildamIdentity
import MildamRelayAPI
import TestSupport
import Testing

@testable import MildamRelay

/// What an account says of others, its links and its shares of mailboxes count for it, and are given back.
@Suite("What consent counts")
struct ConsentUsageTests {
    private let folder: TemporaryFolder
    private let alice: ScriptPerson
    private let bob: ScriptPerson
    private let carol: ScriptPerson
    /// Within the time in which ``Transactor/alone(_:at:)`` performs.
    private let seconds: Int64 = 1_700_000_000

    init() throws {
        folder = try TemporaryFolder()
        (alice, bob, carol) = (try ScriptPerson("alice"), try ScriptPerson("bob"), try ScriptPerson("carol"))
    }

    private func usage(of person: ScriptPerson, _ transactor: Transactor) throws -> Int {
        let account = person.account
        let asking = Doing<Int> { facts, _ throws(Missing) in .success(try facts.usage(of: account).disk.bytes) }
        return try transactor.alone(asking).get()
    }

    private func say(
        _ standing: SenderStanding,
        of other: ScriptPerson,
        by person: ScriptPerson,
        as id: StandingID = .random()
    ) -> PutStanding {
        let request = StandingRequest(account: other.account, standing: standing)
        return PutStanding(id: id, sender: person.sender, request: request)
    }

    private func refusal<Value>(_ result: Result<Value, APIError>) -> APIErrorCode? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test("words about others and links: a row each, once, until they go", arguments: TestedStore.allCases)
    func words(_ store: TestedStore) throws {
        let transactor = try store.transactor(at: folder.file("relay.db"), RelayQuota())
        defer { transactor.lane.close() }
        try transactor.alone(bob.register(at: seconds)).get()
        let before = try usage(of: bob, transactor)
        func hold<Operation: StoreOperation>(_ operation: Operation, _ rows: Int) throws {
            #expect(refusal(try transactor.alone(operation)) == nil)
            #expect(try usage(of: bob, transactor) == before + rows * 256)
        }
        let (id, link) = (StandingID.random(), LinkID.random())
        try hold(say(.known, of: carol, by: bob), 1)
        try hold(say(.blocked, of: carol, by: bob, as: id), 1)
        try hold(say(.known, of: alice, by: bob), 2)
        try hold(PutLink(link: link, sender: bob.sender, expires: seconds + 10), 3)
        try hold(PutLink(link: link, sender: bob.sender, expires: seconds + 20), 3)
        try hold(DeleteLink(link: link, sender: bob.sender), 2)
        try hold(DeleteLink(link: link, sender: bob.sender), 2)
        try hold(DeleteStanding(id: id, sender: bob.sender), 1)
        try hold(PutLink(link: link, sender: bob.sender, expires: seconds + 10), 2)
        let removal = OperatorRemove(handle: bob.handle) { "gone:\($0.text)" }
        #expect(refusal(try transactor.alone(removal)) == nil)
        #expect(try usage(of: bob, transactor) == before - bob.registration.bundle.count)
    }

    @Test("an item that gives way is its sender's no more, nor is the share", arguments: TestedStore.allCases)
    func eviction(_ store: TestedStore) throws {
        var quota = RelayQuota()
        quota.requestItems = 1
        let transactor = try store.transactor(at: folder.file("relay.db"), quota)
        defer { transactor.lane.close() }
        func add(by person: ScriptPerson) throws {
            let room = RoomID.random()
            _ = try transactor.alone(ScriptGroup.create(room, by: person.sender)).get()
            let added = ScriptGroup.commit(
                to: room,
                by: person.sender,
                adding: [bob.account],
                welcoming: [bob.address]
            )
            _ = try transactor.alone(added).get()
        }
        for person in [alice, bob, carol] { try transactor.alone(person.register(at: seconds)).get() }
        let before = [try usage(of: alice, transactor), try usage(of: carol, transactor)]
        // A room, its second member and a commit; a Welcome, and a share of bob's mailbox.
        let room = ScriptGroup.roomBytes + 256 + 257
        let item = 256 + ScriptGroup.itemBytes(1) + 256
        try add(by: alice)
        #expect(try usage(of: alice, transactor) == before[0] + room + item)
        try add(by: carol)
        #expect(try usage(of: alice, transactor) == before[0] + room)
        #expect(try usage(of: carol, transactor) == before[1] + room + item)
        try transactor.alone(DropMailbox(address: bob.address, last: 2)).get()
        #expect(try usage(of: carol, transactor) == before[1] + room)
    }

    @Test("an account that has all of its bytes can block, and neither calls anybody known nor makes a link")
    func full() throws {
        var quota = RelayQuota()
        quota.accountBytes = DiskUsage.row + bob.registration.bundle.count + DiskUsage.row
        let transactor = try TestedStore.sqlite.transactor(at: folder.file("relay.db"), quota)
        defer { transactor.lane.close() }
        try transactor.alone(bob.register(at: seconds)).get()
        let id = StandingID.random()
        #expect(refusal(try transactor.alone(say(.known, of: alice, by: bob, as: id))) == nil)
        #expect(refusal(try transactor.alone(say(.known, of: carol, by: bob))) == .quotaExceeded)
        let link = PutLink(link: .random(), sender: bob.sender, expires: seconds + 10)
        #expect(refusal(try transactor.alone(link)) == .quotaExceeded)
        #expect(refusal(try transactor.alone(say(.blocked, of: carol, by: bob))) == nil)
        #expect(refusal(try transactor.alone(say(.known, of: alice, by: bob, as: id))) == nil, "it says so already")
    }
}
