import Foundation
import MildamClientCore
import MildamClientStore
import MildamContent
import MildamIdentity
import MildamProfile
import MildamRoomRules
import Testing

@testable import MildamMessenger

@Suite("Rooms that are MLS groups, over a relay")
struct GroupRoomsTests {
    @Test("made, joined, talked in both ways, renamed, and put out of; and brought in again")
    func life() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let room = try await alice.makeRoom("garden")
        #expect(await alice.overview(of: room)?.info?.name == "garden")
        try await alice.invite(bob, to: room)
        try await alice.say("hello", in: room)
        try await bob.say("hello yourself", in: room)
        try await until { try await alice.texts(in: room) == ["hello", "hello yourself"] }
        try await until { try await bob.texts(in: room) == ["hello", "hello yourself"] }
        try await bob.get(.rename(RoomInfo(name: "orchard")), in: room)
        try await until { await alice.overview(of: room)?.info?.name == "orchard" }
        try await expectSame([alice, bob], in: room)

        let account = try await alice.rooms.find(bob.handle).account
        try await alice.get(.remove(account), in: room)
        try await until { await bob.standing(in: room) == .removed }
        let unheard = try await bob.begin(.say(try TextContent("wait").part, inReplyTo: nil, blobs: []), in: room)
        #expect(await bob.rooms.outcome(of: unheard) == .failed(code: "no-member"))
        #expect(try await bob.texts(in: room) == ["hello", "hello yourself"], "what was read stays")

        try await alice.invite(bob, to: room)
        try await bob.say("back", in: room)
        try await until { try await alice.texts(in: room).last == "back" }
        await house.stop()
    }

    @Test("three, of whom one is away: what they write there goes out when they are back, as another process")
    func away() async throws {
        let house = try RoomHouse()
        let (alice, carol) = (try await house.person("alice"), try await house.person("carol"))
        var bob = try await house.person("bobby")
        let room = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: room)
        try await bob.invite(carol, to: room)
        try await carol.say("one", in: room)
        try await until { [bob] in try await bob.texts(in: room) == ["one"] }
        await bob.goOffline()
        try await alice.say("two", in: room)
        try await carol.get(.rename(RoomInfo(name: "orchard")), in: room)
        let part = try TextContent("three").part
        let waiting = try await bob.begin(.say(part, inReplyTo: nil, blobs: []), in: room)
        #expect(await bob.rooms.progress(of: waiting) == .waiting(code: nil))
        #expect(try await bob.texts(in: room) == ["one"], "reading needs no relay")
        #expect(await bob.rooms.connection == .idle)

        bob = try await bob.restarted()
        guard case .done = await bob.rooms.outcome(of: waiting) else {
            Issue.record("it was not sent")
            return
        }
        for person in [alice, bob, carol] {
            try await until { Array(try await person.texts(in: room).suffix(2)) == ["two", "three"] }
        }
        try await expectSame([alice, bob, carol], in: room)
        await house.stop()
    }

    @Test("commits at once: each wish is done once, and nobody forks")
    func atOnce() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let room = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: room)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for person in [alice, bob] {
                for number in 0..<5 {
                    group.addTask { try await person.get(.timer(UInt32(60 + number)), in: room) }
                    group.addTask { try await person.say("\(person.handle) \(number)", in: room) }
                }
            }
            try await group.waitForAll()
        }
        try await until { try await alice.texts(in: room).count == 10 }
        try await until { try await bob.texts(in: room).count == 10 }
        let (hers, his) = (try await alice.texts(in: room), try await bob.texts(in: room))
        #expect(hers == his)
        #expect(Set(hers).count == 10)
        try await expectSame([alice, bob], in: room)
        await house.stop()
    }

    @Test("the connection breaks, and the relay goes away and comes back: what was wished is so within moments")
    func broken() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let room = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: room)
        for number in 0..<3 {
            await bob.rooms.hangUp()
            try await alice.say("a\(number)", in: room)
            try await bob.say("b\(number)", in: room)
        }
        await house.stop()
        let waiting = try await alice.begin(.say(try TextContent("late").part, inReplyTo: nil, blobs: []), in: room)
        try await until { await alice.rooms.connection != .connected }
        try house.start()
        let start = ContinuousClock.now
        guard case .done = await alice.rooms.outcome(of: waiting) else {
            Issue.record("it was not sent")
            return
        }
        #expect(ContinuousClock.now - start < .seconds(20))
        try await until { try await bob.texts(in: room).last == "late" }
        #expect(try await bob.texts(in: room).count == 7)
        try await expectSame([alice, bob], in: room)
        await house.stop()
    }

    @Test("what cannot be stored has not happened, and is made up for when it can be")
    func full() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let room = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: room)
        bob.store.fill(true)
        try await alice.say("unseen", in: room)
        let part = try TextContent("lost").part
        do throws(RoomFault) {
            try await bob.rooms.wish(.say(part, inReplyTo: nil, blobs: []), in: room, as: .random())
            Issue.record("it was taken on")
        } catch {
            #expect(error.code == "not-stored")
        }
        #expect(try await bob.texts(in: room).isEmpty)
        bob.store.fill(false)
        try await until { try await bob.texts(in: room) == ["unseen"] }
        try await bob.say("there", in: room)
        try await until { try await alice.texts(in: room) == ["unseen", "there"] }
        await house.stop()
    }

    @Test("who leaves is out of it, and is told so")
    func leaving() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let room = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: room)
        try await bob.get(.leave, in: room)
        #expect(await bob.standing(in: room) == .left)
        try await until { await alice.overview(of: room)?.members?.accounts.count == 1 }
        try await alice.say("alone", in: room)
        await house.stop()
    }

    @Test("somebody without key packages has a seat, and comes in from outside")
    func seat() async throws {
        let house = try RoomHouse()
        let alice = try await house.person("alice")
        let profile = OpenProfile(folder: house.folder.file("bobby"))
        let messenger = Messenger(profile: profile)
        try await messenger.createAccount(Handle("bobby"), at: house.url, password: RoomHouse.password)
        let room = try await alice.makeRoom("garden")
        let found = try await alice.rooms.find(try Handle("bobby"))
        try await alice.get(.invite(found.account, found.identity), in: room)
        let bob = try await RoomPerson(Handle("bobby"), profile, TestRoomStore())
        try await until { await bob.standing(in: room) == .invited }
        try await bob.get(.accept, in: room)
        try await bob.say("from outside", in: room)
        try await until { try await alice.texts(in: room) == ["from outside"] }
        try await expectSame([alice, bob], in: room)
        await house.stop()
    }

    @Test("kept in the profile, they are there when another process begins")
    func disk() async throws {
        let house = try RoomHouse()
        let bob = try await house.person("bobby")
        let profile = OpenProfile(folder: house.folder.file("alice"))
        let messenger = Messenger(profile: profile)
        try await messenger.createAccount(Handle("alice"), at: house.url, password: RoomHouse.password)
        let room = RoomID.random()
        let first = try await GroupRooms(of: messenger)
        let running = Task { await first.run() }
        try await first.make(room, RoomInfo(name: "garden"), [.membersInvite])
        try await until { await first.rooms().first?.standing == .member }
        let found = try await first.find(bob.handle)
        let invited = MessageID.random()
        try await first.wish(.invite(found.account, found.identity), in: room, as: invited)
        #expect(await first.outcome(of: invited) != .unknown)
        try await until { await bob.standing(in: room) == .requested }
        try await bob.get(.accept, in: room)
        try await bob.say("hello", in: room)
        try await until { try await first.entries(of: room, .last(count: 1)).first?.account == found.account }
        running.cancel()
        await running.value

        let second = try await GroupRooms(of: Messenger(profile: profile))
        let overview = try #require(await second.rooms().first)
        #expect(overview.info?.name == "garden" && overview.members?.accounts.count == 2)
        #expect(try await second.entries(of: room, .last(count: 1)).first?.account == found.account)
        let again = Task { await second.run() }
        let said = MessageID.random()
        let part = try TextContent("back").part
        try await second.wish(.say(part, inReplyTo: nil, blobs: []), in: room, as: said)
        guard case .done = await second.outcome(of: said) else {
            Issue.record("it was not sent")
            return
        }
        try await until { try await bob.texts(in: room) == ["hello", "back"] }
        again.cancel()
        await house.stop()
    }
}
