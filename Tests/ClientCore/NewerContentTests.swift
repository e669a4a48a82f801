import MildamContent
import MildamIdentity
import MildamSimulate
import MildamWire
import Testing

@testable import MildamClientCore

@Suite("A client's rooms: what a newer version says counts like any other message")
struct NewerContentTests {
    /// What a later version may say: something of a kind that nobody knows, or in a form that nobody knows behind the head.
    enum Form: CaseIterable {
        case kind, body

        /// A message of this form, under the head that every version has.
        func content(_ id: MessageID, _ head: ContentHead) throws -> [UInt8] {
            let part = NestedPart(.single(type: "application/vnd.mildam.later", bytes: [1]))
            let content = try MimiContent(part, salt: id, head: head)
            guard self == .body, case .array(var fields) = try CBORValue(encoded: content.encoded) else {
                return content.encoded
            }
            fields[fields.count - 1] = .null
            return CBORValue.array(fields).encoded
        }
    }

    /// Three members, of whom the first has said something, and is away: what it says then is put into its room.
    private func prepared() throws -> (world: World, sender: RoomCore) {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        try world.say(1, "before")
        world.settle()
        world.disconnect(1)
        return (world, try #require(world.players[1]?.room()))
    }

    /// Brings what the first member says to its number.
    private func put(
        _ messages: [(id: MessageID, content: [UInt8])],
        of sender: RoomCore,
        into world: inout World
    ) throws {
        var group = try #require(sender.group)
        for (id, content) in messages {
            let message = OutgoingMessage(
                id: id,
                kind: .application,
                generation: 0,
                epoch: group.publicGroup.context.epoch,
                body: try group.protect(content, authenticatedData: MessageMark.bytes(id)).wireBytes
            )
            guard case .accepted = world.relay.answer(.send(Cast.room, message), from: Cast.device(1)) else {
                Issue.record("the relay does not take it")
                return
            }
        }
    }

    @Test("Its counter counts: of who says something known after it, no message is missing", arguments: Form.allCases)
    func counts(_ form: Form) throws {
        let (begun, sender) = try prepared()
        var world = begun
        let (later, next) = (Cast.message(201), Cast.message(202))
        let first = ContentHead(written: 1, seen: sender.history.seen, counter: sender.counter + 1)
        let second = ContentHead(written: 2, seen: sender.history.seen, counter: sender.counter + 2)
        try put(
            [
                (later, try form.content(later, first)),
                (next, try MimiContent(try TextContent("next").part, salt: next, head: second).encoded),
            ],
            of: sender,
            into: &world
        )
        world.settle()
        for person: UInt8 in 2...3 {
            #expect(world.texts(person) == ["before", "next"])
            #expect(world.unreadable(person) == (form == .body ? ["newer"] : []))
            #expect(!world.notices(person).contains { if case .messagesMissing = $0 { true } else { false } })
            #expect(!world.notices(person).contains { if case .historyStatedOtherwise = $0 { true } else { false } })
            #expect(!world.notices(person).contains { if case .trouble = $0 { true } else { false } })
        }
        world.expectOneEpoch([2, 3])
    }

    @Test("Its counter counts: what has none of its own was read before", arguments: Form.allCases)
    func repeats(_ form: Form) throws {
        let (begun, sender) = try prepared()
        var world = begun
        let id = Cast.message(201)
        let head = ContentHead(written: 1, seen: sender.history.seen, counter: sender.counter)
        try put([(id, try form.content(id, head))], of: sender, into: &world)
        world.settle()
        #expect(world.unreadable(2) == ["repeated"])
    }

    @Test("What it says of the room's history is held against one's own", arguments: Form.allCases)
    func statesHistory(_ form: Form) throws {
        let (begun, sender) = try prepared()
        var world = begun
        let id = Cast.message(201)
        let number = try #require(sender.history.seen).number
        let other = ContentHead.Seen(number: number, hash: [UInt8](repeating: 7, count: ContentHead.Seen.hashSize))
        let head = ContentHead(written: 1, seen: other, counter: sender.counter + 1)
        try put([(id, try form.content(id, head))], of: sender, into: &world)
        world.settle()
        #expect(world.notices(2).contains(.historyStatedOtherwise(by: [Cast.account(1)], number: number)))
        #expect(!world.notices(2).contains { if case .messagesMissing = $0 { true } else { false } })
    }
}
