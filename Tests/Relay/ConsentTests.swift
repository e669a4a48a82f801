import Foundation
import MildamIdentity
import MildamMLS
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
        let relay = try TestRelay { $0.limitsRates = false }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bob", on: relay))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await bob.person.ask(.put, Routes.acceptRoom.at(room).path).apiError?.code == .notAMember)
        #expect(try await bob.person.ask(.put, Routes.acceptRoom.at(.random()).path).apiError?.code == .unknownRoom)
        #expect(try await alice.add(bob, to: room, &group).status == 201)
        let accept = Routes.acceptRoom.at(room).path
        for _ in 0..<2 { #expect(try await bob.person.ask(.put, accept).status == 204) }
        // Out and in again is a new room to bob.
        let out = try alice.commit(&group, removing: [LeafIndex(rawValue: 1)])
        #expect(try await alice.send(out, to: room, epoch: 1).status == 201)
        try group.mergeStagedCommit()
        #expect(try await alice.add(bob, to: room, &group).status == 201)
        #expect(try await mailbox(of: bob.person).map(\.isRequest) == [true, true])
        // Another Welcome of a room that he has accepted is none.
        #expect(try await bob.person.ask(.put, accept).status == 204)
        #expect(try await welcome(bob, by: alice, to: room, epoch: 3, after: 3, on: relay).get().number == 4)
        let items = try await mailbox(of: bob.person)
        #expect(items.map(\.isRequest) == [true, true, false])
        #expect(items.allSatisfy { $0.from == alice.person.account })
        await relay.server.stop()
    }

    /// Has a commit stored that brings a Welcome for a member's device. What the relay looks at before is passed over.
    private func welcome(
        _ other: GroupMember,
        by member: GroupMember,
        to room: RoomID,
        epoch: UInt64,
        after handshake: UInt64,
        on relay: TestRelay
    ) async -> Result<SendReceipt, APIError> {
        let address = MailboxAddress(account: other.person.account, device: other.person.device)
        let checked = CheckedCommit(
            handshake: handshake,
            treeHash: [1],
            groupInfo: [1],
            externalPub: [UInt8](repeating: 1, count: Limits.digest),
            added: [],
            removed: [],
            welcomes: [CheckedCommit.Welcome(address: address, message: [5])],
            snapshot: nil
        )
        let content = GroupSendRequest.Content.commit([8], groupInfo: [1], welcome: [])
        let request = GroupSendRequest(id: .random(), generation: 0, epoch: epoch, seen: 0, content: content)
        let operation = SendToGroup(request, .commit(checked), to: room, by: member.person.sender)
        return await withCheckedContinuation { continuation in
            relay.server.parts.commits.perform(operation, for: .relay) { continuation.resume(returning: $0) }
        }
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

    @Test("a stranger who puts somebody out and brings them in again fills nothing")
    func renewals() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bob", on: relay))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        for _ in 0..<RelayQuota().senderRequests {
            #expect(try await alice.add(bob, to: room, &group).status == 201)
            let epoch = group.publicGroup.context.epoch
            let out = try alice.commit(&group, removing: [LeafIndex(rawValue: 1)])
            #expect(try await alice.send(out, to: room, epoch: epoch).status == 201)
            try group.mergeStagedCommit()
        }
        #expect(try await alice.add(bob, to: room, &group).apiError?.code == .quotaExceeded)
        #expect(try await mailbox(of: bob.person).count == RelayQuota().senderRequests)
        await relay.server.stop()
    }

    @Test("a relay can ask that whoever is brought in knows the sender, and tells nobody who is blocked")
    func links() async throws {
        let relay = try TestRelay { $0.requests = .linkOnly }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bob", on: relay))
        let refusal = try await bring(alice, by: bob)
        #expect(refusal.status == 403 && refusal.apiError?.code == .linkRequired)
        let link = LinkID.random()
        let request = LinkRequest(expires: relay.now + 60)
        #expect(try await alice.person.ask(Routes.putLink.at(link), request).status == 204)
        for _ in 0..<2 {
            #expect(try await alice.person.ask(.delete, Routes.deleteLink.at(link).path).status == 204)
        }
        // To a relay that asks for it, a blocked sender is as unknown as any other.
        let blocked = try await say(.blocked, of: bob.person, by: alice.person)
        #expect(try await bring(alice, by: bob).apiError == refusal.apiError)
        #expect(try await alice.person.ask(.delete, Routes.deleteStanding.at(blocked).path).status == 204)
        _ = try await say(.known, of: bob.person, by: alice.person)
        #expect(try await bring(alice, by: bob).status == 201)
        #expect(try await mailbox(of: alice.person).map(\.isRequest) == [false])
        await relay.server.stop()
    }

    @Test("a link leads into a group past the strangers' part once")
    func linksToGroups() async throws {
        let relay = try TestRelay { $0.requests = .linkOnly }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let secret = Data(repeating: 7, count: Limits.linkSecret)
        let link = try #require(LinkID(secret: secret))
        func bring(showing links: [ShownLink]) async throws -> HTTPResponse {
            let room = RoomID.random()
            var group = try bob.group(room)
            #expect(try await bob.create(room, group).status == 201)
            return try await bob.add(alice, to: room, &group, showing: links)
        }
        let shown = [ShownLink(account: alice.person.account, secret: secret)]
        let refusal = try await bring(showing: [])
        #expect(refusal.status == 403 && refusal.apiError?.code == .linkRequired)
        #expect(try await bring(showing: shown).apiError?.code == .linkRequired)
        let open = LinkRequest(expires: relay.now + 60)
        #expect(try await alice.person.ask(Routes.putLink.at(link), open).status == 204)
        #expect(try await bring(showing: shown).status == 201)
        #expect(try await bring(showing: shown).apiError?.code == .linkRequired)
        #expect(try await mailbox(of: alice.person).map(\.isRequest) == [false])
        await relay.server.stop()
    }
}
