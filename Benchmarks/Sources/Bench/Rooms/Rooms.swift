/// Rooms that are MLS groups, from the client's core to a relay with a room of 1,000.
enum Rooms {
    /// - Parameters:
    ///   - programs: the folder of the programs.
    ///   - folder: on the file system that is to be measured; empty.
    static func figures(programs: String, in folder: String) async throws -> [Figure] {
        var figures = try RoomPages.figures(in: folder)
        figures += try RoomProfiles.figures(in: folder)
        let house = try await RoomHouse(programs + "/mildam-relay", folder: folder + "/relay")
        figures += try await LargeRoom.figures(in: house, folder)
        figures += try await RoomClients.figures(in: house, mildam: programs + "/mildam", folder)
        figures.append(try simulation(programs + "/mildam-sim"))
        return figures
    }

    /// How many operations of people a core plays a second.
    private static func simulation(_ program: String) throws -> Figure {
        let worlds = [program, "--seeds", "4", "--operations", "400", "--devices", "30"]
        let end = " operations a second"
        let lines = try Child.output(of: worlds).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasSuffix(end) }), let rate = Double(line.dropLast(end.count)) else {
            throw BenchError("the simulation does not say how fast it was")
        }
        return Figure(
            what: "simulated operations, 30 devices",
            value: rate,
            unit: .perSecond,
            goal: .rate(atLeast: 150),
            note: "one core"
        )
    }
}
