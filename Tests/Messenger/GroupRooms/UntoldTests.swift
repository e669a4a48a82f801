import HouseSupport
import MildamClientCore
import MildamIdentity
import MildamProfile
import MildamRelayAPI
import MildamSystem
import MildamTransport
import Testing

@testable import MildamMessenger

@Suite("Rooms that are MLS groups: what the relay has not told of")
struct UntoldTests {
    /// alice, and bob, who is strange to her and whose relay may keep to itself what comes.
    private struct Scene {
        let house: RoomHouse
        let proxy: TamperingProxy
        let alice, bob: RoomPerson

        init() async throws {
            house = try RoomHouse()
            proxy = try TamperingProxy.start(before: house.url)
            alice = try await house.person("alice")
            let (name, profile) = (try Handle("bobby"), OpenProfile(folder: house.folder.file("bobby")))
            try await Messenger(profile: profile).createAccount(name, at: proxy.url, password: RoomHouse.password)
            let bob = try await RoomPerson(name, profile, TestRoomStore())
            try await until { try await bob.rooms.stock() > 0 }
            self.bob = bob
        }

        /// alice brings bob in.
        func invite() async throws -> RoomID {
            let room = try await alice.makeRoom("garden")
            let found = try await alice.rooms.find(bob.handle)
            try await alice.get(.invite(found.account, found.identity), in: room)
            return room
        }

        /// alice brings bob in, whose client then follows the room.
        func inviteAndFollow() async throws -> RoomID {
            let room = try await invite()
            try await until { await bob.standing(in: room) == .requested }
            try await bob.get(.accept, in: room)
            try await until { await bob.rooms.follows(room) }
            return room
        }

        func end() async {
            proxy.stop()
            await house.stop()
        }
    }

    /// A relay tells of what comes from its first word on. This one says it when an invitation has come, and does not tell of that.
    @Test("what came before its first word is found with it")
    func beforeItsFirstWord() async throws {
        let scene = try await Scene()
        let bob = scene.bob
        await bob.goOffline()
        let firstWord = Lock<[LiveEvent]>([])
        scene.proxy.tamperLive { event in
            switch event {
            case .hello:
                firstWord.withLock { $0 = [event] }
                return []
            case .mailbox:
                return firstWord.withLock { word in
                    defer { word = [] }
                    return word
                }
            default: return [event]
            }
        }
        bob.comeBack()
        try await until { await bob.rooms.connection == .connected && firstWord.withLock { !$0.isEmpty } }
        let garden = try await scene.invite()
        try await until { await bob.standing(in: garden) == .requested }
        #expect(firstWord.withLock { $0.isEmpty })
        await scene.end()
    }

    @Test("where it says no first word, it is asked all the same")
    func withoutAnyWord() async throws {
        let scene = try await Scene()
        let bob = scene.bob
        await bob.goOffline()
        scene.proxy.tamperLive { _ in [] }
        bob.comeBack()
        try await until { await bob.rooms.connection == .connected }
        let garden = try await scene.invite()
        try await until { await bob.standing(in: garden) == .requested }
        await scene.end()
    }

    /// What it tells of cannot be had at that moment.
    @Test("what could not be had when it was told of is looked for again soon")
    func toldInVain() async throws {
        let scene = try await Scene()
        let bob = scene.bob
        let refused = Lock(0)
        scene.proxy.tamper { path, _, answer in
            guard Routes.mailbox ~= path, refused.withLock({ $0 == 0 }) else { return answer }
            refused.withLock { $0 += 1 }
            return HTTPResponse(status: 503)
        }
        let garden = try await scene.invite()
        try await until { refused.withLock { $0 } == 1 }
        try await until { await bob.standing(in: garden) == .requested }
        await scene.end()
    }

    @Test("the tree of a Welcome counts as asked for once in a moment")
    func failedTree() throws {
        var failed = GroupRooms<TestRoomStore>.FailedTree()
        for now: UInt64 in [1_000, 1_001, 5_999, 6_000, 10_999, 11_000] { failed.fail(at: now) }
        #expect(failed.count == 3)
    }

    /// What is asked over the socket costs its account, which may have spent all it has: the relay says so, and not of which room.
    @Test("a room that it did not begin to tell of is asked for again")
    func refusedSubscription() async throws {
        let scene = try await Scene()
        let bob = scene.bob
        let garden = try await scene.inviteAndFollow()
        let isRefused = Lock(false)
        scene.proxy.tamperLive { event in
            guard case .message = event else { return [event] }
            return isRefused.withLock { wasRefused in
                defer { wasRefused = true }
                return wasRefused ? [event] : [.refused(error: APIError(.rateLimited, "too many requests"))]
            }
        }
        try await scene.alice.say("untold", in: garden)
        try await until { try await bob.texts(in: garden) == ["untold"] }
        #expect(isRefused.withLock { $0 })
        await scene.end()
    }

    @Test("a room beyond those that it tells of over one connection is looked at from time to time")
    func notFollowed() async throws {
        let scene = try await Scene()
        let bob = scene.bob
        let garden = try await scene.inviteAndFollow()
        scene.proxy.tamperLive { event in
            if case .message = event { [] } else { [event] }
        }
        await bob.rooms.followOthers()
        try await scene.alice.say("untold", in: garden)
        try await bob.rooms.readRooms()
        try await until { try await bob.texts(in: garden) == ["untold"] }
        #expect(await !bob.rooms.follows(garden))
        await scene.end()
    }

    /// Its list names a room whose Welcome lies in the mailbox unread: that is read, and no seat is taken (H39). Where it cannot be
    /// read, nothing is done, and that is said.
    @Test("a room that its list names is not come into past the mailbox")
    func namedByItsList() async throws {
        let scene = try await Scene()
        let bob = scene.bob
        scene.proxy.tamperLive { event in
            switch event {
            case .mailbox, .generation: []
            default: [event]
            }
        }
        let garden = try await scene.invite()
        #expect(await bob.standing(in: garden) == nil)
        scene.proxy.tamper { path, _, answer in Routes.mailbox ~= path ? HTTPResponse(status: 503) : answer }
        await #expect(throws: MessengerError.self) { try await bob.rooms.readRooms() }
        #expect(await bob.standing(in: garden) == nil)
        scene.proxy.behave()
        try await bob.rooms.readRooms()
        #expect(await bob.standing(in: garden) == .requested)
        await scene.end()
    }
}
