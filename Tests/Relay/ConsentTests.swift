import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("Consent over HTTP")
struct ConsentTests {
    private func mailbox(of person: Person) async throws -> [MailboxItem] {
        try await person.ask(.get, "/v1/mailbox?from=1").value(MailboxPage.self).items
    }

    private func say(_ standing: SenderStanding, of other: Person, by person: Person) async throws -> StandingID {
        let id = StandingID.random()
        let body = StandingRequest(account: other.account, standing: standing)
        #expect(try await person.ask(Routes.putStanding.at(id), body).status == 204)
        return id
    }

    /// Brings somebody into a room that is made for it.
    private func bring(_ other: GroupMember, by member: GroupMember) async throws -> HTTPResponse {
        let room = RoomID.random()
        var group = try member.group(room)
        #expect(try await member.create(room, group).status == 201)
        return try await member.add(other, to: room, &group)
    }

    @Test("what a stranger sends is a request, until its recipient accepts the room")
    func acceptance() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await Person("alice", on: relay), try await Person("bob", on: relay))
        let room = try await alice.createRoom()
        #expect(try await bob.ask(.put, Routes.acceptRoom.at(room).path).apiError?.code == .notAMember)
        #expect(try await bob.ask(.put, Routes.acceptRoom.at(.random()).path).apiError?.code == .unknownRoom)
        #expect(try await alice.add(bob, to: room).status == 201)
        for _ in 0..<2 { #expect(try await bob.ask(.put, Routes.acceptRoom.at(room).path).status == 204) }
        let renewal = MembershipChange(
            action: .renew,
            after: 1,
            envelopes: [bob, alice].map { .init(account: $0.account, device: $0.device, body: Data("key".utf8)) }
        )
        #expect(try await alice.send("new", to: room, generation: 2, change: renewal).status == 201)
        let items = try await mailbox(of: bob)
        #expect(items.map(\.isRequest) == [true, false])
        #expect(items.map(\.from) == [alice.account, alice.account])
        #expect(try await mailbox(of: alice).map(\.isRequest) == [false], "its maker has accepted it")
        // Out and in again is a new room to bob.
        let removal = MembershipChange(action: .remove, accounts: [bob.account], after: 2)
        #expect(try await alice.send("out", to: room, generation: 3, change: removal).status == 201)
        #expect(try await alice.add(bob, to: room, generation: 3).status == 201)
        #expect(try await mailbox(of: bob).map(\.isRequest) == [true, false, true])
        await relay.server.stop()
    }

    @Test("who is blocked is answered as ever, and who is known is no stranger")
    func standings() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bob", on: relay))
        let blocked = try await say(.blocked, of: alice.person, by: bob.person)
        let lost = try await bring(bob, by: alice)
        #expect(lost.status == 201)
        #expect(try await mailbox(of: bob.person).isEmpty)
        let path = Routes.deleteStanding.at(blocked).path
        for _ in 0..<2 { #expect(try await bob.person.ask(.delete, path).status == 204) }
        let known = try await say(.known, of: alice.person, by: bob.person)
        #expect(try await bring(bob, by: alice).status == 201)
        #expect(try await mailbox(of: bob.person).map(\.isRequest) == [false])
        let list: StandingList = try await bob.person.ask(.get, Routes.standings.path).value()
        #expect(list.standings == [StandingEntry(id: known, standing: .known)])
        let behind: StandingList = try await bob.person.ask(.get, Routes.standings.at(query: known).text).value()
        #expect(behind.standings.isEmpty)
        #expect(try await alice.person.ask(.get, Routes.standings.path).value(StandingList.self).standings.isEmpty)
        await relay.server.stop()
    }

    @Test("a flood of strangers is bounded, gives way to a new one, and keeps no known sender out")
    func flood() async throws {
        let relay = try TestRelay {
            $0.quota.requestItems = 6
            $0.quota.senderRequests = 2
        }
        let bob = try await GroupMember("bob", on: relay)
        let (friend, quiet) = (try await GroupMember("friend", on: relay), try await GroupMember("quiet", on: relay))
        _ = try await say(.known, of: friend.person, by: bob.person)
        #expect(try await bring(bob, by: quiet).status == 201)
        for number in 0..<5 {
            let crowd = try await GroupMember("crowd\(number)", on: relay)
            for _ in 0..<2 { #expect(try await bring(bob, by: crowd).status == 201) }
            let another = try await bring(bob, by: crowd)
            // By the last of them all others have one item each, so that its own gives way, and its share is never full.
            #expect(another.apiError?.code == (number < 4 ? .quotaExceeded : nil))
        }
        #expect(try await bring(bob, by: friend).status == 201)
        let items = try await mailbox(of: bob.person)
        #expect(items.count(where: \.isRequest) == 6 && items.last?.from == friend.person.account)
        let isQuietKept = items.contains { $0.from == quiet.person.account }
        #expect(isQuietKept, "it asked for little, and stays, though it is the oldest")
        // Numbers are missing where somebody gave way, and go on all the same.
        #expect(items.map(\.number).last == 13)
        // What the device has taken is given back.
        #expect(try await bob.person.ask(.delete, "/v1/mailbox?through=13").status == 204)
        #expect(try relay.allRows().rows.filter { $0.kind == "share" }.isEmpty)
        #expect(try await bring(bob, by: quiet).status == 201)
        await relay.server.stop()
    }

    @Test("a renewal that a stranger repeats fills nothing")
    func renewals() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await Person("alice", on: relay), try await Person("bob", on: relay))
        let room = try await alice.createRoom()
        #expect(try await alice.add(bob, to: room).status == 201)
        for number in 1...12 {
            let renewal = MembershipChange(
                action: .renew,
                after: UInt64(number),
                envelopes: [.init(account: bob.account, device: bob.device, body: Data("key".utf8))]
            )
            #expect(
                try await alice.send("new", to: room, generation: UInt32(number) + 1, change: renewal).status == 201
            )
        }
        #expect(try await mailbox(of: bob).count == RelayQuota().senderRequests)
        await relay.server.stop()
    }

    @Test("a link leads past the strangers' part once, and a relay can ask for one")
    func links() async throws {
        let relay = try TestRelay { $0.requests = .linkOnly }
        let (alice, bob) = (try await Person("alice", on: relay), try await Person("bob", on: relay))
        let secret = Data(repeating: 7, count: Limits.linkSecret)
        let link = try #require(LinkID(secret: secret))
        func show(_ secret: Data?) async throws -> HTTPResponse {
            let room = try await bob.createRoom()
            let change = MembershipChange(
                action: .add,
                accounts: [alice.account],
                after: 0,
                envelopes: [.init(account: alice.account, device: alice.device, body: Data("key".utf8))],
                links: secret.map { [ShownLink(account: alice.account, secret: $0)] }
            )
            return try await bob.send("in", to: room, change: change)
        }
        let refusal = try await show(nil)
        #expect(refusal.status == 403 && refusal.apiError?.code == .linkRequired)
        #expect(try await show(secret).apiError?.code == .linkRequired)
        #expect(try await alice.ask(Routes.putLink.at(link), LinkRequest(expires: relay.now + 60)).status == 204)
        #expect(try await show(secret).status == 201)
        #expect(try await show(secret).apiError?.code == .linkRequired)
        #expect(try await mailbox(of: alice).map(\.isRequest) == [false])
        #expect(try await alice.ask(Routes.putLink.at(link), LinkRequest(expires: relay.now + 60)).status == 204)
        #expect(try await alice.ask(.delete, Routes.deleteLink.at(link).path).status == 204)
        #expect(try await show(secret).apiError?.code == .linkRequired)
        // To a relay that asks for links, a blocked sender is as unknown as any other.
        _ = try await say(.blocked, of: bob, by: alice)
        #expect(try await show(nil).apiError == refusal.apiError)
        await relay.server.stop()
    }
}
