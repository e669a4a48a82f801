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

    /// How many bytes wait of those who claim to be known, or of the others.
    private func size(known isKnown: Bool) -> Int {
        requests.all.filter { $0.isKnown == isKnown }.reduce(0) { $0 + $1.size }
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

    /// Who claims to be known takes no more than a share: strangers find a place, and so does another known person.
    @Test mutating func whoClaimsToBeKnownHasAShare() {
        let alice = AccountID.random()
        _ = add(from: alice, isKnown: true)
        for _ in 0..<20 {
            let claimed = AccountID.random()
            for _ in 0..<RequestBook.itemsOfOne { _ = add(from: claimed, isKnown: true) }
        }
        #expect(requests.all.count == RequestBook.itemsOfKnown && requests.all.first?.account == alice)
        for _ in 0..<(RequestBook.items - RequestBook.itemsOfKnown) {
            let outcome = add(from: .random())
            guard outcome == .kept(dropped: []) else {
                Issue.record("no place for a stranger among \(requests.all.count)")
                return
            }
        }
        // And the other way round: a known person's finds one where all are taken, and pushes out their own kind alone.
        let before = requests.all.filter { !$0.isKnown }
        guard case .kept(let dropped) = add(from: .random(), isKnown: true) else {
            Issue.record("no place for a known person")
            return
        }
        #expect(dropped.count == 1 && dropped.allSatisfy(\.isKnown))
        #expect(requests.all.filter { !$0.isKnown } == before)
    }

    @Test mutating func whoClaimsToBeKnownHasSoManyBytes() {
        for _ in 0..<8 {
            let room = RoomID.random()
            _ = add(from: .random(), for: room, isKnown: true)
            requests.weigh(room, RequestBook.bytesOfOne)
        }
        #expect(size(known: true) == RequestBook.bytesOfKnown)
        for _ in 0..<8 {
            let room = RoomID.random()
            _ = add(from: .random(), for: room)
            requests.weigh(room, RequestBook.bytesOfOne)
        }
        #expect(size(known: true) == RequestBook.bytesOfKnown)
        #expect(size(known: false) == RequestBook.bytes - RequestBook.bytesOfKnown)
    }

    /// Strangers' give way to a known person's, as long as those have not all of their share.
    @Test mutating func aKnownPersonsComeFirst() {
        while requests.all.count < RequestBook.items { _ = add(from: .random()) }
        guard case .kept(let dropped) = add(from: .random(), isKnown: true) else {
            Issue.record("no place for a known person")
            return
        }
        #expect(dropped.map(\.number) == [1] && requests.all.count == RequestBook.items)
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
