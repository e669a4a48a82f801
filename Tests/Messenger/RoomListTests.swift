import Foundation
import MildamGroupKey
import MildamIdentity
import Testing

@testable import MildamMessenger

/// Under which device list each member of a room speaks, as the ledger keeps it.
@Suite("New keys of a device: what a room remembers")
struct RoomListTests {
    private typealias Details = Conversation.Details
    private let hello = RoomContent.Event.text(body: "hello")

    @Test func theFirstWordUnderANewListIsMarked() throws {
        var room = try Conversation()
        #expect(try room.take(hello, from: room.bob).newList == nil)
        let entry = try room.take(hello, from: room.bob, Details(list: 3))
        #expect(entry.newList == 3 && entry.hasNewKeys && entry.refusal == nil)
        #expect(room.ledger.list(of: room.bob.member.account) == 3)
        #expect(try room.take(hello, from: room.bob, Details(list: 3)).hasNewKeys == false)
        #expect(room.ledger.list(of: room.carol.member.account) == 1)
        #expect(room.ledger.memberLists == [room.bob.member.account: 3])
    }

    @Test func itNeverGoesBack() throws {
        var room = try Conversation()
        try room.take(hello, from: room.bob, Details(list: 3))
        try room.take(hello, from: room.bob, Details(list: 2))
        #expect(room.ledger.list(of: room.bob.member.account) == 3)
        // Nor when somebody puts the member out and says less of them at the next invitation.
        let bob = room.bob.member
        try room.take(.removed(account: bob.account), from: room.carol)
        #expect(room.ledger.memberLists.isEmpty)
        try room.take(.invited(member: bob, list: 1), from: room.carol)
        #expect(room.ledger.list(of: bob.account) == 3 && room.ledger.memberLists == [bob.account: 3])
    }

    @Test("A message that is refused for what it says was said under its keys all the same")
    func refused() throws {
        var room = try Conversation()
        let entry = try room.take(hello, from: room.bob, Details(generation: 9, list: 2))
        #expect(entry.refusal == .misplaced && entry.newList == 2)
        #expect(room.ledger.list(of: room.bob.member.account) == 2)
        #expect(try room.take(hello, from: room.carol, Details(failure: .badSignature, list: 2)).newList == nil)
        #expect(room.ledger.list(of: room.carol.member.account) == 1)
    }

    @Test("A newcomer speaks under the list that the invitation names, or a later one")
    func newcomer() throws {
        for (list, known) in [(nil, 1), (0, 1), (7, 7), (.max, UInt64(Int64.max) - 1)] as [(UInt64?, UInt64)] {
            var room = try Conversation()
            let dave = try Person("dave")
            try room.take(.invited(member: dave.member, list: list), from: room.bob)
            #expect(room.ledger.list(of: dave.member.account) == known)
        }
    }

    @Test func anInvitationBringsTheListsOfAll() throws {
        let (alice, bob) = (try Person("alice"), try Person("bob"))
        let invitation = RoomInvitation(
            key: RoomKey(room: .random(), generation: 2),
            name: "room",
            history: .start,
            members: [alice.member, bob.member],
            lists: [bob.member.account: 4]
        )
        let ledger = RoomLedger(invitation, by: bob.member.handle)
        #expect(ledger.list(of: bob.member.account) == 4 && ledger.list(of: alice.member.account) == 1)
        let made = RoomLedger(creating: .random(), name: "mine", by: alice.member, list: 6)
        #expect(made.list(of: alice.member.account) == 6)
    }

    @Test("Who is invited by the envelope of a new key begins with the message that brought it")
    func aViewThatBeginsWithANewKey() throws {
        for event in [RoomContent.Event.renewed, .removed(account: .random())] {
            var room = try Conversation()
            #expect(try room.take(event, from: room.bob, Details(generation: 1, list: 2)).refusal == nil)
            #expect(room.ledger.generation == 1 && room.ledger.list(of: room.bob.member.account) == 2)
            #expect(try room.take(event, from: room.bob, Details(generation: 1)).refusal == .misplaced)
        }
    }

    @Test("A room from before there were renewals is read, and everybody speaks under list 1")
    func fromBefore() throws {
        let room = try Conversation()
        let json = try JSONEncoder().encode(room.ledger)
        var object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(object.removeValue(forKey: "lists") != nil)
        let before = try JSONSerialization.data(withJSONObject: object)
        let ledger = try JSONDecoder().decode(RoomLedger.self, from: before)
        #expect(ledger.list(of: room.bob.member.account) == 1 && ledger.memberLists.isEmpty)
        #expect(try JSONDecoder().decode(RoomLedger.self, from: json).seen == room.ledger.seen)
    }
}
