import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamWire
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Rooms that are MLS groups: what a relay is sent by who keeps no rules")
struct GroupBadInputTests {
    @Test(
        "a commit with a bit flipped in what a relay can look at, or cut anywhere, counts for nothing and changes nothing"
    )
    func spoiledCommits() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        let made = try alice.commit(&group, adding: [bob.bundle().keyPackage])
        guard case .commit(let commit, let info, let welcome) = made else {
            Issue.record("no commit")
            return
        }
        let rows = try relay.allRows()
        // The tags at its end are for members alone: a relay has none of the keys that they are made with.
        let open = commit.count - 2 * 33
        for place in stride(from: 0, to: commit.count, by: Count.of(few: 7, full: 1)) {
            var spoiled = [Array(commit.prefix(place))]
            if place < open {
                var flipped = commit
                flipped[place] ^= 1 << (place % 8)
                spoiled.append(flipped)
            }
            for message in spoiled {
                let answer = try await alice.send(
                    .commit(message, groupInfo: info, welcome: welcome),
                    to: room,
                    epoch: 0
                )
                #expect((400..<500).contains(answer.status), "\(place)")
            }
        }
        #expect(try relay.allRows() == rows)
        #expect(try await alice.send(made, to: room, epoch: 0).status == 201)
        await relay.server.stop()
    }

    @Test("a tree of blank nodes and one leaf begins no room")
    func wideTrees() async throws {
        let relay = try TestRelay()
        let alice = try await GroupMember("alice", on: relay)
        let room = RoomID.random()
        let group = try alice.group(room)
        let info = MLSMessage.groupInfo(try group.groupInfo(sendsTree: false)).wireBytes
        // What is left of the tree's bytes behind their length is its one node.
        let node = group.ratchetTree.dropFirst(2)
        for blank in [2, 60_000] {
            var tree = WireWriter(capacity: 1 << 16)
            tree.vector([UInt8](repeating: 0, count: blank) + node)
            let request = CreateGroupRequest(groupInfo: info, ratchetTree: tree.bytes)
            let place = Routes.createGroup.at(room).text
            let answer = try await alice.person.ask(.put, place, body: request.wireBytes)
            #expect(answer.apiError?.rule == RoomRule.generationBeginsWithOneLeaf.rawValue, "\(blank)")
        }
        #expect(try await alice.create(room, group).status == 201)
        await relay.server.stop()
    }

    @Test("bodies that claim 4 GiB are refused by their heads, on every route of groups")
    func hugeBodies() async throws {
        let relay = try TestRelay()
        let alice = try await GroupMember("alice", on: relay)
        let room = RoomID.random()
        func head<Body, Answer>(_ place: RouteTarget<Body, Answer>) -> String {
            "\(place.method.rawValue) \(place.text) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
        }
        let heads = [
            head(Routes.createGroup.at(room)), head(Routes.sendToGroup.at(room)), head(Routes.refill.at(room)),
            head(Routes.putGroupInfo.at(room)), head(Routes.renewRoom.at(room)), head(Routes.putKeyPackages.at()),
            head(Routes.claimKeyPackages.at(alice.person.handle)),
        ]
        for head in heads {
            for length in ["4294967296", "18446744073709551615"] {
                let text = head + "Authorization: Bearer \(alice.person.token)\r\nContent-Length: \(length)\r\n\r\n"
                let answer = await (try Stranger(to: relay.server.address)).ask(text)
                #expect(answer.hasPrefix("HTTP/1.1 4"), "\(head): \(answer)")
            }
        }
        await relay.server.stop()
    }

    @Test("who claims without end has ten key packages of an account in an hour, and none but that of last resort")
    func claims() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let bundles = try (0..<20).map { _ in try bob.bundle() } + [bob.bundle(isLastResort: true)]
        #expect(try await bob.publish(bundles).status == 200)
        var (given, refused) = (0, 0)
        for _ in 0..<Count.of(few: 200, full: 10_000) {
            let claim = ClaimRequest(id: .random(), room: .random())
            let answer = try await alice.person.ask(Routes.claimKeyPackages.at(bob.person.handle), claim)
            if answer.status == 200 {
                given += 1
            } else {
                #expect(answer.apiError?.code == .rateLimited)
                refused += 1
            }
        }
        #expect(given == ClaimKeyPackages.hourly && refused > 0)
        let left: KeyPackageCount = try await bob.person.ask(.get, Routes.keyPackages.path).value()
        #expect(left == KeyPackageCount(left: 20, hasLastResort: true))
        await relay.server.stop()
    }
}
