import MildamClientCore
import MildamClientStore
import MildamIdentity
import MildamSimulate
import MildamStorage
import Testing

@Suite("A room that is forgotten")
struct ForgottenRoomTests {
    /// How many rows a disk has of rooms.
    private func rows(_ disk: RoomDisk) throws -> Int64 {
        let count = try disk.database.first(
            """
            SELECT (SELECT count(*) FROM room_states) + (SELECT count(*) FROM room_outlines)
                + (SELECT count(*) FROM room_welcomes) + (SELECT count(*) FROM room_history) + (SELECT count(*) FROM room_intents)
                + (SELECT count(*) FROM room_entries) + (SELECT count(*) FROM room_positions)
                + (SELECT count(*) FROM room_messages) + (SELECT count(*) FROM mls_keys)
                + (SELECT count(*) FROM mls_records)
            """
        ) { row throws(StorageError) in try row.int64(0) }
        return try #require(count)
    }

    @Test("Nothing of it stays in the store, and who invites again makes a new one")
    func gone() throws {
        var world = World([1, 2])
        let disk = try #require(try world.mirror([2])[2])
        try world.makeRoom(1, [2])
        try world.say(1, "for the ages")
        try world.say(2, "so it is")
        world.settle()
        world.wish(1, .remove(Cast.account(2)))
        world.settle()
        #expect(world.players[2]?.room()?.standing == .removed)
        try disk.store.read(Cast.room, upTo: 3)
        #expect(try rows(disk) > 0)
        world.take(2, [.forget(Cast.room)])
        #expect(world.players[2]?.room() == nil)
        #expect(try rows(disk) == 0)
        #expect(try disk.reopened().store.stored().rooms.isEmpty)
        #expect(try disk.reopened().store.entries(of: Cast.room, .last(10)).isEmpty)
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        #expect(world.players[2]?.room()?.standing == .invited)
        #expect(try disk.reopened().store.stored().rooms.count == 1)
    }

    @Test("One that the account is in, or is invited to, stays")
    func kept() throws {
        var world = World([1, 2])
        try world.makeRoom(1, [])
        world.wish(1, .invite(Cast.account(2), Cast.roomIdentity(2)))
        world.settle()
        for person: UInt8 in [1, 2] {
            world.take(person, [.forget(Cast.room)])
            #expect(world.players[person]?.room() != nil)
        }
    }
}
