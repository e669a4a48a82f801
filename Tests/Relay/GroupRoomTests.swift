import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamTransport
import MildamWire
import Testing

@testable import MildamRelay

@Suite("Rooms that are MLS groups: the relay as delivery service")
struct GroupRoomTests {
    @Test("made, joined by a Welcome of one's own, overtaken, and left")
    func life() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var hers = try alice.group(room)
        let made: RoomState = try await alice.create(room, hers).value()
        #expect(made.isGroup == true && made.members == [alice.person.account] && made.next == 1)
        #expect(try await alice.create(room, hers).status == 201, "a retry")
        #expect(try await bob.create(room, hers).apiError?.code == .invalidCommit, "it is not bob's leaf")
        #expect(try await bob.person.ask(.get, Routes.group.at(room).text).apiError?.code == .notAMember)

        // A stranger gets the key package of last resort, and again under the same id.
        let bundles = [try bob.bundle(), try bob.bundle(isLastResort: true)]
        let stock: KeyPackageCount = try await bob.publish(bundles).value()
        #expect(stock == KeyPackageCount(left: 1, hasLastResort: true))
        let claim = ClaimRequest(id: .random(), room: room)
        var claimed: ClaimedKeyPackages?
        for _ in 0..<2 {
            let answer = try await alice.person.ask(Routes.claimKeyPackages.at(bob.person.handle), claim)
            let found = try ClaimedKeyPackages(wireBytes: answer.body)
            #expect(claimed.map { $0 == found } ?? true)
            claimed = found
        }
        let bytes = try #require(claimed?.entries.first?.keyPackage)
        let invited = bundles[1].keyPackage
        #expect(bytes == MLSMessage.keyPackage(invited).wireBytes)

        let added = try alice.commit(&hers, adding: [invited])
        let id = MessageID.random()
        #expect(try await alice.send(added, to: room, epoch: 0, id: id).status == 201)
        let again = try await alice.send(added, to: room, epoch: 0, id: id)
        #expect(again.status == 201, "a retry gets its number, though its epoch is over")
        #expect(try again.value(SendReceipt.self).number == 1)
        try hers.mergeStagedCommit()

        // Bob comes in by what the relay has for him: his part of the Welcome, and the tree of that epoch.
        let mail: MailboxPage = try await bob.person.ask(.get, Routes.mailbox.at(query: 1).text).value()
        let item = try #require(mail.items.first)
        #expect(item.kind == .welcome && item.room == room && item.from == alice.person.account && item.isRequest)
        let welcome = try WelcomeItem(wireBytes: [UInt8](item.body))
        #expect(welcome.epoch == 1 && welcome.number == 1 && welcome.generation == 0)
        let target = Routes.groupTree.at(room, query: (0, 1)).text
        let tree = try await bob.person.ask(.get, target)
        #expect(tree.fields["ETag"] == "\"\(Hex.encode(hers.publicGroup.context.treeHash))\"")
        guard case .welcome(let own) = try MLSMessage(wireBytes: welcome.welcome) else {
            Issue.record("no Welcome")
            return
        }
        #expect(own.secrets.count == 1 && welcome.welcome.count < 2_048)
        var his = try Group(
            joining: own,
            with: bundles[1],
            ratchetTree: tree.body,
            environment: bob.environment,
            isKnown: { _ in false }
        )
        #expect(his.publicGroup.context == hers.publicGroup.context)
        let said = try await bob.say("here", in: &his, room, epoch: 1)
        #expect(said.status == 201)
        #expect(try await bob.state(of: room).epoch == 1)

        // Alice's commit is first: bob's is of an epoch that is over, and he is told what he has not seen.
        let path = try alice.commit(&hers)
        let late = try bob.commit(&his)
        #expect(try await alice.send(path, to: room, epoch: 1).status == 201)
        let overtaken = try await bob.send(late, to: room, epoch: 1, seen: 2)
        #expect(overtaken.apiError?.code == .staleEpoch && overtaken.apiError?.epoch == 2)
        let missed = try #require(try overtaken.value(APIErrorBody.self).missed)
        #expect(missed.messages.map(\.number) == [3] && missed.messages.map(\.kind) == [.commit])
        #expect(missed.epoch == 2 && missed.incarnation == relay.server.parts.restoration.incarnation)
        try hers.mergeStagedCommit()
        his.discardStagedCommit()
        _ = try his.process(MLSMessage(wireBytes: [UInt8](missed.messages[0].body)))
        #expect(his.publicGroup.context == hers.publicGroup.context)

        // Who leaves is named by the next commit, and nothing is said before.
        let leaving = try his.proposeSelfRemove(authenticatedData: [1, 1]).message.wireBytes
        #expect(try await bob.send(.proposal(leaving), to: room, epoch: 2).status == 201)
        let early = try await alice.say("wait", in: &hers, room, epoch: 2)
        #expect(early.apiError?.code == .proposalsDue)
        let unaware = try alice.commit(&hers)
        let due = try await alice.send(unaware, to: room, epoch: 2, seen: 3)
        #expect(due.apiError?.code == .proposalsDue && due.apiError?.number == 4)
        hers.discardStagedCommit()
        _ = try hers.process(try #require(try await alice.last(of: room, from: 4)))
        let farewell = try alice.commit(&hers)
        #expect(try await alice.send(farewell, to: room, epoch: 2).status == 201)
        try hers.mergeStagedCommit()
        #expect(try await bob.person.ask(.get, Routes.group.at(room).text).apiError?.code == .notAMember)
        #expect(try await alice.state(of: room).treeHash == hers.publicGroup.context.treeHash)
        let figures = try await Self.figures(of: relay)
        #expect(figures.contains("\nmildam_group_commits_total 3\n"))
        #expect(figures.contains(#"mildam_group_late_total{code="stale_epoch"} 1"#))
        #expect(figures.contains(#"mildam_group_late_total{code="proposals_due"} 2"#))
        #expect(figures.contains(#"mildam_group_late_total{code="commit_rate"} 0"#))
        #expect(figures.contains("\nmildam_group_given_back_total 0\n"))
        #expect(figures.contains("\nmildam_group_check_seconds_bucket{le="))
        await relay.server.stop()
    }

    /// What `/metrics` says.
    private static func figures(of relay: TestRelay) async throws -> String {
        String(decoding: try await relay.ask(.get, "/metrics").body, as: UTF8.self)
    }

    @Test("whose messages were overtaken twice goes first, before anybody commits")
    func overtaken() async throws {
        // Time stands still: no turn ends by itself.
        let relay = try TestRelay { $0.rateClock = { 60_000_000_000 } }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        // The relay cannot see whose message it is: bob says what alice has sealed.
        let old = try group.protect([1]).wireBytes
        let added = try alice.commit(&group, adding: [bob.bundle().keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try group.mergeStagedCommit()
        let new = try group.protect([2]).wireBytes
        for _ in 0..<2 {
            let answer = try await bob.send(.application(old), to: room, epoch: 0)
            #expect(answer.apiError?.code == .staleEpoch)
        }
        let path = try alice.commit(&group)
        let held = try await alice.send(path, to: room, epoch: 1)
        #expect(held.apiError?.code == .commitRate && held.fields["Retry-After"] == "3")
        #expect(try await bob.send(.application(new), to: room, epoch: 1).status == 201)
        #expect(try await alice.send(path, to: room, epoch: 1).status == 201)
        await relay.server.stop()
    }

    @Test("what does not count changes nothing, and is told by its rule")
    func refusals() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(.random(), group).apiError?.rule == RoomRule.joinedGroupIsOfRoom.rawValue)
        #expect(try await alice.create(room, group).status == 201)
        let before = try await alice.state(of: room)

        let bundle = try bob.bundle()
        #expect(try await alice.publish([bundle]).apiError?.code == .badIdentity, "of another account")
        guard case .commit(let commit, let info, let welcome) = try alice.commit(&group, adding: [bundle.keyPackage])
        else {
            Issue.record("no commit")
            return
        }
        let good = GroupSendRequest.Content.commit(commit, groupInfo: info, welcome: welcome)
        func refused(_ content: GroupSendRequest.Content) async throws {
            let answer = try await alice.send(content, to: room, epoch: 0)
            #expect(answer.apiError?.code == .invalidCommit && answer.apiError?.rule != nil)
        }
        var other = info
        other[other.count - 1] ^= 1
        try await refused(.commit(commit, groupInfo: other, welcome: welcome))
        try await refused(.commit(commit, groupInfo: info, welcome: []))
        try await refused(.commit(commit, groupInfo: info, welcome: info))
        var forged = commit
        forged[forged.count / 2] ^= 1
        try await refused(.commit(forged, groupInfo: info, welcome: welcome))
        try await refused(.commit(Array(commit.prefix(40)), groupInfo: info, welcome: welcome))
        try await refused(.commit([1, 2, 3], groupInfo: info, welcome: welcome))
        try await refused(.proposal(commit))
        try await refused(.application(commit))
        #expect(try await bob.send(good, to: room, epoch: 0).status == 403)
        #expect(try await alice.person.ask(.put, Routes.createGroup.at(room).text, body: [1]).status == 400)
        #expect(try await alice.state(of: room) == before)
        let refusals = try await Self.figures(of: relay)
        #expect(refusals.contains(#"mildam_group_refusals_total{rule="joinedGroupIsOfRoom"} 1"#))
        #expect(refusals.contains("\nmildam_group_check_seconds_count "))
        #expect(try await alice.send(good, to: room, epoch: 0).status == 201)
        await relay.server.stop()
    }

    @Test("an account commits so many times a minute")
    func rate() async throws {
        let limited = try TestRelay()
        let bob = try await GroupMember("bobby", on: limited)
        let busy = RoomID.random()
        var his = try bob.group(busy)
        #expect(try await bob.create(busy, his).status == 201)
        for epoch in 0...UInt64(CommitRate.maximum) {
            let path = try bob.commit(&his)
            let answer = try await bob.send(path, to: busy, epoch: epoch)
            #expect(answer.status == (epoch < UInt64(CommitRate.maximum) ? 201 : 429), "\(epoch)")
            if answer.status == 201 { try his.mergeStagedCommit() }
        }
        await limited.server.stop()
    }
}
