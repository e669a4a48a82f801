import Foundation
import MildamIdentity
import Testing

@testable import MildamMessenger

@Suite("Requests: what is kept, and what gives way")
struct RequestBookTests {
    private let handle: Handle

    init() throws { handle = try Handle("mallory") }

    private func arrival(_ account: AccountID, size: Int = 400, for room: RoomID = .random()) -> Arrival {
        Arrival(account: account, handle: handle, room: room, size: size)
    }

    @Test func oneSenderHasEightItems() {
        var book = RequestBook()
        let sender = AccountID.random()
        for number in 1...8 as ClosedRange<Int64> {
            #expect(book.add(arrival(sender), isKnown: false, at: number) == .kept(number, dropped: []))
        }
        #expect(book.add(arrival(sender), isKnown: false, at: 9) == .kept(9, dropped: [1]))
        #expect(book.all.map(\.number) == Array(2...9))
        #expect(
            book.all.last
                == RequestBook.Item(
                    number: 9,
                    account: sender,
                    handle: handle,
                    room: book.all[7].room,
                    size: 400,
                    received: 9,
                    isKnown: false
                )
        )
        // Another's place is their own.
        #expect(book.add(arrival(.random()), isKnown: false, at: 10) == .kept(10, dropped: []))
    }

    @Test func oneSenderHasSoManyBytes() {
        var book = RequestBook()
        let sender = AccountID.random()
        let half = RequestBook.bytesOfOne / 2
        #expect(book.add(arrival(sender, size: RequestBook.bytesOfOne + 1), isKnown: false, at: 0) == .full)
        #expect(book.add(arrival(sender, size: half), isKnown: false, at: 0) == .kept(1, dropped: []))
        #expect(book.add(arrival(sender, size: half), isKnown: false, at: 0) == .kept(2, dropped: []))
        #expect(book.add(arrival(sender, size: half + 1), isKnown: false, at: 0) == .kept(3, dropped: [1, 2]))
    }

    /// Of too much in all, the oldest of the sender who has most gives way.
    @Test func inAll() {
        var book = RequestBook()
        let loud = AccountID.random()
        let first = AccountID.random()
        _ = book.add(arrival(first), isKnown: false, at: 0)
        for _ in 0..<3 { _ = book.add(arrival(loud), isKnown: false, at: 0) }
        while book.all.count < RequestBook.items { _ = book.add(arrival(.random()), isKnown: false, at: 0) }
        #expect(book.add(arrival(.random()), isKnown: false, at: 0) == .kept(201, dropped: [2]))
        #expect(book.add(arrival(.random()), isKnown: false, at: 0) == .kept(202, dropped: [3]))
        #expect(book.all.contains { $0.account == first } && book.all.count == RequestBook.items)
        // When all have as much, the oldest.
        #expect(book.add(arrival(.random()), isKnown: false, at: 0) == .kept(203, dropped: [1]))
    }

    @Test func inAllByBytes() {
        var book = RequestBook()
        let size = RequestBook.bytesOfOne / 4
        let loud = AccountID.random()
        for _ in 0..<2 { _ = book.add(arrival(loud, size: size), isKnown: false, at: 0) }
        while book.all.reduce(size, { $0 + $1.size }) <= RequestBook.bytes {
            _ = book.add(arrival(.random(), size: size), isKnown: false, at: 0)
        }
        guard case .kept(_, dropped: [1]) = book.add(arrival(.random(), size: size), isKnown: false, at: 0) else {
            Issue.record("\(book.all.map(\.number))")
            return
        }
    }

    /// A known person's never gives way to strangers, however many of them there are.
    @Test func aKnownPersonsStay() {
        var book = RequestBook()
        let known = AccountID.random()
        for _ in 0..<8 { _ = book.add(arrival(known), isKnown: true, at: 0) }
        for _ in 0..<500 { _ = book.add(arrival(.random()), isKnown: false, at: 0) }
        #expect(book.all.count == RequestBook.items && book.all.count { $0.account == known } == 8)
    }

    /// Who claims to be known takes no more than a share: strangers find a place, and so does another known person.
    @Test func whoClaimsToBeKnownHasAShare() {
        var book = RequestBook()
        let alice = AccountID.random()
        _ = book.add(arrival(alice), isKnown: true, at: 0)
        for _ in 0..<20 {
            let claimed = AccountID.random()
            for _ in 0..<RequestBook.itemsOfOne { _ = book.add(arrival(claimed), isKnown: true, at: 0) }
        }
        #expect(book.all.count == RequestBook.itemsOfKnown && book.all.first?.account == alice)
        let strangers = RequestBook.items - RequestBook.itemsOfKnown
        for _ in 0..<strangers {
            guard case .kept(_, dropped: []) = book.add(arrival(.random()), isKnown: false, at: 0) else {
                Issue.record("no place for a stranger among \(book.all.count)")
                return
            }
        }
        // And the other way round: a known person's finds one in a full book, and pushes out their own kind alone.
        let before = book.all.filter { !$0.isKnown }
        guard case .kept = book.add(arrival(.random()), isKnown: true, at: 0) else {
            Issue.record("no place for a known person")
            return
        }
        #expect(book.all.filter { !$0.isKnown } == before)
    }

    @Test func whoClaimsToBeKnownHasSoManyBytes() {
        var book = RequestBook()
        for _ in 0..<8 { _ = book.add(arrival(.random(), size: RequestBook.bytesOfOne), isKnown: true, at: 0) }
        #expect(book.all.map(\.size).reduce(0, +) == RequestBook.bytesOfKnown)
        for _ in 0..<4 { _ = book.add(arrival(.random(), size: RequestBook.bytesOfOne), isKnown: false, at: 0) }
        #expect(book.all.map(\.size).reduce(0, +) == RequestBook.bytes)
        #expect(book.all.count { !$0.isKnown } == 4)
    }

    /// Strangers' give way to a known person's, as long as those have not all of their share.
    @Test func aKnownPersonsComeFirst() {
        var book = RequestBook()
        while book.all.count < RequestBook.items { _ = book.add(arrival(.random()), isKnown: false, at: 0) }
        #expect(book.add(arrival(.random()), isKnown: true, at: 0) == .kept(201, dropped: [1]))
    }

    /// What members send with each new key of a room follows the one request for it.
    @Test func oneQuestionForEachRoomOfASender() {
        var book = RequestBook()
        let (sender, room) = (AccountID.random(), RoomID.random())
        for _ in 0..<3 { _ = book.add(arrival(sender, for: room), isKnown: false, at: 0) }
        _ = book.add(arrival(.random(), for: room), isKnown: false, at: 0)
        _ = book.add(arrival(sender), isKnown: false, at: 0)
        #expect(book.asked.map(\.number) == [1, 4, 5])
        #expect(book.items(of: sender, for: room).map(\.number) == [1, 2, 3])
        #expect(book.remove([1, 3, 77]) == [1, 3])
        #expect(book.asked.map(\.number) == [2, 4, 5])
    }

    /// A number is given once, also after the book was closed and opened.
    @Test func numbersAreGivenOnce() throws {
        var book = RequestBook()
        _ = book.add(arrival(.random()), isKnown: false, at: 0)
        book.remove([1])
        var again = try JSONDecoder().decode(RequestBook.self, from: try JSONEncoder().encode(book))
        #expect(again.add(arrival(.random()), isKnown: false, at: 0) == .kept(2, dropped: []))
    }
}
