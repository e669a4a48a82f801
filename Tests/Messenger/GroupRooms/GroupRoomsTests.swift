import Foundation
import MildamClientCore
import MildamClientStore
import MildamContent
import MildamCrypto
import MildamIdentity
import MildamProfile
import MildamRoomRules
import MildamSystem
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

    @Test("A room is read as far as the relay has it at that moment; without the relay, why not")
    func caughtUp() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let room = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: room)
        for number in 1...20 {
            try await alice.say("\(number)", in: room)
            #expect(try await bob.rooms.catchUp(room) == nil)
            #expect(try await bob.texts(in: room).last == "\(number)")
        }
        await house.stop()
        try await until { await bob.rooms.connection != .connected }
        #expect(try await bob.rooms.catchUp(room)?.code == "unreachable")
        guard case .waiting(let fault, _) = await bob.rooms.reach() else {
            Issue.record("it is no longer tried")
            return
        }
        #expect(fault.code == "unreachable" && fault.parameters["reason"]?.contains("mildam doctor") == true)
        // Whoever asks makes the next attempt come at once.
        try house.start()
        try await until { await bob.rooms.reach() == .connected }
        #expect(try await bob.rooms.catchUp(room) == nil)
        await #expect(throws: RoomFault.noSuchRoom(Self.nowhere)) { try await bob.rooms.catchUp(Self.nowhere) }
        await house.stop()
    }

    private static let nowhere = RoomID.random()

    @Test("What waits is dropped, and is not sent when the relay is there again")
    func dropped() async throws {
        let house = try RoomHouse()
        let alice = try await house.person("alice")
        let room = try await alice.makeRoom("garden")
        await alice.goOffline()
        func wait(_ text: String) async throws -> MessageID {
            try await alice.begin(.say(try TextContent(text).part, inReplyTo: nil, blobs: []), in: room)
        }
        let (kept, dropped) = (try await wait("kept"), try await wait("dropped"))
        try await alice.rooms.drop(dropped, in: room)
        #expect(await alice.rooms.outcome(of: dropped) == .failed(code: "dropped"))
        await #expect(throws: RoomFault("not-waiting", ["message": "\(dropped)"])) {
            try await alice.rooms.drop(dropped, in: room)
        }
        alice.comeBack()
        guard case .done = await alice.rooms.outcome(of: kept) else {
            Issue.record("it was not sent")
            return
        }
        #expect(try await alice.texts(in: room) == ["kept"])
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
        let fault = try await bob.rooms.catchUp(room)
        #expect(fault?.code == "not-stored")
        do throws(RoomFault) {
            try await bob.rooms.refresh()
            Issue.record("what cannot be stored is read")
        } catch {
            #expect(error.code == "not-stored")
        }
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

    @Test("somebody without key packages has a seat; of a stranger that is a request, and they come in from outside")
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
        try await until { await bob.standing(in: room) == .requested }
        try await bob.get(.accept, in: room)
        try await bob.say("from outside", in: room)
        try await until { await bob.overview(of: room)?.info?.name == "garden" }
        try await until { try await alice.texts(in: room) == ["from outside"] }
        try await expectSame([alice, bob], in: room)
        await house.stop()
    }

    @Test("somebody whom the person knows under another key is sent nothing, until that key is accepted")
    func otherKey() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let room = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: room)
        let messenger = Messenger(profile: alice.profile)
        let account = try await alice.rooms.find(bob.handle).account
        let seen = try #require(try await messenger.pins()[account])
        await alice.goOffline()
        try await messenger.keepPin(of: bob.handle, account, Curve25519.Signing.PrivateKey().publicKey)
        let part = try TextContent("between us").part
        let said = try await alice.begin(.say(part, inReplyTo: nil, blobs: []), in: room)
        alice.comeBack()
        try await until { await alice.rooms.progress(of: said) == .waiting(code: "identity-differs") }
        #expect(try await bob.texts(in: room).isEmpty)
        // By whatever works with this profile in the process.
        try await alice.rooms.messenger.keepPin(of: bob.handle, account, seen)
        try await until { try await bob.texts(in: room) == ["between us"] }
        await house.stop()
    }

    @Test("what could not be said is there for the next process, until it is dropped")
    func unsaid() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let room = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: room)
        let account = try await alice.rooms.find(bob.handle).account
        await bob.goOffline()
        let part = try TextContent("too late").part
        let said = try await bob.begin(.say(part, inReplyTo: nil, blobs: []), in: room)
        try await alice.get(.remove(account), in: room)
        bob.comeBack()
        try await until { await bob.overview(of: room)?.unsaid.map(\.id) == [said] }
        let next = try await bob.restarted()
        #expect(await next.overview(of: room)?.unsaid.map(\.id) == [said])
        try await next.rooms.drop(said, in: room)
        #expect(await next.overview(of: room)?.unsaid.isEmpty == true)
        await house.stop()
    }

    @Test("asked which GroupInfo is its own, each member says so")
    func groupInfo() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let room = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: room)
        try await bob.say("hello", in: room)
        try await expectSame([alice, bob], in: room)
        for person in [alice, bob] { await person.rooms.sayGroupInfo(of: room) }
        try await until { try await alice.rooms.groupInfoAccounts(of: room) == [2] }
        await house.stop()
    }

    @Test("what a client has read it acknowledges: the relay says so to the others, once all of them have it")
    func delivered() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let room = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: room)
        try await alice.say("hello", in: room)
        try await until { try await bob.texts(in: room) == ["hello"] }
        try await until {
            let numbers = try await alice.rooms.numbers(of: room)
            return numbers.delivered == numbers.last
        }
        await bob.goOffline()
        try await alice.say("anybody there?", in: room)
        let numbers = try await alice.rooms.numbers(of: room)
        #expect(try #require(numbers.delivered) < numbers.last, "bob has not read it")
        await house.stop()
    }

    @Test("who comes in knows what the room is called: by a Welcome at once, from outside soon after")
    func title() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let room = try await alice.makeRoom("garden")
        let found = try await alice.rooms.find(bob.handle)
        try await alice.get(.invite(found.account, found.identity), in: room)
        try await until { await bob.standing(in: room) != nil }
        try await bob.get(.accept, in: room)
        try await until { await bob.overview(of: room)?.info?.name == "garden" }
        let entries = try await bob.rooms.entries(of: room, .last(count: 100))
        #expect(!entries.contains { if case .content = $0.kind { true } else { false } }, "nothing was said for it")
        await house.stop()
    }

    @Test("a device with new keys has them in each of its rooms, and everybody is told (H17)")
    func newKeys() async throws {
        let house = try RoomHouse()
        let alice = try await house.person("alice")
        var bob = try await house.person("bobby")
        var rooms: [RoomID] = []
        for name in ["garden", "orchard"] {
            let room = try await alice.makeRoom(name)
            try await alice.invite(bob, to: room)
            rooms.append(room)
        }
        // While its client runs, and while it does not.
        for isRunning in [true, false] {
            if !isRunning { await bob.goOffline() }
            _ = try await Messenger(profile: bob.profile).renewKeys()
            if !isRunning { bob = try await bob.restarted() }
            #expect(try await bob.rooms.roomsWithOldKeys(within: 20).isEmpty)
            let key = try await Messenger(profile: bob.profile).roomProfile().device.signing.publicKey
            let account = try await alice.rooms.find(bob.handle).account
            for room in rooms {
                try await until {
                    let leaves = await alice.overview(of: room)?.members?.leaves(of: account)
                    let entries = try await alice.rooms.entries(of: room, .last(count: 1))
                    return leaves?.map(\.signatureKey) == [key] && entries.last?.kind == .newKeys
                        && entries.last?.account == account
                }
                try await bob.say("with new keys", in: room)
                try await alice.say("heard", in: room)
                try await expectSame([alice, bob], in: room)
            }
        }
        // Others can invite the new keys.
        try await until { [bob] in try await bob.rooms.stock() > 0 }
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

    @Test("A clock that goes wrong while they are connected is told of at the next answer that shows it")
    func clock() async throws {
        let house = try RoomHouse()
        let alice = try await house.person("alice")
        await alice.goOffline()
        let offset = Lock<Int64>(0)
        let clock = WallClock { WallClock.system.milliseconds + offset.withLock { $0 } }
        let messenger = Messenger(profile: alice.profile, clock: clock)
        let rooms = try await GroupRooms(messenger, store: alice.store)
        let running = Task { await rooms.run() }
        let room = RoomID.random()
        try await rooms.make(room, RoomInfo(name: "garden"), [.membersInvite])
        try await until { await rooms.rooms().first?.standing == .member }
        #expect(messenger.clockSkew == nil)

        let isTold = Lock(false)
        let changes = await rooms.changes()
        let listening = Task {
            for await change in changes {
                if case .connection = change { isTold.withLock { $0 = true } }
            }
        }
        offset.withLock { $0 = 90_000 }
        let said = MessageID.random()
        try await rooms.wish(.say(try TextContent("hello").part, inReplyTo: nil, blobs: []), in: room, as: said)
        guard case .done = await rooms.outcome(of: said) else {
            Issue.record("it was not sent")
            return
        }
        try await until { isTold.withLock { $0 } }
        #expect(messenger.clockSkew != nil)
        listening.cancel()
        running.cancel()
        await running.value
        await house.stop()
    }

    @Test("ended, nothing is stored by them any more, and others on the same store know what became of the wishes")
    func ended() async throws {
        let house = try RoomHouse()
        let alice = try await house.person("alice")
        let room = try await alice.makeRoom("garden")
        let said = try await alice.get(.say(try TextContent("hello").part, inReplyTo: nil, blobs: []), in: room)
        await alice.goOffline()
        let waiting = try await alice.begin(.say(try TextContent("later").part, inReplyTo: nil, blobs: []), in: room)
        let waited = Task { [rooms = alice.rooms] in await rooms.outcome(of: waiting) }
        try await Task.sleep(for: .milliseconds(100))
        let memory = await alice.rooms.retire()
        #expect(await waited.value == .waiting(code: nil), "who waits is told that it is not so yet")
        await #expect(throws: RoomFault.lent) { try await alice.begin(.timer(60), in: room) }
        await #expect(throws: RoomFault.lent) { try await alice.rooms.entries(of: room, .last(count: 1)) }

        let next = try await RoomPerson(alice.handle, alice.profile, alice.store)
        await next.rooms.remember(memory)
        guard case .done = await next.rooms.progress(of: said), case .done = await next.rooms.outcome(of: waiting)
        else {
            Issue.record("a wish is lost")
            return
        }
        #expect(try await next.texts(in: room) == ["hello", "later"])
        await house.stop()
    }
}
