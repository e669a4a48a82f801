import MildamContent
import MildamIdentity
import MildamRoomRules
import MildamSimulate
import Testing

@testable import MildamClientCore

@Suite("What a room is called, for those who come in later (H27)")
struct TitleTests {
    /// What a person knows of the room's name.
    private func name(_ person: UInt8, _ world: World) -> String? {
        world.players[person]?.room()?.info?.name
    }

    private func titles(_ person: UInt8, _ world: World) -> Int {
        world.entries(person).count { entry in
            guard case .content(let bytes) = entry.kind, let content = try? MimiContent(encoded: bytes),
                case .roomInfo = content.kind
            else { return false }
            return true
        }
    }

    @Test("A Welcome brings it, whoever invites, and after a renaming the new one")
    func welcome() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2])
        #expect(name(2, world) == "garden")
        #expect(titles(2, world) == 0, "nothing is said for it")
        world.wish(1, .rename(try RoomInfo(name: "orchard")))
        world.settle()
        #expect(name(2, world) == "orchard")
        world.wish(2, .invite(Cast.account(3), Cast.roomIdentity(3)))
        world.settle()
        // Before anybody accepts.
        #expect(world.players[3]?.room()?.standing == .invited && name(3, world) == "orchard")
        #expect(world.players[3]?.room()?.invitedBy == Cast.account(2))
        #expect(world.players[1]?.room()?.invitedBy == nil)
        world.wish(3, .accept)
        world.settle()
        #expect(name(3, world) == "orchard")
    }

    @Test("What was said and is not written into the room's context is not told")
    func saidAlone() throws {
        var world = World([1])
        try world.makeRoom(1, [])
        var room = try #require(world.players[1]?.room())
        room.hear(try RoomInfo(name: "orchard"), salt: Cast.message(9))
        #expect(room.info?.name == "garden")
    }

    @Test("Few are remembered, the one that counts among them, and none that is long")
    func bounded() throws {
        var world = World([1])
        try world.makeRoom(1, [])
        var room = try #require(world.players[1]?.room())
        for number: UInt8 in 2...20 { room.hear(try RoomInfo(name: "\(number)"), salt: Cast.message(number)) }
        #expect(room.titles.count == RoomCore.rememberedTitles)
        #expect(room.info?.name == "garden")
        let known = room.titles
        let picture = try RoomInfo.Picture(
            contentType: "image/png",
            bytes: [UInt8](repeating: 1, count: RoomCore.longestTitle)
        )
        room.hear(try RoomInfo(name: "orchard", picture: picture), salt: Cast.message(30))
        #expect(room.titles == known)
    }

    @Test("It is known after a restart, and by who was put out")
    func putOut() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.restart(2, seed: 40)
        #expect(name(2, world) == "garden")
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        #expect(world.players[2]?.room()?.standing == .removed)
        #expect(name(2, world) == "garden")
    }

    @Test("Who comes in from outside is told it once, by one of those who are there")
    func seat() throws {
        var world = World([1, 2, 3])
        try world.makeRoom(1, [2])
        world.relay.dropKeyPackages(of: Cast.account(3))
        world.wish(1, .invite(Cast.account(3), Cast.roomIdentity(3)))
        world.settle()
        world.wish(3, .accept)
        world.settle()
        #expect(name(3, world) == "garden")
        #expect(titles(3, world) == 1)
        world.expectOneEpoch([1, 2, 3])
    }

    @Test("Who comes in after it was told, and before that is over, is told it in another message")
    func toldAgain() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        var room = try #require(world.players[1]?.room())
        var told = Intent(.duty(.tellingTitle), id: Cast.message(200), wished: 0)
        told.hasEcho = true
        room.intents = [told]
        room.owesTitle = true
        var store = try #require(world.players[1]?.core.store)
        try store.store([.room(room, replacing: nil)])
        world.restart(1, from: store, seed: 70)
        world.settle()
        #expect(titles(2, world) == 1)
        #expect(world.relay.rooms[Cast.room]?.log.last?.id != told.id)
    }

    @Test("It is known after a restart, and to who comes into the next generation; a repair asks nobody for it")
    func stays() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [2])
        world.restart(2, seed: 60)
        world.settle()
        try world.say(2, "here")
        world.settle()
        #expect(name(2, world) == "garden")
        world.wish(1, .renewRoom(above: 0))
        world.settle()
        #expect(name(2, world) == "garden")
        #expect(titles(2, world) == 0)
        world.expectOneEpoch([1, 2])
    }
}
