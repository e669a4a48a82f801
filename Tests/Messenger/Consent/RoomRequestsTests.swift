import Foundation
import MildamIdentity
import Testing

@testable import MildamMessenger

@Suite("Rooms that strangers want one in")
struct RoomRequestsTests {
    private var requests = RoomRequests()
    private var last: Int64 = 0

    private mutating func add(
        from account: AccountID,
        for room: RoomID = .random(),
        isKnown: Bool = false,
        epoch: UInt64 = 1
    ) -> RoomRequests.Outcome {
        last += 1
        return requests.add(
            RoomRequests.Item(
                number: last,
                account: account,
                room: room,
                generation: 0,
                epoch: epoch,
                size: 400,
                received: last,
                isKnown: isKnown
            )
        )
    }

    @Test mutating func oneItemForARoom() throws {
        let (mallory, eve, room) = (AccountID.random(), AccountID.random(), RoomID.random())
        #expect(add(from: mallory, for: room) == .kept(dropped: []))
        requests.name(mallory, try Handle("mallory"))
        #expect(add(from: mallory, for: room, epoch: 5) == .kept(dropped: []))
        #expect(requests.all.count == 1)
        #expect(requests.item(for: room)?.number == 1, "its number stays")
        #expect(requests.item(for: room)?.epoch == 5 && requests.item(for: room)?.handle?.text == "mallory")
        // Who comes later does not speak for who was there first.
        #expect(add(from: eve, for: room) == .full)
        #expect(requests.item(for: room)?.account == mallory)
        #expect(requests.remove([room]).map(\.number) == [1])
        #expect(add(from: eve, for: room) == .kept(dropped: []))
    }

    @Test mutating func whoAsksForMuchGivesWayToThemselves() {
        let (mallory, alice) = (AccountID.random(), AccountID.random())
        _ = add(from: alice)
        for _ in 0..<RequestBook.itemsOfOne { _ = add(from: mallory) }
        guard case .kept(let dropped) = add(from: mallory) else {
            Issue.record("there was no place")
            return
        }
        #expect(dropped.map(\.number) == [2] && requests.all.first?.account == alice)
    }

    @Test mutating func strangersDoNotCrowdOutWhoIsKnown() {
        let friend = AccountID.random()
        for _ in 0..<3 { _ = add(from: friend, isKnown: true) }
        for _ in 0..<(2 * RequestBook.items) { _ = add(from: .random()) }
        #expect(requests.all.count == RequestBook.items)
        #expect(requests.all.count(where: { $0.account == friend }) == 3)
    }

    @Test mutating func bytesAreBounded() {
        let mallory = AccountID.random()
        let rooms = (0..<3).map { _ in RoomID.random() }
        for room in rooms {
            _ = add(from: mallory, for: room)
            requests.weigh(room, RequestBook.bytesOfOne / 2)
        }
        #expect(requests.all.map(\.room) == Array(rooms.suffix(2)), "the oldest gave way")
        for _ in 0..<20 {
            let room = RoomID.random()
            _ = add(from: .random(), for: room)
            requests.weigh(room, RequestBook.bytesOfOne)
        }
        #expect(requests.all.reduce(0) { $0 + $1.size } <= RequestBook.bytes)
        requests.weigh(.random(), 5)
    }

    @Test func recordsFromBeforeThereWereSuchRoomsAreRead() throws {
        var consent = Consent()
        let before = try JSONEncoder().encode(consent)
        #expect(try JSONDecoder().decode(Consent.self, from: before).roomRequests.all.isEmpty)
        let number = consent.requests.nextNumber()
        consent.roomRequests = requests
        #expect(number == 1)
        #expect(try JSONDecoder().decode(Consent.self, from: JSONEncoder().encode(consent)).roomRequests.all.isEmpty)
    }
}
