import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamSystem
import MildamTransport
import MildamWire
import TestSupport
import Testing

@testable import MildamRelay

extension GroupMember {
    /// Comes back from outside because of a commit of this number.
    fileprivate func comeBack(
        to room: RoomID,
        from number: UInt64,
        isSpoiled: Bool = false
    ) async throws -> HTTPResponse {
        let state = try await state(of: room)
        let target = Routes.groupTree.at(room, query: (Int(state.generation), Int(state.epoch))).text
        let tree = try await person.ask(.get, target).body
        guard case .groupInfo(let info) = try MLSMessage(wireBytes: state.groupInfos[0].groupInfo) else {
            throw CancellationError()
        }
        let named = try #require(try await page(of: room, from: number).messages.first)
        let digest = MessageDigest.of(
            generation: UInt64(named.generation),
            account: named.account,
            device: named.device,
            id: try #require(named.id),
            kind: MessageDigest.commit,
            body: [UInt8](named.body) + (isSpoiled ? [0] : [])
        )
        let reason = RepairReason(number: number, hash: digest, cause: .commitNotProcessable)
        let members = try RoomMembers(of: PublicGroup(info, ratchetTree: tree, environment: environment))
        let join = try ExternalJoin(
            info,
            ratchetTree: tree,
            with: bundle(),
            replacing: members.leaves.first { $0.value.account == person.account }?.key,
            authenticatedData: CommitReason(evidence: [.deviceList(list), .repair(reason)]).wireBytes,
            environment: environment
        )
        let coming = GroupSendRequest.Content.commit(
            join.commit.wireBytes,
            groupInfo: MLSMessage.groupInfo(try join.groupInfo(sendsTree: false)).wireBytes,
            welcome: []
        )
        return try await send(coming, to: room, epoch: state.epoch)
    }
}

@Suite("Rooms that are MLS groups, H9: whose commits others could not read")
struct BadCommitTests {
    /// Somebody who commits, in a room with others.
    private struct Committer {
        let member: GroupMember
        let room: RoomID
        var group: Group

        /// Commits, as often as it is told.
        ///
        /// - Returns: what the relay has answered each time.
        mutating func commit(times count: Int = 1) async throws -> [HTTPResponse] {
            var answers: [HTTPResponse] = []
            for _ in 0..<count {
                let path = try member.commit(&group)
                let answer = try await member.send(path, to: room, epoch: group.publicGroup.context.epoch)
                if answer.status == 201 { try group.mergeStagedCommit() } else { group.discardStagedCommit() }
                answers.append(answer)
            }
            return answers
        }

        /// Follows the last commit of the log.
        mutating func follow(_ number: UInt64) async throws {
            let last = try await member.last(of: room, from: number)
            _ = try group.process(#require(last))
        }

        mutating func add(_ other: GroupMember) async throws {
            let answer = try await member.add(other, to: room, &group)
            #expect(answer.status == 201)
        }
    }

    private func committer(_ member: GroupMember, with others: [GroupMember]) async throws -> Committer {
        let room = RoomID.random()
        let group = try member.group(room)
        #expect(try await member.create(room, group).status == 201)
        var committer = Committer(member: member, room: room, group: group)
        for other in others { try await committer.add(other) }
        return committer
    }

    @Test("whom two others name commits once an hour from then on")
    func namedByTwo() async throws {
        let clock = Lock<UInt64>(60_000_000_000)
        let relay = try TestRelay { $0.rateClock = { clock.withLock { $0 } } }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let carol = try await GroupMember("carol", on: relay)
        var hers = try await committer(alice, with: [bob, carol])
        let bad = try await hers.commit()
        #expect(bad.map(\.status) == [201])
        let room = hers.room
        #expect(try await bob.comeBack(to: room, from: 3).status == 201)
        try await hers.follow(4)
        let named = try await hers.commit(times: 2)
        #expect(named.map(\.status) == [201, 201], "one alone stops nobody")
        #expect(try await carol.comeBack(to: room, from: 3).status == 201)
        try await hers.follow(7)
        let held = try await hers.commit(times: 2)
        #expect(held.map(\.status) == [201, 429])
        #expect(held[1].apiError?.code == .commitRate && held[1].fields["Retry-After"] == "3600")
        clock.withLock { $0 += 3_600_000_000_000 }
        let later = try await hers.commit(times: 2)
        #expect(later.map(\.status) == [201, 429])
        await relay.server.stop()
    }

    @Test("… whom all others name who are online, too; what the log has otherwise than it is named counts for nothing")
    func namedByOne() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let carol = try await GroupMember("carol", on: relay)
        var hers = try await committer(alice, with: [bob, carol])
        let bad = try await hers.commit()
        #expect(bad.map(\.status) == [201])
        let (socket, room) = (try await Socket(bob.person), hers.room)
        for (member, number) in [(bob, 4), (carol, 5)] as [(GroupMember, UInt64)] {
            #expect(try await member.comeBack(to: room, from: 3, isSpoiled: true).status == 201)
            try await hers.follow(number)
        }
        let free = try await hers.commit(times: 2)
        #expect(free.map(\.status) == [201, 201])
        #expect(try await bob.comeBack(to: room, from: 3).status == 201)
        try await hers.follow(8)
        let held = try await hers.commit(times: 2)
        #expect(held.map(\.status) == [201, 429])
        #expect(socket.hello != nil)
        await relay.server.stop()
    }

    private func isHeld(_ account: AccountID, in room: RoomID, _ blamed: BlamedRooms) -> Bool {
        do throws(RoomRefusal) {
            for _ in 0..<2 { try blamed.take(from: account, in: room, isOfSelfRemoves: false, at: 3) }
            return false
        } catch {
            return true
        }
    }

    @Test("nobody is to blame while members give back what a relay lost; many rooms let nobody go")
    func limits() {
        let (account, others, room) = (AccountID.random(), [AccountID.random(), .random()], RoomID.random())
        for isTakingBack in [false, true] {
            let blamed = BlamedRooms { isTakingBack }
            for _ in 1..<BlamedRooms.maximumRooms { blamed.name(account, by: others[0], of: [], in: .random(), at: 1) }
            for other in others { blamed.name(account, by: other, of: [], in: room, at: 2) }
            for _ in 0..<3 { blamed.name(account, by: others[0], of: [], in: .random(), at: 2) }
            #expect(isHeld(account, in: room, blamed) == !isTakingBack)
            #expect(!isHeld(others[0], in: room, blamed))
        }
    }
}
