import MildamClientAPI
import MildamIdentity
import MildamSystem
import TestSupport
import Testing

@testable import MildamMessenger

/// Who follows rooms, as `watch` and `chat` do, over real sockets.
@Suite("Following rooms from one client to the next")
struct RoomFollowerTests {
    /// What somebody who follows was told.
    private final class Told: Sendable {
        private let state = Lock(
            (texts: [String](), unsent: [String](), failures: [String](), links: 0, isAround: false)
        )

        var texts: [String] { state.withLock { $0.texts } }
        var unsent: [String] { state.withLock { $0.unsent } }
        var failures: [String] { state.withLock { $0.failures } }
        var links: Int { state.withLock { $0.links } }
        /// Whether all was looked at that there is: what is said from then on is new.
        var isAround: Bool { state.withLock { $0.isAround } }

        func hear(_ event: RoomFollower.Event) {
            state.withLock { told in
                switch event {
                case .link: told.links += 1
                case .items(_, let items): told.texts += items.compactMap(\.text)
                case .unsent(_, let items): told.unsent += items.compactMap(\.text)
                case .wish(_, _, .failed(let code)): told.failures.append(code)
                case .status: told.isAround = true
                case .room, .notice, .wish, .alone: return
                }
            }
        }
    }

    private func follow(
        _ served: ServedRooms,
        after shown: [RoomID: UInt64] = [:]
    ) throws -> (Told, Task<Void, any Error>) {
        let (told, link) = (Told(), try served.link())
        let task = Task {
            var follower = RoomFollower(after: shown, next: { try served.link() }, hear: { told.hear($0) })
            try await follower.follow(from: link)
        }
        return (told, task)
    }

    private func until(
        _ location: SourceLocation = #_sourceLocation,
        _ condition: () async throws -> Bool
    ) async throws {
        for _ in 0..<400 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        Issue.record("it did not come to be", sourceLocation: location)
        throw CancellationError()
    }

    @Test func whatIsNewIsToldOnceAndInOrder() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        try await served.rooms.hear("before", from: served.carol, in: room)
        let (told, task) = try follow(served)
        // Until it has looked around, what is said may count as known.
        try await until { told.isAround }
        for number in 1...300 { try await served.rooms.hear("\(number)", from: served.carol, in: room) }
        try await until { told.texts.count >= 300 }
        #expect(told.texts == (1...300).map { "\($0)" })
        task.cancel()
        try await task.value
    }

    @Test func aGivenRoomIsToldFromANumberOn() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        for number in 1...450 { try await served.rooms.hear("\(number)", from: served.carol, in: room) }
        let (told, task) = try follow(served, after: [room: 40])
        try await until { told.texts.count >= 410 }
        #expect(told.texts == (41...450).map { "\($0)" })
        task.cancel()
        try await task.value
    }

    /// The window is hung up on, as by a client that ends: what was said meanwhile is told by the next one.
    @Test func theNextClientGoesOn() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        let (told, task) = try follow(served)
        try await until { told.isAround }
        try await served.rooms.hear("one", from: served.carol, in: room)
        try await until { told.texts == ["one"] }
        await served.server.drain(within: .zero)
        for text in ["two", "three"] { try await served.rooms.hear(text, from: served.carol, in: room) }
        try await until { told.links == 2 && told.texts.count >= 3 }
        #expect(told.texts == ["one", "two", "three"])
        task.cancel()
        try await task.value
    }

    @Test func whatWaitsAndWhatIsDropped() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        let (told, task) = try follow(served)
        try await until { told.isAround }
        await served.rooms.set(away: true)
        let key = MessageID.random()
        #expect(try await link.ask(.send(room: room, text: "later", id: key)) == .wished(id: key))
        try await until { told.unsent.contains("later") }
        guard case .outbox(let waiting, false) = try await link.ask(.outbox()) else { throw ClientLinkError.ended }
        #expect(waiting.compactMap(\.item.key) == [key] && waiting.compactMap(\.name) == ["kitchen"])
        #expect(try await link.ask(.drop(room: room, message: key)) == .done)
        try await until { told.failures == ["dropped"] }
        let gone = ClientLinkError.refused(ClientError(.notWaiting, ["message": "\(key)"]))
        await #expect(throws: gone) { try await link.ask(.drop(room: room, message: key)) }
        #expect(try await link.ask(.outbox()) == .outbox(waiting: [], hasMore: false))
        #expect(told.texts.isEmpty)
        task.cancel()
        try await task.value
    }

    @Test func aRoomIsReadAsFarAsTheRelayHasIt() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        #expect(try await link.ask(.catchUp(room: room, seconds: 5)) == .caughtUp(isRead: true))
        await served.rooms.set(away: true)
        let code = try #require(ClientError.Code(rawValue: "unreachable"))
        let away = ClientAnswer.caughtUp(isRead: false, fault: ClientError(code))
        #expect(try await link.ask(.catchUp(room: room, seconds: 5)) == away)
        guard case .status(let status) = try await link.ask(.reach(seconds: 5)) else { throw ClientLinkError.ended }
        #expect(!status.isConnected && status.fault?.code == code)
        let unknown = RoomID.random()
        await #expect(throws: ClientLinkError.refused(ClientError(.noSuchRoom, ["room": "\(unknown)"]))) {
            try await link.ask(.catchUp(room: unknown, seconds: 5))
        }
    }

    @Test func pagesAreWhole() async throws {
        let served = try ServedRooms()
        let link = try served.link()
        let room = try await link.made("kitchen")
        let long = String(repeating: "밀", count: 15_000)
        for number in 1...450 {
            try await served.rooms.hear(number == 7 ? long : "\(number)", from: served.carol, in: room)
        }
        let texts = (1...450).map { $0 == 7 ? long : "\($0)" }
        let pages = RoomPages(of: room, from: link)
        let all = try await pages.last(1_000)
        #expect(all.items.compactMap(\.text) == texts && !all.hasEarlier)
        #expect(try await pages.since(1).items.compactMap(\.text) == texts)
        #expect(try await pages.since(440).items.compactMap(\.text) == Array(texts.suffix(11)))
        let some = try await pages.last(250)
        #expect(some.items.compactMap(\.text) == Array(texts.suffix(250)) && some.hasEarlier)
        #expect(try await pages.last(1).items.compactMap(\.text) == ["450"])
    }
}
