import Foundation
import MildamIdentity
import MildamRelayAPI
import Testing

@testable import MildamRelay

@Suite("The rules of a send")
struct SendRulesTests {
    private static let alice = AccountID.random()
    private static let bob = AccountID.random()
    private static let carol = AccountID.random()
    private static let bobsDevice = MailboxAddress(account: bob, device: .random())
    private static let carolsDevice = MailboxAddress(account: carol, device: .random())

    private static let room: Room = {
        var room = Room(id: .random(), creator: alice, members: [alice: 1, bob: 3])
        room.generation = 4
        room.next = 8
        return room
    }()
    private static var due: Room {
        var room = room
        room.renewalDue = true
        return room
    }

    private static let directory = SendRules.Directory(
        accounts: [carol, bob],
        mailboxes: [bobsDevice: .known, carolsDevice: .request]
    )

    private static func request(
        _ action: MembershipChange.Action? = nil,
        _ accounts: [AccountID] = [],
        generation: UInt32 = 4,
        epoch: UInt64 = 0,
        after: UInt64 = 7,
        envelopes: [MailboxAddress] = [],
        body: Data = Data([1])
    ) -> SendRequest {
        let change = action.map { action in
            MembershipChange(
                action: action,
                accounts: accounts,
                after: after,
                envelopes: envelopes.map { AddressedEnvelope(account: $0.account, device: $0.device, body: Data([2])) }
            )
        }
        return SendRequest(id: .random(), generation: generation, epoch: epoch, body: body, change: change)
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let request: SendRequest
        let error: APIErrorCode
        var room: Room? = SendRulesTests.room
        var sender = SendRulesTests.alice

        init(
            _ name: String,
            _ request: SendRequest,
            _ error: APIErrorCode,
            room: Room? = SendRulesTests.room,
            sender: AccountID = SendRulesTests.alice
        ) {
            testDescription = name
            self.request = request
            self.error = error
            self.room = room
            self.sender = sender
        }
    }

    static let refusals: [Refusal] = [
        Refusal("no room", request(), .unknownRoom, room: nil),
        Refusal("not a member", request(), .notAMember, sender: carol),
        Refusal("an older generation", request(generation: 3), .staleEpoch),
        Refusal("a later generation", request(generation: 5), .staleEpoch),
        Refusal("another epoch", request(epoch: 1), .staleEpoch),
        Refusal("renewal due", request(), .staleEpoch, room: due),
        Refusal("adding while renewal is due", request(.add, [carol]), .staleEpoch, room: due),
        Refusal("add after another number", request(.add, [carol], after: 6), .staleNumber),
        Refusal("add ahead of the room", request(.add, [carol], after: 8), .staleNumber),
        Refusal("add after the last number there is", request(.add, [carol], after: .max), .staleNumber),
        Refusal("add nobody", request(.add), .badRequest),
        Refusal("add one twice", request(.add, [carol, carol]), .badRequest),
        Refusal("add an unknown account", request(.add, [.random()]), .unknownAccount),
        Refusal("add a member", request(.add, [bob]), .alreadyAMember),
        Refusal("add in the next generation", request(.add, [carol], generation: 5), .staleEpoch),
        Refusal(
            "an envelope to a stranger",
            request(.add, [carol], envelopes: [.init(account: .random(), device: .random())]),
            .badRequest
        ),
        Refusal(
            "an envelope to an unknown device",
            request(.add, [carol], envelopes: [.init(account: carol, device: .random())]),
            .badRequest
        ),
        Refusal(
            "an envelope to a device of somebody who is no member",
            request(.renew, generation: 5, envelopes: [carolsDevice]),
            .badRequest
        ),
        Refusal(
            "an envelope to the removed",
            request(.remove, [bob], generation: 5, envelopes: [bobsDevice]),
            .badRequest
        ),
        Refusal(
            "two envelopes to one device",
            request(.renew, generation: 5, envelopes: [bobsDevice, bobsDevice]),
            .badRequest
        ),
        Refusal("remove in the same generation", request(.remove, [bob]), .staleEpoch),
        Refusal("remove two generations on", request(.remove, [bob], generation: 6), .staleEpoch),
        Refusal("remove in an epoch", request(.remove, [bob], generation: 5, epoch: 1), .staleEpoch),
        Refusal("remove after another number", request(.remove, [bob], generation: 5, after: 1), .staleNumber),
        Refusal("remove nobody", request(.remove, generation: 5), .badRequest),
        Refusal("remove oneself", request(.remove, [alice], generation: 5), .badRequest),
        Refusal("remove a stranger", request(.remove, [carol], generation: 5), .badRequest),
        Refusal("renew in the same generation", request(.renew), .staleEpoch),
        Refusal("renew with accounts", request(.renew, [bob], generation: 5), .badRequest),
        Refusal("leave with accounts", request(.leave, [bob]), .badRequest),
        Refusal("leave with envelopes", request(.leave, envelopes: [bobsDevice]), .badRequest),
        Refusal("leave in the next generation", request(.leave, generation: 5), .staleEpoch),
        Refusal("leave after another number", request(.leave, after: 2), .staleNumber),
        Refusal("an empty body", request(body: Data()), .badRequest),
        Refusal("too long a body", request(body: Data(count: Limits.message + 1)), .tooLarge),
        Refusal("too many accounts", request(.add, (0...Limits.changedMembers).map { _ in .random() }), .tooLarge),
        Refusal(
            "too many envelopes",
            request(
                .renew,
                generation: 5,
                envelopes: (0...Limits.envelopes).map { _ in .init(account: bob, device: .random()) }
            ),
            .tooLarge
        ),
    ]

    @Test("is refused", arguments: refusals)
    func refusal(_ refusal: Refusal) {
        let result = SendRules.judge(
            refusal.request,
            by: refusal.sender,
            in: refusal.room,
            knowing: Self.directory
        )
        guard case .failure(let error) = result else {
            Issue.record("allowed")
            return
        }
        #expect(error.code == refusal.error)
        if error.code == .staleEpoch { #expect(error.generation == 4 && error.epoch == 0) }
        if error.code == .staleNumber { #expect(error.number == 7) }
    }

    @Test("a body and an envelope of exactly the limit pass")
    func limits() throws {
        var request = Self.request(
            .renew,
            generation: 5,
            envelopes: [Self.bobsDevice],
            body: Data(count: Limits.message)
        )
        request.change?.envelopes[0].body = Data(count: Limits.envelope)
        _ = try judged(request)
        request.change?.envelopes[0].body = Data(count: Limits.envelope + 1)
        #expect(throws: APIError.self) { try judged(request) }
    }

    private func judged(_ request: SendRequest, in room: Room = SendRulesTests.room) throws -> Room {
        try SendRules.judge(request, by: Self.alice, in: room, knowing: Self.directory).get()
    }

    @Test("something said takes a number and changes nothing else")
    func plain() throws {
        var expected = Self.room
        expected.next = 9
        expected.bytes += Self.request().body.count
        #expect(try judged(Self.request()) == expected)
    }

    @Test("who is added reads from the message that says so")
    func add() throws {
        let after = try judged(Self.request(.add, [Self.carol], envelopes: [Self.carolsDevice, Self.bobsDevice]))
        #expect(after.members[Self.carol] == 8)
        #expect(after.generation == 4 && after.next == 9 && !after.renewalDue)
    }

    @Test("a removal begins a generation, also when one is due")
    func remove() throws {
        for room in [Self.room, Self.due] {
            let after = try judged(Self.request(.remove, [Self.bob], generation: 5), in: room)
            #expect(after.members == [Self.alice: 1])
            #expect(after.generation == 5 && !after.renewalDue && after.next == 9)
        }
    }

    @Test("a renewal begins a generation and keeps the members")
    func renew() throws {
        let after = try judged(Self.request(.renew, generation: 5, envelopes: [Self.bobsDevice]), in: Self.due)
        #expect(after.members == Self.room.members && after.generation == 5 && !after.renewalDue)
    }

    @Test("leaving makes a renewal due; two may leave, one after the other")
    func leave() throws {
        for room in [Self.room, Self.due] {
            let after = try judged(Self.request(.leave), in: room)
            #expect(after.members == [Self.bob: 3] && after.generation == 4 && after.renewalDue && after.first == 1)
        }
    }

    @Test("when the last one leaves, all but that message goes")
    func lastLeaves() throws {
        var room = Self.room
        room.members = [Self.alice: 1]
        let after = try judged(Self.request(.leave), in: room)
        #expect(after.members.isEmpty && after.first == 8 && after.next == 9)
    }

    @Test("the last generation there is cannot be followed")
    func lastGeneration() {
        var room = Self.room
        room.generation = .max
        #expect(throws: APIError.self) { try judged(Self.request(.renew, generation: 0), in: room) }
    }

    @Test("two requests are the same send only when every field is")
    func digest() {
        let request = Self.request(.add, [Self.carol], envelopes: [Self.carolsDevice])
        #expect(request.digest == request.digest)
        var others: [SendRequest] = []
        func other(_ change: (inout SendRequest) -> Void) {
            var copy = request
            change(&copy)
            others.append(copy)
        }
        other { $0.generation += 1 }
        other { $0.epoch += 1 }
        other { $0.body.append(0) }
        other { $0.change = nil }
        other { $0.change?.action = .remove }
        other { $0.change?.after += 1 }
        other { $0.change?.accounts = [Self.bob] }
        other { $0.change?.envelopes = [] }
        other { $0.change?.envelopes[0].body.append(0) }
        other { $0.change?.envelopes[0].device = .random() }
        #expect(Set((others + [request]).map(\.digest)).count == others.count + 1)
    }
}
