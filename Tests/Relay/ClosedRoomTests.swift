import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Rooms that are MLS groups: all accounts leave (H6)", .timeLimit(.minutes(2)))
struct ClosedRoomTests {
    /// A room of two members, in its first epoch.
    private struct Pair {
        let room: RoomID
        var hers: Group
        var his: Group

        init(_ alice: GroupMember, _ bob: GroupMember) async throws {
            let room = RoomID.random()
            var group = try alice.group(room)
            #expect(try await alice.create(room, group).status == 201)
            let bundle = try bob.bundle()
            let added = try alice.commit(&group, adding: [bundle.keyPackage])
            #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
            try group.mergeStagedCommit()
            his = try await bob.join(room, with: bundle)
            #expect(try await bob.person.ask(.delete, Routes.dropMailbox.at(query: 1).text).status == 204)
            (self.room, hers) = (room, group)
        }

        /// That somebody leaves.
        static func leaving(_ group: inout Group) throws -> GroupSendRequest.Content {
            .proposal(try group.proposeSelfRemove(authenticatedData: [1, 1]).message.wireBytes)
        }
    }

    /// What an account has caused.
    private func usage(of member: GroupMember, _ relay: TestRelay) async throws -> DiskUsage {
        let account = member.person.account
        let found: Result<DiskUsage, APIError> = await relay.change { facts, _ throws(Missing) in
            .success(try facts.usage(of: account).disk)
        }
        return try found.get()
    }

    @Test("the room closes: nobody is in it, nothing more is taken, and what it kept goes, and counts for nobody")
    func closed() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let before = (alice: try await usage(of: alice, relay), bob: try await usage(of: bob, relay))
        var made = try await Pair(alice, bob)
        let room = made.room
        let blob = BlobID.random()
        let place = Routes.blob.at(BlobPlace(room, blob)).path
        #expect(try await bob.person.ask(.put, place + "?size=1&offset=0", body: [1]).status == 200)
        let said = try made.his.protect([1]).wireBytes
        #expect(try await bob.send(.application(said), to: room, epoch: 1, blobs: [blob]).status == 201)
        // What was made before somebody leaves.
        let message = try made.hers.protect([2]).wireBytes
        let info = try made.hers.groupInfo(sendsTree: false)
        let next = try alice.group(after: made.hers)
        let path = try alice.commit(&made.hers)
        made.hers.discardStagedCommit()
        var (hers, his) = (try await Socket(alice.person), try await Socket(bob.person))

        let first = try Pair.leaving(&made.his)
        let id = MessageID.random()
        #expect(try await bob.send(first, to: room, epoch: 1, id: id).value(SendReceipt.self).number == 3)
        #expect(try await his.next() == .removed(room: room))
        let waiting = try await alice.person.state(of: room).members
        #expect(waiting == [alice.person.account, bob.person.account].sorted(), "bob is waited for")
        let list: RoomList = try await bob.person.ask(.get, Routes.rooms.path).value()
        #expect(list.rooms.isEmpty, "he is asked in by nothing")
        let (last, lastID) = (try Pair.leaving(&made.hers), MessageID.random())
        #expect(try await alice.send(last, to: room, epoch: 1, id: lastID).value(SendReceipt.self).number == 4)
        #expect(try await hers.next() == .removed(room: room))
        #expect(try await his.next() == .removed(room: room))

        for member in [alice, bob] {
            let rooms: RoomList = try await member.person.ask(.get, Routes.rooms.path).value()
            #expect(rooms.rooms.isEmpty)
            for content in [.application(message), path, last] as [GroupSendRequest.Content] {
                #expect(try await member.send(content, to: room, epoch: 1).apiError?.code == .notAMember)
            }
            for target in [Routes.group.at(room).text, Routes.messages.at(room, query: 1).text] {
                #expect(try await member.person.ask(.get, target).apiError?.code == .notAMember)
            }
        }
        #expect(try await alice.put(info, of: room, epoch: 1).apiError?.code == .notAMember)
        #expect(try await alice.renew(room, by: next, epoch: 1).apiError?.code == .notAMember)
        #expect(try await bob.create(room, bob.group(room)).apiError?.code == .roomTaken)
        // The room's id stays taken, and its last number known: by that, a retry of what closed it.
        let again = try await alice.send(last, to: room, epoch: 1, id: lastID)
        #expect(try again.value(SendReceipt.self).number == 4)
        let forgotten = try await bob.send(first, to: room, epoch: 1, id: id)
        #expect(forgotten.apiError?.code == .notAMember)
        let kept = Dictionary(grouping: try relay.allRows().rows, by: \.kind).mapValues(\.count)
        #expect(kept["room"] == 1 && kept["group"] == 1 && kept["message"] == 1)
        for kind in ["member", "group_info", "snapshot", "blob"] { #expect(kept[kind] == nil, "\(kind)") }
        #expect(await eventually { !WholeFile.exists(relay.file(of: blob, in: room)) })
        guard case .proposal(let bytes) = last else {
            Issue.record("no leaving")
            return
        }
        var hersAfter = before.alice
        hersAfter += .room
        hersAfter += .row(0)
        hersAfter += .row(bytes.count)
        #expect(try await usage(of: alice, relay) == hersAfter)
        #expect(try await usage(of: bob, relay) == before.bob)
        await relay.server.stop()
    }

    @Test("the room closes, too, once the account is deleted that was the last not to leave")
    func lastIsDeleted() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        var made = try await Pair(alice, bob)
        let leaving = try Pair.leaving(&made.hers)
        #expect(try await alice.send(leaving, to: made.room, epoch: 1).status == 201)
        var socket = try await Socket(alice.person)
        #expect(try await bob.person.ask(Routes.deleteAccount.at(), bob.person.deletion()).status == 204)
        #expect(try await socket.next() == .removed(room: made.room))
        #expect(try await alice.person.ask(.get, Routes.group.at(made.room).text).apiError?.code == .notAMember)
        let kinds = Set(try relay.allRows().rows.map(\.kind))
        #expect(kinds.isDisjoint(with: ["member", "message", "group_info", "snapshot"]))
        await relay.server.stop()
    }

    @Test("whose account is no more is not counted among those who leave, and is named by the next commit")
    func counted() {
        let people = (0..<3).map { _ in AccountID.random() }
        var room = Room(id: .random(), creator: people[0], next: 5, members: [:])
        for account in people { room.members[account] = 1 }
        room.group = RoomGroup(id: [1], treeHash: [2], handshake: 4, due: 4, pending: 1)
        let without = room.without(people[1], wasLeaving: true)
        #expect(without.members.count == 2 && without.group?.pending == 0 && without.group?.due == 4)
        // A snapshot would have no place for the one that waits.
        #expect(without.group?.wantsSnapshotToForget == false)
        let other = room.without(people[2], wasLeaving: false)
        #expect(other.members.count == 2 && other.group?.pending == 1)
        let closed = other.without(people[0], wasLeaving: false)
        #expect(closed.members.isEmpty && closed.first == closed.next)
    }
}
