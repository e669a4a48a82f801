import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules
import Testing

@testable import MildamMessenger

@Suite("What strangers ask: rooms that are MLS groups")
struct RoomRequestTests {
    private struct Scene {
        let house: RoomHouse
        let alice, bob: RoomPerson

        init() async throws {
            house = try RoomHouse()
            (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        }

        /// alice wants bob in a room of this name.
        func ask(_ name: String) async throws -> RoomID {
            let room = try await alice.makeRoom(name)
            let found = try await alice.rooms.find(bob.handle)
            try await alice.get(.invite(found.account, found.identity), in: room)
            try await until { await bob.standing(in: room) == .requested }
            return room
        }

        /// The code of what went wrong.
        func code(of body: () async throws(RoomFault) -> Void) async -> String? {
            do throws(RoomFault) {
                try await body()
                return nil
            } catch {
                return error.code
            }
        }
    }

    @Test("it is looked at and accepted, and its sender is known from then on")
    func accepted() async throws {
        let scene = try await Scene()
        let (alice, bob) = (scene.alice, scene.bob)
        let room = try await scene.ask("kitchen")
        let (waiting, blocked) = try await bob.rooms.requests(fetching: true)
        #expect(waiting.map(\.room) == [room] && waiting.first?.claimed == alice.handle && blocked.isEmpty)
        #expect((waiting.first?.size ?? 0) > 0)
        #expect(await bob.rooms.waitingRequests() == 1)

        let epoch = await alice.overview(of: room)?.epoch
        let facts = try await bob.rooms.request(alice.handle.text)
        #expect(facts.sender == alice.handle && facts.name == "kitchen" && facts.members == 2 && facts.state == .seen)
        let account = try await Messenger(profile: alice.profile).accountSummary()
        #expect(facts.fingerprint == "\(account.fingerprint)")
        let known = try await Messenger(profile: bob.profile).contacts()
        #expect(!known.contains { $0.handle == alice.handle }, "to look is to promise nothing")
        #expect(await bob.standing(in: room) == .requested)
        #expect(await alice.overview(of: room)?.epoch == epoch, "nothing was committed")

        let accepted = try await bob.rooms.acceptRequest("\(room)", joining: true)
        #expect(accepted.room == room && accepted.name == "kitchen" && accepted.sender == alice.handle)
        let wish = try #require(accepted.wish)
        guard case .done = await bob.rooms.outcome(of: wish) else {
            Issue.record("he is not in")
            return
        }
        try await alice.say("soup", in: room)
        try await until { try await bob.texts(in: room) == ["soup"] }
        #expect(try await bob.rooms.requests(fetching: true).requests.isEmpty)
        #expect(
            await scene.code { () async throws(RoomFault) in
                _ = try await bob.rooms.request("1")
            } == "unknown-request"
        )

        // From then on alice is somebody known.
        let second = try await alice.makeRoom("attic")
        let found = try await alice.rooms.find(bob.handle)
        try await alice.get(.invite(found.account, found.identity), in: second)
        try await until { await bob.standing(in: second) == .invited }
        await scene.house.stop()
    }

    @Test("of several that wait each can be accepted, the first one too")
    func several() async throws {
        let scene = try await Scene()
        var rooms: [RoomID] = []
        for name in ["kitchen", "attic", "porch", "cellar"] { rooms.append(try await scene.ask(name)) }
        for room in rooms {
            let wish = try #require(try await scene.bob.rooms.acceptRequest("\(room)", joining: true).wish)
            guard case .done = await scene.bob.rooms.outcome(of: wish) else {
                Issue.record("he is not in")
                return
            }
        }
        await scene.house.stop()
    }

    @Test("accepted without joining it is an invitation")
    func invited() async throws {
        let scene = try await Scene()
        let room = try await scene.ask("kitchen")
        let accepted = try await scene.bob.rooms.acceptRequest("1", joining: false)
        #expect(accepted.wish == nil)
        #expect(await scene.bob.standing(in: room) == .invited)
        try await scene.bob.get(.accept, in: room)
        #expect(await scene.bob.standing(in: room) == .member)
        await scene.house.stop()
    }

    @Test("declined nobody hears of it; who asked can ask again, and the room is not shown any more")
    func declined() async throws {
        let scene = try await Scene()
        let (alice, bob) = (scene.alice, scene.bob)
        let rooms = [try await scene.ask("kitchen"), try await scene.ask("attic")]
        #expect(
            await scene.code { () async throws(RoomFault) in
                _ = try await bob.rooms.acceptRequest(alice.handle.text, joining: true)
            } == "ambiguous-request"
        )
        let before = await alice.overview(of: rooms[0])?.last
        #expect(try await bob.rooms.declineRequest("1") == 1)
        #expect(await bob.overview(of: rooms[0]) == nil)
        #expect(try await bob.rooms.requests(fetching: true).requests.map(\.room) == [rooms[1]])
        try await Task.sleep(for: .milliseconds(300))
        #expect(await alice.overview(of: rooms[0])?.last == before)
        #expect(await alice.overview(of: rooms[0])?.members?.accounts.count == 2)
        #expect(try await bob.rooms.declineRequest(nil) == 1)
        #expect(try await bob.rooms.declineRequest(nil) == 0)
        // Another process does not find them again either.
        let later = try await bob.restarted()
        try await until { await later.rooms.connection == .connected }
        try await later.rooms.readMail()
        #expect(await later.rooms.rooms().isEmpty)
        #expect(await later.rooms.waitingRequests() == 0)
        await scene.house.stop()
    }

    @Test("blocked, what comes later is dropped, a seat as well; freed again they can ask")
    func blocked() async throws {
        let scene = try await Scene()
        let (alice, bob) = (scene.alice, scene.bob)
        let room = try await scene.ask("kitchen")
        let blocked = try await bob.rooms.block("1")
        #expect(blocked.handle == alice.handle && !blocked.hasPinned && blocked.claims == 1)
        #expect(await bob.overview(of: room) == nil)
        #expect(try await bob.rooms.requests(fetching: true).blocked.map(\.handle) == [alice.handle])
        let second = try await alice.makeRoom("attic")
        let found = try await alice.rooms.find(bob.handle)
        try await alice.get(.invite(found.account, found.identity), in: second)
        let later = try await bob.restarted()
        try await until { await later.rooms.connection == .connected }
        try await later.rooms.readMail()
        try await later.rooms.readRooms()
        #expect(await later.rooms.rooms().isEmpty)
        #expect(try await later.rooms.unblock(alice.handle).handle == alice.handle)
        #expect(
            await scene.code { () async throws(RoomFault) in
                _ = try await later.rooms.unblock(alice.handle)
            } == "unknown-request"
        )
        let third = try await alice.makeRoom("porch")
        try await alice.get(.invite(found.account, found.identity), in: third)
        try await until { await later.standing(in: third) == .requested }
        await scene.house.stop()
    }

    @Test("a room that goes on while its request waits is read from the invitation on")
    func waited() async throws {
        let scene = try await Scene()
        let (alice, bob) = (scene.alice, scene.bob)
        let carol = try await scene.house.person("carol")
        let room = try await scene.ask("kitchen")
        try await alice.invite(carol, to: room)
        try await alice.say("before", in: room)
        try await alice.get(.remove(try await alice.rooms.find(carol.handle).account), in: room)
        try await alice.say("after", in: room)
        let wish = try #require(try await bob.rooms.acceptRequest("1", joining: true).wish)
        guard case .done = await bob.rooms.outcome(of: wish) else {
            Issue.record("he is not in")
            return
        }
        try await until { try await bob.texts(in: room) == ["before", "after"] }
        await scene.house.stop()
    }

    @Test("what is being accepted is not left by who looks at the requests meanwhile")
    func acceptedMeanwhile() async throws {
        let scene = try await Scene()
        let bob = scene.bob
        let room = try await scene.ask("kitchen")
        let looking = Task {
            while !Task.isCancelled { try await bob.rooms.followRequests() }
        }
        try await bob.get(.accept, in: room)
        looking.cancel()
        _ = await looking.result
        #expect(await bob.standing(in: room) == .member)
        try await scene.alice.say("soup", in: room)
        try await until { try await bob.texts(in: room) == ["soup"] }
        await scene.house.stop()
    }

    @Test("what waits is there for the next process, and for who looks without the relay")
    func kept() async throws {
        let scene = try await Scene()
        let room = try await scene.ask("kitchen")
        _ = try await scene.bob.rooms.requests(fetching: true)
        let later = try await scene.bob.restarted()
        #expect(await later.standing(in: room) == .requested)
        await scene.house.stop()
        let (waiting, _) = try await later.rooms.requests(fetching: false)
        #expect(waiting.map(\.room) == [room] && waiting.first?.claimed == scene.alice.handle)
        #expect(
            await scene.code { () async throws(RoomFault) in
                _ = try await later.rooms.requests(fetching: true)
            } == "unreachable"
        )
        #expect(await later.rooms.waitingRequests() == 1, "and is not lost by that")
    }
}
