import FoundationEssentials
import MildamContent
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamSystem
import MildamWire
import RoomLoad

/// What a client takes over a day: the messages of its absence, and the memory of its process.
enum RoomClients {
    private static let missed = 10_000
    private static let rooms = 200
    private static let members = 50

    static func figures(in house: RoomHouse, mildam: String, _ folder: String) async throws -> [Figure] {
        [try await catchingUp(house, folder), try await memory(house, mildam, folder)]
    }

    // MARK: An absence

    private static func catchingUp(_ house: RoomHouse, _ folder: String) async throws -> Figure {
        let talker = try await house.register("talker")
        let client = try await DrivenClient("absent", in: folder, on: house)
        let room = RoomID.random()
        var group = try talker.member.group(room)
        try await house.make(room, of: group, by: talker)
        let first = Task { await client.rooms.run() }
        let package = try await house.claim(client.handle, for: room, by: talker)
        try await house.send(try RoomHouse.commit(&group, adding: [package]), to: room, by: talker)
        try await client.accept(room)
        first.cancel()
        await first.value

        let epoch = group.publicGroup.context.epoch
        for number in 1...missed {
            let id = MessageID.random()
            let content = try MimiContent(
                TextContent(String(repeating: "x", count: 1024)).part,
                salt: id,
                head: ContentHead(
                    written: UInt64(clamping: WallClock.system.milliseconds),
                    seen: nil,
                    counter: UInt64(number)
                )
            )
            let sealed = try group.protect(content.encoded, authenticatedData: MessageName(id).wireBytes)
            let request = GroupSendRequest(
                id: id,
                generation: 0,
                epoch: epoch,
                seen: 0,
                content: .application(sealed.wireBytes)
            )
            try await house.send(request, to: room, by: talker)
        }
        let before = await client.overview(of: room)?.last ?? 0
        let start = nanoseconds()
        let again = Task { await client.rooms.run() }
        try await client.until { await client.overview(of: room)?.last ?? 0 >= before + UInt64(missed) }
        let taken = nanoseconds() - start
        again.cancel()
        await again.value
        let last = try await client.rooms.entries(of: room, .last(count: missed))
        let read = last.count { if case .content = $0.kind { true } else { false } }
        guard read >= missed else { throw BenchError("of \(missed) messages \(read) were read") }
        return Figure(
            what: "catch-up of 10,000 x 1 KiB",
            value: Double(taken),
            unit: .milliseconds,
            goal: .value(atMost: 3_000_000_000),
            note: "from the connection on"
        )
    }

    // MARK: The process

    /// Rooms of 50, made by one who brings all others in at once.
    private static func memory(_ house: RoomHouse, _ mildam: String, _ folder: String) async throws -> Figure {
        let host = try await house.register("host")
        let guests = try await house.register("guest", count: members - 2)
        let home = folder + "/home"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let client = try await DrivenClient("resident", in: home, on: house)
        let running = Task { await client.rooms.run() }
        for number in 0..<rooms {
            let room = RoomID.random()
            var group = try host.member.group(room)
            try await house.make(room, of: group, by: host)
            var packages = try guests.map { try $0.member.keyPackage().keyPackage }
            // Nobody claims more than ten an hour.
            let claimer = guests[number % guests.count]
            packages.append(try await house.claim(client.handle, for: room, by: claimer))
            try await house.send(try RoomHouse.commit(&group, adding: packages), to: room, by: host)
            try await client.accept(room)
        }
        running.cancel()
        await running.value

        let variables = ["MILDAM_HOME": home, "MILDAM_PROFILE": "resident", "MILDAM_RELAY": house.url]
        let process = try Child([mildam, "client", "run", "--stay"], variables)
        defer { process.stop() }
        guard try process.line().hasPrefix("ready") else { throw BenchError("the client did not start") }
        try await client.until {
            let status = try? Child.output(of: [mildam, "status"], variables)
            return status?.contains("rooms        \(rooms)\n") ?? false
        }
        // What the connection brings.
        try await Task.sleep(for: .seconds(5))
        return Figure(
            what: "memory, client with 200 rooms of 50",
            value: Double(try ProcessCosts.residentBytes(of: process.identifier)),
            unit: .megabytes,
            goal: .value(atMost: 80_000_000),
            note: "mildam client run, connected"
        )
    }
}
