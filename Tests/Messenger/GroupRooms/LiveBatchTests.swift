import Foundation
import MildamIdentity
import MildamRelayAPI
import Testing

@testable import MildamClientCore
@testable import MildamMessenger

@Suite("What a relay says of rooms, as the core takes it")
struct LiveBatchTests {
    private let room = RoomID.random()
    private let other = RoomID.random()
    private let store = [UInt8](repeating: 7, count: LogPage.incarnationSize)

    private func message(
        _ number: UInt64,
        _ kind: MessageKind = .application,
        epoch: UInt64 = 4,
        id: MessageID? = .random(),
        size: Int = 3
    ) -> RoomMessage {
        RoomMessage(
            number: number,
            generation: 0,
            epoch: epoch,
            kind: kind,
            account: .random(),
            device: .random(),
            stored: 1,
            body: Data(repeating: 1, count: size),
            id: id
        )
    }

    @Test("messages that follow each other are one page")
    func pages() throws {
        let batch = try LiveBatch(
            [
                .message(room: room, message: message(3)), .message(room: room, message: message(4, .commit)),
                .message(room: other, message: message(9)), .message(room: room, message: message(6)),
                .behind(room: other, from: 12), .renewed(until: 1), .lost(room: room, first: 7, last: 8),
            ],
            store
        )
        #expect(batch.pages.map(\.room) == [room, other, room])
        #expect(batch.pages.map { $0.messages.map(\.number) } == [[3, 4], [9], [6]])
        #expect(batch.pages.map(\.last) == [4, 9, 6])
        #expect(batch.pages.map(\.epoch) == [5, 4, 4], "the one that a commit begins")
        #expect(batch.pages.allSatisfy { $0.first == 1 && $0.incarnation == store && $0.lost.isEmpty })
        #expect(batch.behind == [other: 12, room: 8])
        #expect(try LiveBatch([], store).pages.isEmpty)
    }

    @Test("what cannot be in such a room is not taken")
    func refused() {
        let odd = [
            message(0), message(1, .membership), message(1, id: nil), message(1, size: Limits.message + 1),
        ]
        for message in odd {
            #expect(throws: MessengerError.self) { try LiveBatch([.message(room: room, message: message)], []) }
        }
    }

    @Test("the numbers of a page ascend, and lie below the next one")
    func order() throws {
        func page(_ numbers: [UInt64], next: UInt64) -> MessagePage {
            MessagePage(first: 1, next: next, messages: numbers.map { message($0) })
        }
        let whole = try LogPage(page([2, 3], next: 4), of: room, store)
        #expect(whole.last == 3 && whole.epoch == 4)
        #expect(whole.incarnation == store)
        #expect(throws: MessengerError.self) { try LogPage(page([], next: 4), of: room, store) }
        var empty = page([], next: 0)
        empty.epoch = 9
        empty.lost = [LostNumbers(first: 2, last: 3)]
        let none = try LogPage(empty, of: room, store)
        #expect(none.last == 0 && none.epoch == 9 && none.lost == [2...3])
        for (numbers, next) in [([3, 2], 4), ([2, 2], 4), ([2, 4], 4)] as [([UInt64], UInt64)] {
            #expect(throws: MessengerError.self) { try LogPage(page(numbers, next: next), of: room, store) }
        }
    }

    @Test("a refusal is one of what was asked, or of who asks")
    func refusals() {
        func refusal(_ code: APIErrorCode) -> RelayRefusal? { RelayRefusal(APIError(code, "", rule: "r")) }
        #expect(refusal(.invalidCommit) == .invalidCommit(rule: "r"))
        #expect(refusal(.commitRate) == .commitRate)
        for code in [.storageFull, .quotaExceeded, .unavailable, .rateLimited] as [APIErrorCode] {
            #expect(refusal(code)?.mayPass == true, "nothing typed is lost")
        }
        for code in [.storageFull, .quotaExceeded, .commitRate] as [APIErrorCode] {
            #expect(refusal(code)?.isOfThisAlone == true, "others go on")
        }
        for code in [.unavailable, .rateLimited, .internalError] as [APIErrorCode] {
            #expect(refusal(code)?.isOfThisAlone == false, "the relay may have what was sent")
        }
        #expect(RelayRefusal(APIError(.idReused, "", number: 7)) == .idReused(number: 7))
        #expect(refusal(.idReused) == .other(code: "id_reused"))
        #expect(refusal(.notAMember) == .forbidden)
        #expect(refusal(.unauthorized) == nil)
        #expect(refusal(.linkRequired) == .other(code: "link_required"))
    }
}
