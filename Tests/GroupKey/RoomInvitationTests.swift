import Foundation
import MildamCrypto
import MildamIdentity
import MildamWire
import Testing

@testable import MildamGroupKey

@Suite("protocol.md, Group-key rooms: what an envelope holds")
struct RoomInvitationTests {
    private func content(_ invitation: RoomInvitation = Sample.invitation()) -> Data {
        Data(invitation.secretContent.exposed)
    }

    private func read(_ content: Data, generation: UInt32 = 3) throws -> RoomInvitation {
        try RoomInvitation(secretContent: content, room: Sample.room, generation: generation)
    }

    /// As many members as asked for, with handles of the greatest length.
    private func members(_ count: Int) throws -> [Member] {
        try (0..<count).map { number in
            let digits = String(number)
            let handle = try Handle(String(repeating: "x", count: 32 - digits.count) + digits)
            return Member(account: .random(), handle: handle, identityKey: Sample.alice.record.identityKey)
        }
    }

    @Test func cutAtEveryByteAndOneMore() {
        let whole = content()
        for count in whole.indices {
            #expect(throws: GroupKeyError.malformed) { try read(whole.prefix(count)) }
        }
        #expect(throws: GroupKeyError.malformed) { try read(whole + [0]) }
    }

    @Test func oneBitFlipped() throws {
        let whole = content()
        for bit in 0..<whole.count * 8 {
            let flipped = Data(Array(whole).flipped(bit))
            do {
                #expect(content(try read(flipped)) == flipped)
            } catch {
                #expect(error as? GroupKeyError == .malformed)
            }
        }
    }

    @Test("Names", arguments: ["", "밀담", String(repeating: "n", count: 255)])
    func names(_ name: String) throws {
        let envelope = try Sample.envelope(Sample.invitation(name: name))
        let opened = try envelope.opened(
            from: Sample.alice.device,
            to: Sample.bob.record.account,
            keys: Sample.bob.keys
        )
        #expect(opened.name == name)
    }

    @Test func theFullestRoomFitsAnEnvelope() throws {
        let most = try members(RoomInvitation.maximumMembers)
        let name = String(repeating: "n", count: 255)
        let envelope = try Sample.envelope(Sample.invitation(name: name, members: most))
        let bytes = envelope.wireBytes
        #expect(bytes.count <= KeyEnvelope.maximumSize)
        let opened = try KeyEnvelope(wireBytes: bytes).opened(
            from: Sample.alice.device,
            to: Sample.bob.record.account,
            keys: Sample.bob.keys
        )
        #expect(opened.members == most)
    }

    @Test func whatDoesNotFitIsNotSent() throws {
        let tooMany = try members(RoomInvitation.maximumMembers + 1)
        let point = HistoryPoint(number: 1, hash: [1])
        for invitation in [
            Sample.invitation(members: tooMany), Sample.invitation(members: []), Sample.invitation(history: point),
            Sample.invitation(name: String(repeating: "n", count: 256)),
        ] {
            #expect(throws: GroupKeyError.malformed) { try Sample.envelope(invitation) }
        }
    }

    @Test func tooManyOrNoMembersAreRefused() throws {
        let none = content(Sample.invitation(members: []))
        #expect(throws: GroupKeyError.malformed) { try read(none) }
        let tooMany = content(Sample.invitation(members: try members(RoomInvitation.maximumMembers + 1)))
        #expect(throws: GroupKeyError.malformed) { try read(tooMany) }
    }

    @Test("Numbers that nothing could come after", arguments: [UInt64(Int64.max), .max])
    func endOfNumbers(_ number: UInt64) throws {
        let last = content(Sample.invitation(history: HistoryPoint(number: number, hash: Sample.bytes(1))))
        #expect(throws: GroupKeyError.malformed) { try read(last) }
    }

    @Test("Generations without a next or a first", arguments: [0, UInt32(Int32.max), .max])
    func endOfGenerations(_ generation: UInt32) throws {
        #expect(throws: GroupKeyError.malformed) { try read(content(), generation: generation) }
        #expect(try read(content(), generation: UInt32(Int32.max) - 1).key.generation == UInt32(Int32.max) - 1)
    }

    @Test("Device lists: each member's own, 1 where none is named", arguments: [1, 2, UInt64(Int64.max) - 1])
    func lists(_ number: UInt64) throws {
        let bytes = content(Sample.invitation(lists: [Sample.bob.record.account: number]))
        var expected = WireWriter()
        for list in [1, number] { expected.integer(list) }
        #expect(Array(bytes.suffix(16)) == expected.bytes)
        #expect(try read(bytes).lists == (number == 1 ? [:] : [Sample.bob.record.account: number]))
    }

    @Test("Device lists that there are not", arguments: [0, UInt64(Int64.max), .max])
    func noLists(_ number: UInt64) throws {
        let lists = [Sample.bob.record.account: number]
        #expect(throws: GroupKeyError.malformed) { try read(content(Sample.invitation(lists: lists))) }
        #expect(throws: GroupKeyError.malformed) { try Sample.envelope(Sample.invitation(lists: lists)) }
    }

    @Test func noAccountTwice() throws {
        let twice = Sample.invitation(members: [Member(Sample.alice.record), Member(Sample.alice.record)])
        #expect(throws: GroupKeyError.malformed) { try read(content(twice)) }
    }
}
