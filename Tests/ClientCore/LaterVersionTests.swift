import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamSimulate
import MildamWire
import Testing

@testable import MildamClientCore

@Suite("A room of a later version is read-only, and says to update (H34)")
struct LaterVersionTests {
    /// A group of a room, as a later version makes it: an MLSMessage with its GroupInfo.
    private func laterGroup(_ extensions: [Extension]) throws -> [UInt8] {
        let source = SeededSource.source(200)
        let environment = GroupEnvironment(
            authentication: RoomAuthentication(),
            policy: RoomPolicy(),
            randomness: source,
            now: { 1_700_000_000 }
        )
        let bundle = try Cast.device(1).keyPackage(
            lifetime: KeyPackageStock.lifetime(at: 1_700_000_000),
            isLastResort: false,
            source
        )
        let group = try Group(with: bundle, extensions: Extensions(extensions), environment: environment)
        return MLSMessage.groupInfo(try group.groupInfo()).wireBytes
    }

    private var laterRoom: Extension {
        let room = RoomExtension(room: Cast.room, generation: 1).mls
        return Extension(type: room.type, data: [2] + Array(room.data.dropFirst()))
    }

    private func page(_ number: UInt64, _ body: [UInt8]) -> LogPage {
        let message = NumberedMessage(
            number: number,
            generation: 0,
            account: Cast.account(1),
            device: Cast.device(1).device,
            id: Cast.message(202),
            kind: .generation,
            stored: number,
            body: body
        )
        return LogPage(
            room: Cast.room,
            messages: [message],
            first: 1,
            last: number,
            epoch: 0,
            incarnation: [UInt8](repeating: 1, count: LogPage.incarnationSize)
        )
    }

    @Test("What a group asks for that this version does not know")
    func extensions() {
        let known = [RoomExtension.requirements, RoomExtension(room: Cast.room).mls]
        #expect(!RoomExtension.needsLaterVersion(Extensions(known)))
        #expect(RoomExtension.needsLaterVersion(Extensions([RoomExtension.requirements, laterRoom])))
        let other = RequiredCapabilities(extensionTypes: [ExtensionType(rawValue: 0xF4DF)])
        let required = Extension(type: .requiredCapabilities, data: other.wireBytes)
        #expect(RoomExtension.needsLaterVersion(Extensions([required])))
        let proposal = RequiredCapabilities(proposalTypes: [ProposalType(rawValue: 0xF4DF)])
        let proposing = Extension(type: .requiredCapabilities, data: proposal.wireBytes)
        #expect(RoomExtension.needsLaterVersion(Extensions([proposing])))
    }

    @Test("A generation of a later version: what is here stays, nothing is sent, nothing is repaired")
    func laterGeneration() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        try world.say(2, "before")
        world.settle()
        let body = try laterGroup([RoomExtension.requirements, laterRoom])
        world.take(2, [.live(page(world.read(2) + 1, body))])
        let id = try world.say(2, "later")
        world.settle()
        #expect(world.unreadable(2) == ["newer"])
        #expect(world.texts(2) == ["before"])
        #expect(world.notices(2).contains(.trouble(.newer)))
        #expect(world.notices(2).contains(.wishWaits(id, code: "newer")))
        #expect(Cause.newer.remedy == .none(.updateReadsIt))
        #expect(world.texts(1) == ["before"])
        #expect(!world.notices(2).contains { if case .stopped = $0 { true } else { false } })
        for _ in 0..<3 {
            world.take(2, [.tick])
            #expect(world.asked(2).isEmpty)
        }
    }

    @Test("Who would come into a room of a later version asks once in a connection, and comes in when it can")
    func laterGroupOutside() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        let body = try laterGroup([RoomExtension.requirements, laterRoom])
        let damaged = RoomCore(damaged: Cast.room, generation: 0, number: world.read(2))
        var store = try #require(world.players[2]?.core.store)
        try store.store([.room(damaged, replacing: nil)])
        world.restart(2, from: store, seed: 93)
        for (id, request) in world.asked(2) {
            world.take(2, [.reply(id, world.relay.answer(request, from: Cast.device(2)))])
        }
        let group = try #require(
            world.asked(2).first { if case .group = $0.request { true } else { false } }
        )
        let reply = GroupReply(
            generation: 1,
            epoch: 0,
            groupInfos: [body],
            tree: [],
            proposals: [],
            last: world.read(2)
        )
        world.take(2, [.reply(group.id, .group(reply))])
        #expect(world.players[2]?.room()?.trouble?.cause == .newer)
        world.settle()
        #expect(world.players[2]?.room()?.trouble?.cause == .newer)
        // The program was updated.
        let later = try #require(world.players[2]?.core.store)
        world.restart(2, from: later, seed: 94)
        world.settle()
        #expect(world.notices(2).contains(.troubleIsOver))
        try world.say(2, "again")
        world.settle()
        #expect(world.texts(1) == ["again"])
        world.expectOneEpoch([1, 2])
    }
}
