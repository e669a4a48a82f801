import Foundation
import MildamGroupKey
import MildamIdentity
import Testing

@testable import MildamMessenger

@Suite("protocol.md, Authenticity of content: what a room accepts")
struct RoomLedgerTests {
    private typealias Details = Conversation.Details
    private let hello = RoomContent.Event.text(body: "hello")

    @Test func accepted() throws {
        var room = try Conversation()
        let entry = try room.take(hello, from: room.bob)
        #expect(entry.outcome == .accepted(event: hello))
        #expect(entry.number == 11 && entry.written == 1234 && entry.sender?.text == "bob")
        #expect(entry.missingBefore == 0 && room.ledger.seen.number == 11)
    }

    // MARK: Counters

    @Test("A count that came before", arguments: [1, 2, 3] as [UInt64])
    func repeated(_ counter: UInt64) throws {
        var room = try Conversation()
        for _ in 0..<3 { try room.take(hello, from: room.bob) }
        #expect(try room.take(hello, from: room.bob, Details(counter: counter)).refusal == .repeated)
        #expect(try room.take(hello, from: room.bob, Details(counter: 4)).refusal == nil)
    }

    @Test func aGapIsShownAndCountedPerDevice() throws {
        var room = try Conversation()
        try room.take(hello, from: room.bob)
        #expect(try room.take(hello, from: room.bob, Details(counter: 5)).missingBefore == 3)
        #expect(try room.take(hello, from: room.bob).missingBefore == 0)
        #expect(try room.take(hello, from: room.carol, Details(counter: 1)).refusal == nil)
        #expect(try room.take(hello, from: room.bob, Details(counter: .max)).missingBefore == .max - 7)
        #expect(try room.take(hello, from: room.bob, Details(counter: .max)).refusal == .repeated)
    }

    @Test func aRefusedMessageUsesNoCount() throws {
        var room = try Conversation()
        try room.take(hello, from: room.bob)
        #expect(try room.take(hello, from: room.bob, Details(counter: 2, generation: 9)).refusal == .misplaced)
        let next = try room.take(hello, from: room.bob, Details(counter: 2))
        #expect(next.refusal == nil && next.missingBefore == 0)
    }

    @Test func ownCountGoesOnFromWhatWasSeenOrSent() throws {
        var room = try Conversation()
        #expect(room.ledger.nextCounter(of: room.alice.address) == 1)
        try room.take(hello, from: room.alice, Details(counter: 4))
        #expect(room.ledger.nextCounter(of: room.alice.address) == 5)
        room.ledger.sent = 8
        #expect(room.ledger.nextCounter(of: room.alice.address) == 9)
    }

    // MARK: History

    @Test func anotherHistoryIsFoundOut() throws {
        var room = try Conversation()
        let other = Data(repeating: 7, count: 32)
        func seen(_ number: UInt64) -> Details {
            var seen = room.ledger.seen
            (seen.number, seen.hash) = (number, other)
            return Details(seen: seen)
        }
        // The last message taken in, three times, and then one before it.
        for number in [10, 11, 12, 12] as [UInt64] {
            #expect(try room.take(hello, from: room.bob, seen(number)).refusal == .differentHistory, "seen \(number)")
        }
        // Of what lies before this device's own view it cannot tell.
        for number in [0, 1, 9] as [UInt64] {
            #expect(try room.take(hello, from: room.bob, seen(number)).refusal == nil, "seen \(number)")
        }
    }

    @Test func anEarlierMomentOfTheSameHistoryIsFine() throws {
        var room = try Conversation()
        let start = room.ledger.seen
        try room.take(hello, from: room.bob)
        let middle = room.ledger.seen
        try room.take(hello, from: room.bob)
        #expect(try room.take(hello, from: room.carol, Details(seen: middle)).refusal == nil)
        #expect(try room.take(hello, from: room.carol, Details(seen: start)).refusal == nil)
        var lying = middle
        lying.hash = start.hash
        #expect(try room.take(hello, from: room.carol, Details(seen: lying)).refusal == .differentHistory)
    }

    @Test("Nobody has seen this message, or one after it", arguments: [0, 1, .max - 11] as [UInt64])
    func fromTheFuture(_ ahead: UInt64) throws {
        var room = try Conversation()
        var seen = room.ledger.seen
        seen.number = 11 + ahead
        #expect(try room.take(hello, from: room.bob, Details(seen: seen)).refusal == .differentHistory)
    }

    // MARK: What did not open

    @Test(
        "Kept, shown and counted in the history; nothing else changes",
        arguments: zip(
            [OpenFailure.noKey, .damaged, .badSignature, .notAMember, .notUnderstood],
            [RoomEntry.Refusal.noKey, .damaged, .badSignature, .notAMember, .notUnderstood]
        )
    )
    func notOpened(_ failure: OpenFailure, _ reason: RoomEntry.Refusal) throws {
        var room = try Conversation()
        let before = room.ledger
        let entry = try room.take(.left, from: room.bob, Details(failure: failure))
        #expect(entry.refusal == reason && entry.written == 99)
        #expect(room.ledger.members == before.members && room.ledger.counters == before.counters)
        #expect(room.ledger.renewalDue == false && room.ledger.generation == 1)
        #expect(room.ledger.seen.number == before.seen.number + 1 && room.ledger.seen.hash != before.seen.hash)
    }

    @Test func whatTheLayerBelowSays() {
        let table: [(GroupKeyError, RoomEntry.Refusal)] = [
            (.malformed, .damaged), (.badSignature, .badSignature), (.notForUs, .damaged), (.damaged, .damaged),
            (.unknownContent, .notUnderstood), (.cryptography, .damaged),
        ]
        for (error, refusal) in table { #expect(OpenFailure(error).refusal == refusal) }
    }

    @Test func aStrangerIsRefusedWhateverTheySay() throws {
        var room = try Conversation()
        for event in [hello, .left, .renewed, .invited(member: room.stranger.member)] {
            let entry = try room.take(event, from: room.stranger)
            #expect(entry.refusal == .notAMember && entry.sender == nil)
        }
        #expect(room.ledger.members.count == 3)
    }
}

@Suite("protocol.md, Group-key rooms: changes of members and generations")
struct MembershipTests {
    private typealias Details = Conversation.Details
    private let hello = RoomContent.Event.text(body: "hello")

    @Test("Text and files in another generation than the present one", arguments: [0, 2, 3, .max] as [UInt32])
    func otherGeneration(_ generation: UInt32) throws {
        var room = try Conversation()
        #expect(try room.take(hello, from: room.bob, Details(generation: generation)).refusal == .misplaced)
        #expect(room.ledger.generation == 1)
    }

    // MARK: Making a room

    @Test func aRoomIsMadeByItsFirstMessageOnly() throws {
        var room = try Conversation(from: 0)
        #expect(try room.take(.created(name: "first"), from: room.bob).refusal == nil)
        #expect(room.ledger.name == "first")
        #expect(try room.take(.created(name: "second"), from: room.bob).refusal == .misplaced)
        #expect(room.ledger.name == "first")
        var later = try Conversation(from: 10)
        #expect(try later.take(.created(name: "late"), from: later.bob).refusal == .misplaced)
    }

    @Test(
        "Names that no invitation may carry",
        arguments: ["", " ", "\u{3000}\u{200B}"] + [256, 10_000].map { String(repeating: "n", count: $0) }
    )
    func names(_ name: String) throws {
        var room = try Conversation(from: 0)
        #expect(try room.take(.created(name: name), from: room.bob).refusal == .misplaced)
        #expect(room.ledger.name == "room")
    }

    @Test func aRoomOfOnesOwn() throws {
        let alice = try Person("alice")
        let ledger = RoomLedger(creating: .random(), name: "mine", by: alice.member)
        #expect(ledger.standing == .member && ledger.generation == 1 && ledger.members == [alice.member])
        #expect(ledger.history == .start && ledger.invitedBy == nil)
    }

    // MARK: Inviting

    @Test func invited() throws {
        var room = try Conversation()
        let dave = try Person("dave")
        #expect(try room.take(.invited(member: dave.member), from: room.bob).refusal == nil)
        #expect(room.ledger.member(dave.member.account) == dave.member && room.ledger.generation == 1)
        #expect(try room.take(hello, from: dave).refusal == nil)
    }

    @Test func nobodyIsInvitedTwiceNorUnderAMembersHandle() throws {
        var room = try Conversation()
        #expect(try room.take(.invited(member: room.carol.member), from: room.bob).refusal == .misplaced)
        let posing = try Person("carol")
        #expect(try room.take(.invited(member: posing.member), from: room.bob).refusal == .misplaced)
        let swapped = Member(
            account: room.carol.member.account,
            handle: room.carol.member.handle,
            identityKey: posing.member.identityKey
        )
        #expect(try room.take(.invited(member: swapped), from: room.bob).refusal == .misplaced)
        #expect(room.ledger.members == [room.alice.member, room.bob.member, room.carol.member])
    }

    @Test func onesOwnInvitationChangesNothing() throws {
        var room = try Conversation()
        #expect(try room.take(.invited(member: room.alice.member), from: room.bob).refusal == nil)
        #expect(room.ledger.members.count == 3)
        for handle in ["alice", "bob", "erin"] {
            let other = try Person(handle).member
            let lie = Member(
                account: room.alice.member.account,
                handle: other.handle,
                identityKey: other.identityKey
            )
            #expect(try room.take(.invited(member: lie), from: room.bob).refusal == .misplaced)
        }
    }

    @Test func aFullRoomTakesNobody() throws {
        var room = try Conversation()
        for number in 3..<RoomInvitation.maximumMembers {
            room.ledger.members.append(
                Member(
                    account: .random(),
                    handle: try Handle("m\(number)x"),
                    identityKey: room.bob.member.identityKey
                )
            )
        }
        let dave = try Person("dave")
        #expect(try room.take(.invited(member: dave.member), from: room.bob).refusal == .misplaced)
        #expect(room.ledger.members.count == RoomInvitation.maximumMembers)
    }

    @Test func inTheWrongGenerationOrWhileAKeyIsDue() throws {
        var room = try Conversation()
        let dave = RoomContent.Event.invited(member: try Person("dave").member)
        for generation in [0, 2, 7] as [UInt32] {
            #expect(try room.take(dave, from: room.bob, Details(generation: generation)).refusal == .misplaced)
        }
        try room.take(.left, from: room.carol)
        #expect(try room.take(dave, from: room.bob).refusal == .misplaced)
    }

    // MARK: Removing

    @Test func removed() throws {
        var room = try Conversation()
        let entry = try room.take(.removed(account: room.carol.member.account), from: room.bob)
        #expect(entry.refusal == nil && entry.removed == room.carol.member.handle)
        #expect(room.ledger.generation == 2 && room.ledger.member(room.carol.member.account) == nil)
        #expect(try room.take(hello, from: room.carol).refusal == .notAMember)
        #expect(try room.take(hello, from: room.bob, Details(generation: 1)).refusal == .misplaced)
        #expect(try room.take(hello, from: room.bob).refusal == nil)
    }

    @Test func removingOneselfOrInTheWrongGeneration() throws {
        var room = try Conversation()
        let carol = room.carol.member.account
        #expect(try room.take(.removed(account: room.bob.member.account), from: room.bob).refusal == .misplaced)
        for generation in Self.generationsNotAhead {
            let entry = try room.take(.removed(account: carol), from: room.bob, Details(generation: generation))
            #expect(entry.refusal == .misplaced)
        }
        #expect(room.ledger.members.count == 3 && room.ledger.generation == 1)
    }

    @Test("Whom only the relay lists is put out by a new key alone")
    func aStrangerIsRemoved() throws {
        var room = try Conversation()
        let members = room.ledger.members
        #expect(try room.take(.removed(account: room.stranger.member.account), from: room.bob).refusal == nil)
        #expect(room.ledger.members == members && room.ledger.generation == 2)
    }

    @Test("Generations that the relay gave to changes which nobody believes are passed over")
    func passedOver() throws {
        for ahead in [2, 3, 1_000_000] as [UInt32] {
            var room = try Conversation()
            #expect(try room.take(.renewed, from: room.bob, Details(generation: 1 + ahead)).refusal == nil)
            #expect(room.ledger.generation == 1 + ahead)
        }
        var room = try Conversation()
        room.ledger.generation = UInt32(Int32.max) - 1
        #expect(room.ledger.generationsAhead.isEmpty)
        room.ledger.generation = .max
        #expect(room.ledger.generationsAhead.isEmpty)
    }

    @Test func aRemovalIsAlsoARenewal() throws {
        var room = try Conversation()
        try room.take(.left, from: room.carol)
        let dave = room.bob.member.account
        #expect(room.ledger.renewalDue)
        #expect(try room.take(.removed(account: dave), from: room.alice).refusal == nil)
        #expect(!room.ledger.renewalDue && room.ledger.generation == 2)
    }

    // MARK: Leaving and renewing

    @Test func leavingAsksForANewKeyBeforeAnythingIsSaid() throws {
        var room = try Conversation()
        #expect(try room.take(.left, from: room.carol).refusal == nil)
        #expect(room.ledger.renewalDue && room.ledger.member(room.carol.member.account) == nil)
        #expect(room.ledger.generation == 1 && room.ledger.standing == .member)
        #expect(try room.take(hello, from: room.bob).refusal == .misplaced)
        #expect(try room.take(hello, from: room.carol).refusal == .notAMember)
        #expect(try room.take(.renewed, from: room.bob).refusal == nil)
        #expect(!room.ledger.renewalDue && room.ledger.generation == 2)
        #expect(try room.take(hello, from: room.bob).refusal == nil)
    }

    @Test func severalLeaveDownToTheLast() throws {
        var room = try Conversation()
        for person in [room.carol, room.bob, room.alice] {
            #expect(try room.take(.left, from: person).refusal == nil)
        }
        #expect(room.ledger.members.isEmpty && room.ledger.standing == .left)
    }

    @Test func leavingIsOfThePresentGeneration() throws {
        var room = try Conversation()
        for generation in [0, 2, 5] as [UInt32] {
            #expect(try room.take(.left, from: room.bob, Details(generation: generation)).refusal == .misplaced)
        }
        #expect(room.ledger.members.count == 3 && !room.ledger.renewalDue)
    }

    private static let generationsNotAhead: [UInt32] = [0, 1, UInt32(Int32.max), .max]

    @Test func aRenewalIsOfAComingGeneration() throws {
        var room = try Conversation()
        try room.take(.left, from: room.carol)
        for generation in Self.generationsNotAhead {
            #expect(try room.take(.renewed, from: room.bob, Details(generation: generation)).refusal == .misplaced)
        }
        #expect(try room.take(.renewed, from: room.bob).refusal == nil)
        #expect(room.ledger.generation == 2 && !room.ledger.renewalDue)
    }

    @Test("Another account's device of the same id has a count of its own")
    func aDeviceIdThatAnotherChose() throws {
        var room = try Conversation()
        try room.take(hello, from: room.bob)
        let posing = Person(room.carol, device: room.bob.keys.device)
        #expect(try room.take(hello, from: posing, Details(counter: .max)).refusal == nil)
        #expect(try room.take(hello, from: room.bob, Details(counter: 2)).refusal == nil)
        #expect(room.ledger.nextCounter(of: room.bob.address) == 3)
    }
}
