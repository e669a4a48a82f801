import Glibc
import MildamKeychain
import MildamSystem

/// A keychain in this process, and through its agent, which is the program as it is released.
enum Keychains {
    private static let turns = 3_000
    private static let few = 10_000
    private static let many = 100_000
    /// What all items have in common.
    private static let label = "a password"

    /// - Parameters:
    ///   - disk: a folder on a disk, for what is added.
    ///   - memory: a folder in memory, for what is read.
    static func figures(mildam: String, in disk: String, _ memory: String) async throws -> [Figure] {
        // What opens it takes no time, so that opening a keychain measures the keychain.
        let code = SlotSecret.recoveryCode(RecoveryCode())
        let home = memory + "/keychain"
        let path = home + "/default/keychain.db"
        try await fill(path, few, code)
        let additions = try await additions(to: path, movedTo: disk + "/keychain.db", code)
        let agent = try Child([mildam, "keychain", "agent"], ["MILDAM_HOME": home])
        let readings = try await readings(of: path, code, by: agent) {
            let get = [mildam, "keychain", "get", "--group", ProgramIdentity.own.ownGroup, service(of: 0), account(0)]
            return try Keyring.figure(beside: get, ["MILDAM_HOME": home], in: memory + "/keyring")
        }
        return try await readings + additions + searches(in: memory + "/many.db", code)
    }

    // MARK: Items

    private static func account(_ number: Int) -> String { "account-\(number)" }

    /// Ten accounts are of one service.
    private static func service(of number: Int) -> String { "service-\(number / 10)" }

    private static func item(_ number: Int) -> NewItem {
        NewItem(
            .genericPassword,
            [.account: .text(account(number)), .service: .text(service(of: number)), .label: .text(label)],
            secret: SecretValue(text: "the password of account \(number)")
        )
    }

    /// Makes a keychain of so many items, and closes it.
    private static func fill(_ path: String, _ count: Int, _ code: SlotSecret) async throws {
        let keychain = try await LocalKeychain.create(at: path, secret: code)
        for number in 0..<count { try keychain.add(item(number)) }
    }

    private static func open(_ path: String, _ code: SlotSecret) async throws -> LocalKeychain {
        let keychain = try LocalKeychain(path: path)
        try await keychain.unlock(code)
        return keychain
    }

    // MARK: What is measured

    /// One item by its primary key, in turns in this process and through the agent; then what programs take.
    private static func readings(
        of path: String,
        _ code: SlotSecret,
        by agent: Child,
        programs: () throws -> Figure
    ) async throws -> [Figure] {
        defer { agent.stop() }
        guard try agent.line().hasPrefix("ready") else { throw BenchError("the agent does not start") }
        let client = try AgentClient(at: Folder.parent(of: path) + "/agent/socket")
        try client.unlock(code)
        let local = try await open(path, code)
        // The first reading past the agent is noted in the file, and the agent looks at the whole of it again.
        try read(0, from: local)
        try read(0, from: client)
        let roundTrip = try RoundTrip(at: Folder.parent(of: path) + "/agent/bare")
        defer { roundTrip.stop() }
        var (here, there, bare): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<turns / 100 {
            here += try times(100) { try read(.random(in: 0..<few), from: local) }
            there += try times(100) { try read(.random(in: 0..<few), from: client) }
            bare += try times(100) { try roundTrip.turn() }
        }
        func figure(
            _ what: String,
            _ value: Double,
            peer: (String, Double)? = nil,
            most: Double? = nil
        ) -> Figure {
            Figure(
                what: "keychain of 10,000, copyMatching by primary key" + what,
                value: value,
                unit: .microseconds,
                peer: peer,
                goal: most.map { .value(atMost: $0) }
            )
        }
        return [
            figure(", p50", here.median, most: 60_000),
            figure(", p99", here.quantile(0.99)),
            figure(
                " through the agent, p50",
                there.median,
                peer: ("a bare round trip, and the same here", bare.median + here.median),
                most: 150_000
            ),
            figure(" through the agent, p99", there.quantile(0.99)),
            try programs(),
        ]
    }

    private static func read(_ number: Int, from keychain: some Keychain) throws {
        _ = try keychain.item(.genericPassword(service: service(of: number), account: account(number)))
    }

    /// One item added, beside as many bytes that are written and synced: each is in the file that the other is beside.
    private static func additions(to path: String, movedTo place: String, _ code: SlotSecret) async throws -> [Figure] {
        _ = try Child.output(of: ["cp", path, place])
        let keychain = try await open(place, code)
        let before = try size(of: place + "-wal")
        for number in 0..<50 { try keychain.add(item(few + number)) }
        let written = (try size(of: place + "-wal") - before) / 50
        // Until the log is as long as it gets, and is written from its start again: a longer file costs more.
        for number in 50..<400 { try keychain.add(item(few + number)) }
        var floor = try SyncedWrites(at: place + ".floor", size: written, length: 4 << 20)
        var (added, synced): ([Double], [Double]) = ([], [])
        for number in 400..<1_000 {
            added += try times(1) { try keychain.add(item(few + number)) }
            synced += try times(1) { try floor.next() }
        }
        return [
            Figure(
                what: "keychain of 10,000, add, p50",
                value: added.median,
                unit: .microseconds,
                peer: ("pwrite and fdatasync of \(written) bytes", synced.median),
                goal: .value(atMost: synced.median + 200_000),
                note: "goal: the peer and 200 us"
            )
        ]
    }

    private static func searches(in path: String, _ code: SlotSecret) async throws -> [Figure] {
        try await fill(path, many, code)
        var opened: [Double] = []
        for _ in 0..<3 {
            let start = nanoseconds()
            _ = try await open(path, code)
            opened.append(Double(nanoseconds() - start))
        }
        let megabytes = Unit.megabytes.text(Double(try size(of: path)))
        let keychain = try await open(path, code)
        let some = try times(300) {
            let query = KeychainQuery.genericPassword(service: service(of: .random(in: 0..<many)))
            guard try keychain.copyMatching(query, limit: .all).count == 10 else { throw BenchError("not ten items") }
        }
        let shared = KeychainQuery(.genericPassword, [.label: .text(label)])
        let first = try times(300) { _ = try keychain.copyMatching(shared, limit: .one) }
        return [
            Figure(
                what: "keychain of 100,000, ten found by one attribute, p50",
                value: some.median,
                unit: .microseconds,
                goal: .value(atMost: 5_000_000)
            ),
            Figure(
                what: "keychain of 100,000, the first of all by one attribute, p50",
                value: first.median,
                unit: .microseconds,
                goal: .value(atMost: 5_000_000),
                note: "which all items share"
            ),
            Figure(
                what: "keychain of 100,000, unlocked",
                value: opened.median,
                unit: .milliseconds,
                note: "each row of \(megabytes) is hashed; Argon2id comes on top"
            ),
        ]
    }

    // MARK: Parts

    private static func times(_ turns: Int, _ body: () throws -> Void) rethrows -> [Double] {
        var times: [Double] = []
        for _ in 0..<turns {
            let start = nanoseconds()
            try body()
            times.append(Double(nanoseconds() - start))
        }
        return times
    }

    private static func size(of path: String) throws -> Int {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last("look at", path) }
        return Int(status.st_size)
    }
}
