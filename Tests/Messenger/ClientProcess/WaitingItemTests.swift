import MildamClientAPI
import MildamContent
import MildamIdentity
import Testing

@testable import MildamClientCore
@testable import MildamMessenger

@Suite("What waits to be said, as windows draw it")
struct WaitingItemTests {
    @Test("Why something could not be said is as long as a line may have it, and all of its words can be had")
    func longCodes() async throws {
        let long = String(repeating: "r", count: LineLimits.code + 20)
        let room = RoomID.random()
        var typed = Intent(.say(try TextContent("typed").part, inReplyTo: nil, blobs: []), id: .random(), wished: 1)
        typed.progress = .unsaid(code: long)
        let overview = RoomOverview(
            room: room,
            standing: .removed,
            info: nil,
            generation: 0,
            epoch: nil,
            epochAuthenticator: nil,
            members: nil,
            last: 0,
            isLogRead: true,
            wishes: [],
            trouble: nil,
            unsaid: [typed]
        )
        let book = MemoryBook()
        await book.put(unsaid: UnsaidText(id: .random(), room: room, at: 1, text: "earlier", code: long))
        let view = RoomView(rooms: MemoryRooms(), book: book)
        let items = await view.waiting(overview)
        #expect(items.map(\.text) == ["earlier", "typed"])
        #expect(items.allSatisfy { $0.state == .failed(code: String(long.prefix(LineLimits.code))) })
        for item in items {
            let key = try #require(item.key)
            #expect(await view.unsentText(key, in: overview) == item.text)
        }
        #expect(await view.unsentText(.random(), in: overview) == nil)
        let unsent = items.map { UnsentItem(room: room, item: $0, isUnderWay: false) }
        #expect(throws: Never.self) { try ClientLine.bytes(of: .ok(id: 1, .outbox(waiting: unsent, hasMore: false))) }
    }
}
