import Foundation
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules
import MildamTransport
import MildamWire
import Testing

@testable import MildamMLS
@testable import MildamRelay

extension Group {
    /// The group's state, signed by its member, with these extensions in the place of the right ones.
    fileprivate func groupInfo(saying extensions: [Extension]) throws -> GroupInfo {
        try suite.sign(
            GroupInfoContent(
                groupContext: publicGroup.context,
                extensions: Extensions(extensions),
                confirmationTag: publicGroup.confirmationTag,
                signer: own.leaf
            ),
            by: signer
        )
    }

    /// The same with another key for joining from outside.
    fileprivate func groupInfo(openTo key: [UInt8]) throws -> GroupInfo {
        try groupInfo(saying: [Extension(type: .externalPub, data: HPKEPublicKey(key).wireBytes)])
    }
}

@Suite("Rooms that are MLS groups: GroupInfos to come in by")
struct GroupInfoTests {
    /// A key that something can be encrypted to, and that is no group's.
    private static func otherKey() -> [UInt8] {
        Array(Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation)
    }

    @Test("the commit says which key it has, members answer which is theirs, and another one is told of and kept")
    func answers() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var hers = try alice.group(room)
        #expect(try await alice.create(room, hers).status == 201)
        let bundle = try bob.bundle()
        let added = try alice.commit(&hers, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try hers.mergeStagedCommit()
        let his = try await bob.join(room, with: bundle)

        let right = try #require(try hers.groupInfo(sendsTree: false).externalPubDigest)
        let page: MessagePage = try await bob.person.ask(.get, Routes.messages.at(room, query: 1).text).value()
        #expect(page.messages.map(\.externalPub) == [Data(right)])
        let before = try await alice.state(of: room)
        #expect(before.groupInfos.map(\.externalPub) == [right] && before.groupInfos.map(\.accounts) == [1])
        #expect(before.next == 2 && before.due == 0 && before.proposals.isEmpty)

        var socket = try await Socket(alice.person)
        try await socket.say(.subscribe(room: room, from: 1))
        #expect(try await socket.numbers(1) == [1])
        for _ in 0..<2 {
            #expect(try await bob.put(his.groupInfo(sendsTree: false), of: room, epoch: 1).status == 204)
            #expect(try await alice.state(of: room).groupInfos.map(\.accounts) == [2])
        }
        // Bob's last word counts. Of as many accounts, that one is first which came first.
        let other = try his.groupInfo(openTo: Self.otherKey())
        #expect(try await bob.put(other, of: room, epoch: 1).status == 204)
        #expect(try await socket.next() == .groupInfo(room: room))
        let kept = try await alice.state(of: room).groupInfos
        #expect(kept.map(\.externalPub) == [right, other.externalPubDigest])
        #expect(kept.map(\.accounts) == [1, 1] && kept[1].groupInfo == MLSMessage.groupInfo(other).wireBytes)
        let third = try his.groupInfo(openTo: Self.otherKey())
        #expect(try await bob.put(third, of: room, epoch: 1).apiError?.code == .quotaExceeded)

        // What waits is brought with it, and an epoch begins with one GroupInfo.
        var leaver = his
        let leaving = try leaver.proposeSelfRemove(authenticatedData: [1, 1]).message.wireBytes
        #expect(try await bob.send(.proposal(leaving), to: room, epoch: 1).status == 201)
        let waiting = try await alice.state(of: room)
        #expect(waiting.proposals == [leaving] && waiting.due == 2 && waiting.next == 3)
        _ = try hers.process(MLSMessage(wireBytes: leaving))
        let farewell = try alice.commit(&hers)
        #expect(try await alice.send(farewell, to: room, epoch: 1).status == 201)
        let after = try await alice.state(of: room)
        #expect(after.groupInfos.map(\.accounts) == [1] && after.proposals.isEmpty && after.due == 0)
        #expect(try relay.allRows().rows.count { $0.kind == "group_info_answer" } == 0)
        await relay.server.stop()
    }

    @Test("what nobody can come in by, or is not the sender's, is refused by its rule")
    func refusals() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var hers = try alice.group(room)
        #expect(try await alice.create(room, hers).status == 201)
        let bundle = try bob.bundle()
        let added = try alice.commit(&hers, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        let early = hers
        try hers.mergeStagedCommit()
        let his = try await bob.join(room, with: bundle)

        let stranger = try await GroupMember("carol", on: relay)
        let rows = try relay.allRows()
        let own = try hers.groupInfo(sendsTree: false)
        let theirs = try await bob.put(own, of: room, epoch: 1)
        #expect(theirs.apiError?.rule == RoomRule.senderIsDeviceOfLeaf.rawValue)
        #expect(try await alice.put(own, of: room, epoch: 0).apiError?.code == .staleEpoch)
        let overtaken = try await alice.put(own, of: room, epoch: 2).apiError
        #expect(overtaken?.code == .staleEpoch && overtaken?.epoch == 1 && overtaken?.generation == 0)
        #expect(try await alice.put(own, of: .random(), epoch: 1).apiError?.code == .unknownRoom)
        #expect(try await stranger.put(own, of: room, epoch: 1).apiError?.code == .notAMember)

        let last = try early.groupInfo(sendsTree: false)
        #expect(try await alice.put(last, of: room, epoch: 1).apiError?.rule == "groupInfoIsOfGroup")
        // X25519's low orders: 0 and 1.
        for first in [0, 1] as [UInt8] {
            let low = try his.groupInfo(openTo: [first] + [UInt8](repeating: 0, count: 31))
            #expect(try await bob.put(low, of: room, epoch: 1).apiError?.rule == "externalPubIsValid")
        }
        let short = try his.groupInfo(openTo: [1, 2, 3])
        #expect(try await bob.put(short, of: room, epoch: 1).apiError?.rule == "externalPubIsValid")
        for info in [try his.groupInfo(saying: []), try his.groupInfo()] {
            #expect(try await bob.put(info, of: room, epoch: 1).apiError?.code == .invalidCommit)
        }
        let bytes = MLSMessage.groupInfo(try his.groupInfo(sendsTree: false)).wireBytes
        for place in stride(from: 0, to: bytes.count, by: 23) {
            var flipped = bytes
            flipped[place] ^= 1
            for part in [flipped, Array(bytes.prefix(place))] {
                let request = GroupInfoRequest(generation: 0, epoch: 1, groupInfo: part)
                let answer = try await bob.person.ask(
                    .put,
                    Routes.putGroupInfo.at(room).text,
                    body: request.wireBytes
                )
                #expect(answer.status == 400, "\(place)")
            }
        }
        #expect(try relay.allRows() == rows)
        await relay.server.stop()
    }

    @Test("a commit brings its committer's own")
    func committers() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var hers = try alice.group(room)
        #expect(try await alice.create(room, hers).status == 201)
        let bundle = try bob.bundle()
        let added = try alice.commit(&hers, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try hers.mergeStagedCommit()
        var his = try await bob.join(room, with: bundle)
        let path = try alice.commit(&hers)
        guard case .commit(let commit, _, _) = path else { throw CancellationError() }
        _ = try his.process(MLSMessage(wireBytes: commit))
        let foreign = MLSMessage.groupInfo(try his.groupInfo(sendsTree: false)).wireBytes
        let mixed = GroupSendRequest.Content.commit(commit, groupInfo: foreign, welcome: [])
        let refused = try await alice.send(mixed, to: room, epoch: 1)
        #expect(refused.apiError?.rule == RoomRule.senderIsDeviceOfLeaf.rawValue)
        #expect(try await alice.send(path, to: room, epoch: 1).status == 201)
        await relay.server.stop()
    }
}
