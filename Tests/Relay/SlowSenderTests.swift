import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Rooms that are MLS groups: many who commit, and one who is slow")
struct SlowSenderTests {
    /// Somebody in the room, and how many of its commits they have.
    private struct Place {
        let member: GroupMember
        var group: Group
        var read = 0

        mutating func catchUp(_ commits: [MLSMessage]) throws {
            for commit in commits[read...] { _ = try group.process(commit) }
            read = commits.count
        }
    }

    /// People with accounts, on a relay with its rates; to make accounts one after the other is not one of them here.
    private func makeMembers(_ count: Int) async throws -> (relay: TestRelay, members: [GroupMember]) {
        let begun = try TestRelay { $0.limitsRates = false }
        var members: [GroupMember] = []
        for number in 0..<count { members.append(try await GroupMember("member\(number)", on: begun)) }
        await begun.server.stop()
        let relay = try TestRelay(folder: begun.folder)
        for place in members.indices { members[place].person.relay = relay }
        return (relay, members)
    }

    /// The first one's room, with all others in it.
    private func makePlaces(_ members: [GroupMember], in room: RoomID) async throws -> [Place] {
        let founder = members[0]
        var group = try founder.group(room)
        #expect(try await founder.create(room, group).status == 201)
        let bundles = try members.dropFirst().map { try $0.bundle() }
        let added = try founder.commit(&group, adding: bundles.map(\.keyPackage))
        #expect(try await founder.send(added, to: room, epoch: 0).status == 201)
        try group.mergeStagedCommit()
        var places = [Place(member: founder, group: group)]
        for (member, bundle) in zip(members.dropFirst(), bundles) {
            places.append(Place(member: member, group: try await member.join(room, with: bundle)))
        }
        return places
    }

    @Test("however many commit as often as they may, after two vain attempts the slow one is heard")
    func slowSender() async throws {
        let (relay, members) = try await makeMembers(Count.of(few: 6, full: 50))
        let room = RoomID.random()
        var others = try await makePlaces(members, in: room)
        var slow = others.removeLast()
        var (commits, epoch): ([MLSMessage], UInt64) = ([], 1)
        for attempt in 1...3 {
            try slow.catchUp(commits)
            let (message, sealedIn) = (try slow.group.protect([UInt8(attempt)]).wireBytes, epoch)
            var refused = 0
            for place in others.indices {
                try others[place].catchUp(commits)
                let member = others[place].member
                let content = try member.commit(&others[place].group)
                guard case .commit(let commit, _, _) = content else { continue }
                let answer = try await member.send(content, to: room, epoch: epoch)
                guard answer.status == 201 else {
                    #expect(answer.apiError?.code == .commitRate)
                    others[place].group.discardStagedCommit()
                    refused += 1
                    continue
                }
                try others[place].group.mergeStagedCommit()
                commits.append(try MLSMessage(wireBytes: commit))
                others[place].read = commits.count
                epoch += 1
            }
            // The turn of the slow one does not last long: they have read everything before it begins.
            for place in others.indices { try others[place].catchUp(commits) }
            let answer = try await slow.member.send(.application(message), to: room, epoch: sealedIn)
            if attempt < 3 {
                #expect(refused == 0 && answer.apiError?.code == .staleEpoch, "attempt \(attempt)")
            } else {
                #expect(refused == others.count && answer.status == 201, "attempt \(attempt)")
            }
        }
        let path = try others[0].member.commit(&others[0].group)
        #expect(try await others[0].member.send(path, to: room, epoch: epoch).status == 201, "it is anybody's turn")
        await relay.server.stop()
    }
}
