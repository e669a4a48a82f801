import MildamContent
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import MildamWire
import Testing

@testable import MildamClientCore

@Suite("A client's rooms: the stored forms")
struct StoredFormTests {
    private static let causes: [Cause] = [
        .behindRetention(first: 3), .commitNotProcessable(number: 4), .ownStateOlder(number: 5), .welcomeDoesNotOpen,
        .differentHistory(number: 6), .repeated, .forged, .mislabelled, .newer, .senderNoMember, .ruleBroken,
        .recordsDamaged, .dueProposalRefused(number: 7), .beforeComingIn, .lostAtRestore,
    ]

    private func message(_ externalPub: [UInt8]? = nil) -> NumberedMessage {
        NumberedMessage(
            number: 9,
            generation: 1,
            account: Cast.account(1),
            device: Cast.identifier([4, 1]),
            id: Cast.message(3),
            kind: .commit,
            stored: 12,
            body: [1, 2, 3],
            externalPub: externalPub
        )
    }

    private func wishes() throws -> [Wish] {
        let text = try TextContent("hello").part
        let picture = try RoomInfo.Picture(contentType: "image/png", bytes: [1, 2])
        return [
            .say(text, inReplyTo: nil, blobs: []),
            .say(
                NestedPart(.multi(.chooseOne, [text, NestedPart(.nothing)])),
                inReplyTo: ContentID(bytes: [1] + [UInt8](repeating: 4, count: 31)),
                blobs: [Cast.identifier([8]), Cast.identifier([9])]
            ),
            .accept, .leave, .invite(Cast.account(2), Cast.roomIdentity(2)), .remove(Cast.account(2)),
            .role(Cast.account(2), .admin), .policy([.membersInvite, .membersDescribe]), .timer(60),
            .rename(try RoomInfo(name: "garden", topic: "roses", picture: picture)), .renewKeys, .renewRoom(above: 4),
            .duty(.removingLeavers), .duty(.removingRevoked), .duty(.newLeaf), .duty(.path),
            .duty(.tellingTitle), .duty(.removingClosed),
        ]
    }

    /// That a form is read as what it was made of, and no part of it as anything.
    private func expect<Value: Equatable>(
        _ value: Value,
        _ form: [UInt8],
        _ read: ([UInt8]) throws -> Value,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try read(form) == value, sourceLocation: location)
        for count in 0..<form.count {
            #expect(throws: WireError.self, sourceLocation: location) { try read(Array(form.prefix(count))) }
        }
        #expect(throws: WireError.self, sourceLocation: location) { try read(form + [0]) }
    }

    @Test("What a commit is named by is the same for a client and for the relay")
    func digests() {
        let message = message()
        let digest = MessageDigest.of(
            generation: 1,
            account: Cast.account(1),
            device: Cast.identifier([4, 1]),
            id: Cast.message(3),
            kind: MessageDigest.commit,
            body: [1, 2, 3]
        )
        #expect(message.digest == digest)
    }

    @Test("Messages")
    func messages() throws {
        for sample in [message(), message([UInt8](repeating: 3, count: 32))] {
            try expect(sample, sample.storedForm) { try NumberedMessage(storedForm: $0) }
        }
    }

    @Test("A Welcome that waits")
    func welcome() throws {
        let sample = ArrivedWelcome(
            room: Cast.room,
            generation: 1,
            number: 3,
            welcome: [1, 2],
            tree: [3],
            isOfKnownSender: true
        )
        try expect(sample, sample.storedForm) { try ArrivedWelcome(storedForm: $0) }
    }

    @Test("Entries of each kind")
    func entries() throws {
        let reason = RepairReason(number: 3, hash: [UInt8](repeating: 1, count: 32), cause: .ownStateOlder)
        var kinds: [ShownEntry.Kind] = [
            .content([1, 2, 3]), .members(joined: [Cast.account(1), Cast.account(2)], left: [Cast.account(3)]),
            .settings, .cameBack(nil), .cameBack(reason), .renewed, .newKeys, .leaving,
        ]
        kinds += StoredFormTests.causes.map { .unreadable($0) }
        for kind in kinds {
            let entry = ShownEntry(kind, for: message())
            try expect(entry, entry.storedForm) { try ShownEntry(storedForm: $0) }
        }
        let gap = ShownEntry(missing: 3...9, .lostAtRestore)
        try expect(gap, gap.storedForm) { try ShownEntry(storedForm: $0) }
    }

    @Test("Wishes, from wanted to numbered")
    func intents() throws {
        for wish in try wishes() {
            var intent = Intent(wish, id: Cast.message(1), wished: 5)
            try expect(intent, intent.storedForm) { try Intent(storedForm: $0) }
            let staged = OutgoingMessage(
                id: Cast.message(2),
                kind: .commit,
                generation: 1,
                epoch: 2,
                body: [1, 2],
                groupInfo: [3],
                welcome: [4],
                blobs: [Cast.identifier([8])]
            )
            intent.stage(staged)
            intent.claimed = ClaimReply(keyPackages: [[1], [2, 3]], list: Cast.device(2).list)
            intent.content = [7]
            intent.toldWaiting = "busy"
            intent.hasEcho = true
            try expect(intent, intent.storedForm) { try Intent(storedForm: $0) }
            intent.progress = .staged(staged, number: 77)
            try expect(intent, intent.storedForm) { try Intent(storedForm: $0) }
            intent.progress = .held(staged)
            try expect(intent, intent.storedForm) { try Intent(storedForm: $0) }
            intent.progress = .unsaid(code: "removed")
            try expect(intent, intent.storedForm) { try Intent(storedForm: $0) }
        }
    }

    @Test("Of the messages that were made for a wish the last ones are known again")
    func attempts() throws {
        var intent = Intent(.renewKeys, id: Cast.message(1), wished: 5)
        for number: UInt8 in 0..<100 {
            intent.stage(
                OutgoingMessage(id: Cast.message(2), kind: .commit, generation: 1, epoch: 2, body: [3, number])
            )
        }
        #expect(intent.attempts.count == Intent.mostAttempts)
        #expect(intent.made([3, 99]) && intent.made([3, 36]) && !intent.made([3, 35]))
        #expect(try Intent(storedForm: intent.storedForm) == intent)
    }

    @Test("A history is read from its parts, and not without one of them")
    func history() throws {
        func form(_ history: RunningHistory) -> [UInt8] {
            var writer = WireWriter()
            history.store(into: &writer)
            return writer.bytes
        }
        func read(_ bytes: [UInt8], _ parts: [[UInt8]]) throws(WireError) -> RunningHistory {
            var reader = WireReader(bytes.span)
            return try RunningHistory(stored: &reader, parts: parts)
        }
        var history = RunningHistory()
        var stored: [UInt64: [UInt8]] = [:]
        var before: RunningHistory?
        for number: UInt64 in 1...600 {
            let sample = NumberedMessage(
                number: number,
                generation: 0,
                account: Cast.account(1),
                device: Cast.identifier([4, 1]),
                id: Cast.identifier([6, UInt8(number % 256), UInt8(number / 256)]),
                kind: .application,
                stored: number,
                body: [UInt8(number % 256)]
            )
            history.read(sample)
            if number.isMultiple(of: 3), let hash = history.hash {
                let verdict = history.state(hash, upTo: number - 1, by: Cast.account(2), others: 3)
                let isFirst = history.isNews(verdict)
                #expect(isFirst == (number == 3))
            }
            guard number.isMultiple(of: 50) else { continue }
            let changed = history.changedParts(since: before)
            #expect(changed.count <= 6)
            for (part, content) in changed { stored[part] = content.isEmpty ? nil : content }
            before = history
            let found = try read(form(history), Array(stored.values))
            #expect(found.hash == history.hash)
            #expect(found.number == number)
            #expect(found.changedParts(since: history).isEmpty)
            #expect(form(found) == form(history))
            #expect(stored.values.allSatisfy { $0.count < 4000 })
        }
        for part in stored.keys {
            let others = stored.filter { $0.key != part }.values
            #expect(throws: WireError.self) { try read(form(history), Array(others)) }
        }
    }

    @Test("A room's state, of a device that is in it and of one that is outside; and what is known of a room asleep")
    func states() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2, 3])
        let member = try #require(world.players[2]?.room())
        var copied = member
        copied.keysUsedElsewhere = [UInt8](repeating: 1, count: 32)
        copied.foughtBackAs = [UInt8](repeating: 2, count: 32)
        copied.recovery.lose([3...7, 9...9])
        copied.lastArrival = 5
        copied.hasRelayGoneBack = true
        var outside = member
        outside.goOutside(try #require(member.members))
        for room in [member, copied, outside] {
            let parts = Array(room.storedHistory(since: nil).values)
            let read = { (form: [UInt8]) throws -> RoomCore in
                try RoomCore(
                    Cast.room,
                    state: form,
                    history: parts,
                    intents: [],
                    outline: nil,
                    welcome: nil,
                    waiting: { _ in nil }
                )
            }
            try expect(room.storedState, room.storedState) { try read($0).storedState }
            let found = try read(room.storedState)
            #expect(found.keysUsedElsewhere == room.keysUsedElsewhere)
            #expect(found.recovery == room.recovery)
            #expect(found.lastArrival == room.lastArrival)
            #expect(found.hasRelayGoneBack == room.hasRelayGoneBack)
            #expect(found.roster?.leaves == (room.isOutside ? room.roster?.leaves : nil))
            #expect(found.roster?.extensions == (room.isOutside ? room.roster?.extensions : nil))
        }
        let outline = try #require(member.storedOutline)
        try expect(outline, outline.storedForm) { try GroupOutline(storedForm: $0) }
    }
}
