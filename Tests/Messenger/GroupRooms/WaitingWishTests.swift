import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRelay
import MildamRoomRules
import Testing

@testable import MildamMessenger

@Suite("Rooms that are MLS groups: wishes that wait, and wishes that come again")
struct WaitingWishTests {
    private func saying(_ text: String) throws -> Wish { .say(try TextContent(text).part, inReplyTo: nil, blobs: []) }

    @Test("where a thousand texts wait, the next one is refused, and those are there")
    func most() async throws {
        let house = try RoomHouse()
        let alice = try await house.person("alice")
        let garden = try await alice.makeRoom("garden")
        await alice.goOffline()
        let text = try saying("typed")
        for _ in 0..<RoomCore.mostWaiting { _ = try await alice.begin(text, in: garden) }
        await #expect(throws: RoomFault.tooManyWaiting) { _ = try await alice.begin(text, in: garden) }
        _ = try await alice.begin(.renewKeys, in: garden)
        #expect(await alice.overview(of: garden)?.wishes.count == RoomCore.mostWaiting + 1)
        await house.stop()
    }

    @Test("what was said is not said again under its id, by a process that does not remember it: it is done")
    func again() async throws {
        let house = try RoomHouse()
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let garden = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: garden)
        let text = try saying("once")
        let id = try await alice.get(text, in: garden)
        guard case .done(let number?) = await alice.rooms.outcome(of: id) else {
            Issue.record("it has no number")
            return
        }
        let later = try await alice.restarted()
        #expect(await later.rooms.progress(of: id) == .unknown)
        try await later.rooms.wish(text, in: garden, as: id)
        #expect(await later.rooms.outcome(of: id) == .done(number: number))
        try await later.say("on", in: garden)
        try await until { try await bob.texts(in: garden) == ["once", "on"] }
        #expect(try await later.texts(in: garden) == ["once", "on"])
        #expect(await later.overview(of: garden)?.unsaid.isEmpty == true)
        await house.stop()
    }

    @Test("in a room that has all that it may have a text waits, and its writer can leave")
    func fullRoom() async throws {
        let house = try RoomHouse { $0.quota.roomBytes = 1 << 20 }
        let (alice, bob) = (try await house.person("alice"), try await house.person("bobby"))
        let garden = try await alice.makeRoom("garden")
        try await alice.invite(bob, to: garden)
        let long = String(repeating: "x", count: 60_000)
        var waiting: MessageID?
        for _ in 0..<40 where waiting == nil {
            let id = try await bob.begin(saying(long), in: garden)
            try await until {
                switch await bob.rooms.progress(of: id) {
                case .done: true
                case .waiting(let code): code == "busy"
                case .failed, .unknown: false
                }
            }
            if case .waiting = await bob.rooms.progress(of: id) { waiting = id }
        }
        let held = try #require(waiting)
        try await bob.get(.leave, in: garden)
        let left = try #require(await bob.overview(of: garden))
        #expect(left.standing == .left && left.unsaid.map(\.id) == [held])
        await house.stop()
    }
}
