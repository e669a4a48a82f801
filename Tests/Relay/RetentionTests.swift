import Foundation
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamSystem
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Retention")
struct RetentionTests {
    private static let day: Int64 = 86_400

    private func sweep(_ relay: TestRelay, _ retention: Retention) async {
        let parts = relay.server.parts
        let isComplete = await withCheckedContinuation { continuation in
            Sweeper(retention, parts.commits, parts.groups, parts.clock, on: relay.server.loop).sweep {
                continuation.resume(returning: $0)
            }
        }
        #expect(isComplete)
    }

    @Test("long messages go by their bytes: no step drops much more than it may")
    func steps() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        for _ in 0..<40 { _ = try await alice.say(String(repeating: "x", count: 250_000), in: room) }
        relay.advance(seconds: 8 * Self.day)
        let parts = relay.server.parts
        let cutoff = try #require(aWeek.cutoff(at: parts.clock.milliseconds))
        // The number after the last one that is gone, step by step.
        var firsts: [UInt64] = []
        for _ in 0..<4 {
            let first: Result<UInt64, APIError> = await relay.change { facts, now throws(Missing) in
                _ = try DropMessages(cutoff: cutoff, start: []).judge(&facts, at: now)
                return .success(try facts.room(room.id)?.first ?? 0)
            }
            firsts.append(try first.get())
        }
        #expect(firsts == [18, 35, 40, 40])
        await relay.server.stop()
    }

    private var aWeek: Retention {
        var retention = Retention()
        retention.days = 7
        return retention
    }

    /// More than one part of the work, in more rooms than one part takes.
    @Test("old messages go from every room, the last one and the new ones stay, and their numbers go on")
    func messages() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        var alice = try await Person("alice", on: relay)
        var rooms: [LoneRoom] = []
        for _ in 0..<120 {
            rooms.append(try await alice.makeRoom())
            for text in ["one", "two", "three"] { _ = try await alice.say(text, in: rooms[rooms.count - 1]) }
        }
        for _ in 0..<1_200 { _ = try await alice.say("long", in: rooms[60]) }
        relay.advance(seconds: 6 * Self.day)
        alice.tokens = try await alice.refresh(alice.tokens.refresh).value()
        _ = try await alice.say("new", in: rooms[5])
        await sweep(relay, aWeek)
        #expect(try await alice.state(of: rooms[60].id).first == 1)

        relay.advance(seconds: 2 * Self.day)
        alice.tokens = try await alice.refresh(alice.tokens.refresh).value()
        await sweep(relay, aWeek)
        for (index, room) in rooms.enumerated() {
            let state = try await alice.state(of: room.id)
            #expect(state.next == (index == 60 ? 1_204 : index == 5 ? 5 : 4))
            #expect(state.first == (index == 5 ? 4 : state.next - 1))
            let gone = try await alice.ask(.get, Routes.messages.at(room.id, query: 1).text)
            #expect(gone.status == 410 && gone.apiError?.number == state.first)
        }
        let page: MessagePage = try await alice.ask(.get, Routes.messages.at(rooms[5].id, query: 4).text).value()
        #expect(page.messages.map(\.body) == [Data(rooms[5].message(Array("new".utf8)))])
        #expect(try await alice.say("goes on", in: rooms[5]).value(SendReceipt.self).number == 5)
        #expect(try relay.server.parts.bytes(of: rooms[60].id) == rooms[60].message(Array("long".utf8)).count)
        await relay.server.stop()
    }

    @Test("a room of MLS in which nothing happens forgets as others do, its commits too, and goes on")
    func quietGroups() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        var alice = try await GroupMember("alice", on: relay)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        // Fewer commits than bring a snapshot.
        for epoch in 0..<3 as Range<UInt64> {
            let path = try alice.commit(&group)
            #expect(try await alice.send(path, to: room, epoch: epoch).status == 201)
            try group.mergeStagedCommit()
            #expect(try await alice.say("text", in: &group, room, epoch: epoch + 1).status == 201)
        }
        await sweep(relay, aWeek)
        #expect(try await alice.person.state(of: room).first == 1)
        relay.advance(seconds: 8 * Self.day)
        alice.person.tokens = try await alice.person.refresh(alice.person.tokens.refresh).value()
        await sweep(relay, aWeek)
        let state = try await alice.person.state(of: room)
        #expect(state.first == 6 && state.next == 7)
        // The relay follows the group from there on, and whoever joins gets its tree.
        let target = Routes.groupTree.at(room, query: (0, 3)).text
        #expect(try await alice.person.ask(.get, target).status == 200)
        let path = try alice.commit(&group)
        #expect(try await alice.send(path, to: room, epoch: 3).status == 201)
        try group.mergeStagedCommit()
        #expect(try await alice.say("on", in: &group, room, epoch: 4).status == 201)
        await relay.server.stop()
    }

    @Test("where somebody leaves, what follows a room's last snapshot stays until a commit has let them go")
    func whoLeaves() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        var alice = try await GroupMember("alice", on: relay)
        let bob = try await GroupMember("bobby", on: relay)
        let room = RoomID.random()
        var hers = try alice.group(room)
        #expect(try await alice.create(room, hers).status == 201)
        let bundle = try bob.bundle()
        let added = try alice.commit(&hers, adding: [bundle.keyPackage])
        #expect(try await alice.send(added, to: room, epoch: 0).status == 201)
        try hers.mergeStagedCommit()
        var his = try await bob.join(room, with: bundle)
        #expect(try await bob.say("text", in: &his, room, epoch: 1).status == 201)
        let leaving = try his.proposeSelfRemove(authenticatedData: [1, 1]).message
        #expect(try await bob.send(.proposal(leaving.wireBytes), to: room, epoch: 1).status == 201)
        relay.advance(seconds: 8 * Self.day)
        alice.person.tokens = try await alice.person.refresh(alice.person.tokens.refresh).value()
        await sweep(relay, aWeek)
        #expect(try await alice.person.state(of: room).first == 1)
        // Who knows nothing of the group follows it from there.
        let store = StoreUnderTest.chosen.store(at: relay.databasePath)
        let book = GroupBook(try store.openReads(), limitsRates: false)
        let followed = try book.follow(room, try book.present(room, for: alice.person.account))
        #expect(followed.waiting == [his.ownLeaf])
        #expect(followed.group.context == hers.publicGroup.context)

        _ = try hers.process(leaving)
        let farewell = try alice.commit(&hers)
        #expect(try await alice.send(farewell, to: room, epoch: 1).status == 201)
        try hers.mergeStagedCommit()
        relay.advance(seconds: 8 * Self.day)
        alice.person.tokens = try await alice.person.refresh(alice.person.tokens.refresh).value()
        await sweep(relay, aWeek)
        #expect(try await alice.person.state(of: room).first == 4)
        #expect(try await alice.say("on", in: &hers, room, epoch: 2).status == 201)
        await relay.server.stop()
    }

    @Test("a Welcome keeps nothing: once the commits behind its tree are gone, that is gone, too")
    func welcome() async throws {
        let relay = try TestRelay { $0.limitsRates = false }
        var alice = try await GroupMember("alice", on: relay)
        var bob = try await GroupMember("bobby", on: relay)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await alice.add(bob, to: room, &group).status == 201)
        let path = try alice.commit(&group)
        #expect(try await alice.send(path, to: room, epoch: 1).status == 201)
        try group.mergeStagedCommit()
        #expect(try await bob.person.ask(.get, Routes.groupTree.at(room, query: (0, 1)).text).status == 200)
        relay.advance(seconds: 8 * Self.day)
        alice.person.tokens = try await alice.person.refresh(alice.person.tokens.refresh).value()
        bob.person.tokens = try await bob.person.refresh(bob.person.tokens.refresh).value()
        await sweep(relay, aWeek)
        let mail: MailboxPage = try await bob.person.ask(.get, Routes.mailbox.at(query: 1).text).value()
        #expect(mail.items.map(\.kind) == [.welcome])
        #expect(try await bob.person.ask(.get, Routes.groupTree.at(room, query: (0, 1)).text).status == 410)
        #expect(try await bob.person.ask(.get, Routes.groupTree.at(room, query: (0, 2)).text).status == 200)
        await relay.server.stop()
    }

    @Test("nothing goes where nothing is said of it, but for uploads that nobody goes on with")
    func blobs() async throws {
        let relay = try TestRelay()
        var alice = try await Person("alice", on: relay)
        let group = try LoneRoom(of: alice)
        let room = group.id
        #expect(try await alice.make(group).status == 201)
        #expect(try await alice.say("older", in: group).status == 201)
        let (whole, half) = (BlobID.random(), BlobID.random())
        _ = try await alice.ask(.put, Routes.blob.at(BlobPlace(room, whole)).path + "?size=1&offset=0", body: [1])
        _ = try await alice.ask(.put, Routes.blob.at(BlobPlace(room, half)).path + "?size=2&offset=0", body: [1])
        #expect(try await alice.say("old", in: group, blobs: [whole]).status == 201)
        relay.advance(seconds: 400 * Self.day)
        let again = try await relay.ask(alice.loginRequest())
        alice.tokens = try again.value()
        await sweep(relay, Retention())
        #expect(try await alice.state(of: room).first == 1)
        #expect(try await alice.ask(.get, Routes.blob.at(BlobPlace(room, whole)).path).status == 200)
        #expect(try await alice.ask(.get, Routes.blob.at(BlobPlace(room, half)).path).status == 404)
        await sweep(relay, aWeek)
        #expect(try await alice.ask(.get, Routes.blob.at(BlobPlace(room, whole)).path).status == 404)
        // The files go on a thread of their own.
        #expect(await eventually { !WholeFile.exists(relay.file(of: whole, in: room)) })
        #expect(!WholeFile.exists(relay.file(of: half, in: room)))
        await relay.server.stop()
    }
}

extension RelayParts {
    /// What the store says that a room's messages take.
    fileprivate func bytes(of room: RoomID) throws -> Int {
        let answer = Handover<Result<Int, APIError>>()
        let looking = Doing<Int> { facts, _ throws(Missing) in .success(try facts.room(room)?.bytes ?? -1) }
        commits.perform(looking, for: .relay) { answer.give($0) }
        return try answer.take().get()
    }
}
