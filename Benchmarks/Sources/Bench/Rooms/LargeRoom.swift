import Glibc
import MildamClientCore
import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import MildamWire
import RoomLoad

/// A room of 1,000 through a relay, beside what MLS alone takes in a group of the same size.
enum LargeRoom {
    private static let leaves = 1000
    private static let turns = 20

    /// What MLS alone takes, in nanoseconds.
    private struct Library {
        var creating: [Double] = []
        var processing: [Double] = []
        var joining = 0.0
    }

    static func figures(in house: RoomHouse, _ folder: String) async throws -> [Figure] {
        let founder = try await house.register("founder")
        let others = try await house.register("member", count: leaves - 3)
        let (asker, listener) = (
            try await DrivenClient("asker", in: folder, on: house),
            try await DrivenClient("listener", in: folder, on: house)
        )
        let room = RoomID.random()
        var group = try founder.member.group(room)
        try await house.make(room, of: group, by: founder)
        let bundles = try others.map { try $0.member.keyPackage() }
        guard let witness = others.last, let own = bundles.last else { throw BenchError("nobody is there") }

        // Their key packages come with their first connection.
        var packages = bundles.map(\.keyPackage)
        for client in [asker, listener] {
            let running = Task { await client.rooms.run() }
            packages.append(try await house.claim(client.handle, for: room, by: founder))
            running.cancel()
            await running.value
        }
        var requests: [GroupSendRequest] = []
        for start in stride(from: 0, to: packages.count, by: RoomLimits.adds) {
            let adding = packages[start..<min(start + RoomLimits.adds, packages.count)]
            requests.append(try RoomHouse.commit(&group, adding: Array(adding)))
        }
        var figures = [try await whileAdding(requests[0], room, founder, house)]
        for request in requests { try await house.send(request, to: room, by: founder) }

        let welcomed = try await house.welcome(of: witness)
        figures.append(welcome(welcomed.item, in: group))
        var library = Library()
        library.joining = try cost { _ = try RoomHouse.join(welcomed, with: own) }
        var observer = try RoomHouse.join(welcomed, with: own)
        figures += try await commits(&group, &observer, &library, room, founder, house)

        var running: [Task<Void, Never>] = []
        defer { for task in running { task.cancel() } }
        figures += [
            try await joining([listener, asker], room, library, &running),
            try await changing(asker, listener, room, library, folder),
        ]
        return figures
    }

    // MARK: The relay

    /// What others wait for their sends in another room, while a commit with 100 Adds is looked at over and over: it counts, but for
    /// a GroupInfo that is of another epoch.
    private static func whileAdding(
        _ request: GroupSendRequest,
        _ room: RoomID,
        _ founder: RoomHouse.Resident,
        _ house: RoomHouse
    ) async throws -> Figure {
        guard case .commit(let message, _, let welcome) = request.content else { throw BenchError("no commit") }
        let present = try await house.ask(Routes.group.at(room), founder, ())
        guard let earlier = present.groupInfos.first else { throw BenchError("a group without a GroupInfo") }
        let refused = GroupSendRequest(
            id: .random(),
            generation: 0,
            epoch: request.epoch,
            seen: 0,
            content: .commit(message, groupInfo: earlier.groupInfo, welcome: welcome)
        )
        let neighbour = try await house.register("neighbour")
        let other = RoomID.random()
        var group = try neighbour.member.group(other)
        try await house.make(other, of: group, by: neighbour)
        let said = try group.protect([UInt8](repeating: 7, count: 400)).wireBytes
        let sending = try house.request(
            GroupSendRequest(id: .random(), generation: 0, epoch: 0, seen: 0, content: .application(said)),
            to: other,
            by: neighbour
        )
        var (quiet, busy): ([Double], [Double]) = ([], [])
        for _ in 0..<3 {
            quiet.append(try latencies(of: sending, house).quantile(0.99))
            let checking = Task {
                var count = 0
                while !Task.isCancelled {
                    if (try? await house.send(refused, to: room, by: founder)) != nil {
                        throw BenchError("a commit with another epoch's GroupInfo counts")
                    }
                    count += 1
                }
                return count
            }
            busy.append(try latencies(of: sending, house).quantile(0.99))
            checking.cancel()
            guard try await checking.value > 1 else { throw BenchError("nothing was looked at meanwhile") }
        }
        return Figure(
            what: "others' sends, p99, 100 Adds checked",
            value: busy.median,
            unit: .milliseconds,
            peer: ("the same, quiet", quiet.median),
            goal: .ratio(atLeast: 1 / 1.5),
            note: "8 senders in another room"
        )
    }

    private static func latencies(of sending: (bytes: [UInt8], id: Int), _ house: RoomHouse) throws -> [Double] {
        let sockets = try (0..<8).map { _ in try Volley.connect(house.port) }
        defer { for socket in sockets { close(socket) } }
        var bytes = sending.bytes
        let result = try Volley.run(sockets, for: 1_500_000_000) { _ in
            let id = MessageID.random().bytes
            bytes.replaceSubrange(sending.id..<sending.id + id.count, with: id)
            return bytes
        } took: { _, answer, _ in
            guard answer.starts(with: "HTTP/1.1 201".utf8) else {
                throw BenchError("a send failed: \(String(decoding: answer, as: UTF8.self))")
            }
            return true
        }
        return result.latencies
    }

    /// What one device's part of a Welcome has.
    private static func welcome(_ item: WelcomeItem, in group: Group) -> Figure {
        let binding = RoomExtension(in: group.publicGroup.context.extensions)?.wireBytes.count ?? 0
        return Figure(
            what: "Welcome of one device, 1,000 members",
            value: Double(item.welcome.count),
            unit: .bytes,
            goal: .value(atMost: Double(2048 + binding)),
            note: "the room's extension: \(binding) B"
        )
    }

    /// Commits of one member's, which the relay looks at and another member processes.
    private static func commits(
        _ group: inout Group,
        _ observer: inout Group,
        _ library: inout Library,
        _ room: RoomID,
        _ founder: RoomHouse.Resident,
        _ house: RoomHouse
    ) async throws -> [Figure] {
        let before = try await house.checks()
        for _ in 0..<turns {
            var copy = group
            let start = nanoseconds()
            _ = try copy.commit(RoomHouse.options())
            library.creating.append(Double(nanoseconds() - start))
            let request = try RoomHouse.commit(&group)
            try await house.send(request, to: room, by: founder)
            let message = try MLSMessage(wireBytes: request.message)
            let arrived = nanoseconds()
            _ = try observer.process(message)
            library.processing.append(Double(nanoseconds() - arrived))
        }
        let after = try await house.checks()
        let checking = (after.seconds - before.seconds) * 1e9 / (after.count - before.count)

        let stored = try house.rows()
        try await house.send(try RoomHouse.commit(&group), to: room, by: founder)
        let written = try house.rows().subtracting(stored).count
        return [
            Figure(
                what: "relay checks a commit, 1,000 members",
                value: checking,
                unit: .microseconds,
                peer: ("a member processes it", library.processing.median),
                goal: .ratio(atLeast: 1 / 0.8)
            ),
            Figure(
                what: "rows that the relay writes for a commit",
                value: Double(written),
                unit: .count,
                goal: .value(atMost: 5)
            ),
        ]
    }

    // MARK: Clients

    /// From the connection to being in it: mailbox, tree, records, and all of it on the disk.
    private static func joining(
        _ clients: [DrivenClient],
        _ room: RoomID,
        _ library: Library,
        _ running: inout [Task<Void, Never>]
    ) async throws -> Figure {
        var times: [Double] = []
        for client in clients {
            let start = nanoseconds()
            running.append(Task { await client.rooms.run() })
            try await client.accept(room)
            times.append(Double(nanoseconds() - start))
        }
        return Figure(
            what: "join of 1,000 through the relay",
            value: times.median,
            unit: .milliseconds,
            peer: ("MLS joins", library.joining),
            goal: .ratio(atLeast: 1.0 / 3),
            note: "records verified, and stored"
        )
    }

    /// From what somebody wants to what another client shows of it.
    private static func changing(
        _ asker: DrivenClient,
        _ listener: DrivenClient,
        _ room: RoomID,
        _ library: Library,
        _ folder: String
    ) async throws -> Figure {
        // After a connection a client looks at the device lists of all members, once.
        try await Task.sleep(for: .seconds(20))
        var changes = await listener.rooms.changes().makeAsyncIterator()
        var times: [Double] = []
        for turn in 1...10 {
            let start = nanoseconds()
            try await asker.rooms.wish(.timer(UInt32(60 * turn)), in: room, as: .random())
            while let change = await changes.next() {
                if case .entry(room, let entry) = change, entry.kind == .settings { break }
            }
            times.append(Double(nanoseconds() - start))
        }
        let sync = try syncing(in: folder)
        let floor = library.creating.median + 2 * library.processing.median + 6_000_000 + 2 * sync
        return Figure(
            what: "commit wanted -> processed by another",
            value: times.median,
            unit: .milliseconds,
            peer: ("CC + 2 CP + 6 ms + 2 syncs", floor),
            goal: .ratio(atLeast: 1),
            note: "1,000 members, loopback"
        )
    }

    /// What a sync of one page takes.
    private static func syncing(in folder: String) throws -> Double {
        var writes = try SyncedWrites(at: folder + "/synced", size: 4096, length: 1 << 20)
        var times: [Double] = []
        for _ in 0..<50 {
            let start = nanoseconds()
            try writes.next()
            times.append(Double(nanoseconds() - start))
        }
        return times.median
    }
}
