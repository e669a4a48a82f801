import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

@Suite("How a relay starts")
struct StartTests {
    @Test("what a killed relay left of a file that was to appear whole is removed, and nothing else")
    func remains() async throws {
        let folder = try TemporaryFolder()
        let data = folder.file("data")
        try Folder.create(data)
        let remains = ["secrets.12.34.part", "relay.db.12.34.part"].map { data + "/" + $0 }
        let others = ["mine.part", "secrets.old", "relay.db.copy"].map { data + "/" + $0 }
        for path in remains + others { try WholeFile.write([1].span, to: path) }
        let relay = try TestRelay(folder: folder)
        for path in remains { #expect(!WholeFile.exists(path)) }
        // Who does not get the folder leaves it alone.
        try WholeFile.write([1].span, to: remains[0])
        #expect(throws: RelayError.self) { try TestRelay(folder: folder) }
        for path in others + [remains[0]] { #expect(WholeFile.exists(path)) }
        await relay.server.stop()
    }

    @Test(
        "one that fails, wherever it does, leaves no thread and no lock",
        .enabled(if: StoreUnderTest.isSQLite("the relay that fails opens the folder's database"))
    )
    func failure() async throws {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var before = rlimit()
        try #require(unsafe getrlimit(resource, &before) == 0)
        let folder = try TemporaryFolder()
        await (try TestRelay(folder: folder)).server.stop()
        let open = Set(try Self.names(in: "/proc/self/fd").compactMap(Int.init))
        // Others may be open above those that are free: only this many numbers more can be had below the limit.
        func limit(leaving spare: Int) -> Int {
            (0...).lazy.filter { !open.contains($0) }.prefix(spare).reduce(0) { $1 + 1 }
        }
        try await Task.sleep(for: .milliseconds(100))
        var failures = 0
        var lastError = ""
        // A descriptor more each time, until there are enough.
        for spare in 1...200 {
            let threads = try Self.relayThreads()
            var limit = rlimit(rlim_cur: rlim_t(limit(leaving: spare)), rlim_max: before.rlim_max)
            try #require(unsafe setrlimit(resource, &limit) == 0)
            let configuration = RelayConfiguration(dataFolder: folder.path + "/data", address: .loopback(port: 0))
            let result = Result { try RelayServer(configuration) }
            unsafe setrlimit(resource, &before)
            switch result {
            case .success(let server): await server.stop()
            case .failure(let error): lastError = "\(error)"
            }
            if case .success = result { break }
            failures += 1
            for _ in 0..<200 where try Self.relayThreads() > threads { try await Task.sleep(for: .milliseconds(5)) }
            #expect(try Self.relayThreads() <= threads, "with \(spare) descriptors")
        }
        #expect(failures > 3 && failures < 200, "\(failures), the last one with \(lastError)")
    }

    /// Threads of this process but Swift's own and the system's, which come and go.
    private static func relayThreads() throws -> Int {
        try names(in: "/proc/self/task").count
    }

    private static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    @Test("idle strangers leave the descriptors that blobs need, and the limit is as high as it may be")
    func descriptors() async throws {
        let folder = try TemporaryFolder()
        let program = try Program(
            "/bin/sh",
            [
                "-c", "ulimit -Sn 100; ulimit -Hn 200; exec \"$0\" \"$@\"", try Program.find("mildam-relay"), "serve",
                "--data", folder.file("data"), "--listen", "127.0.0.1:0",
            ]
        )
        defer { program.signal(SIGKILL) }
        let relay = try OutsideRelay(try #require(program.line(containing: "listening on")), connections: 1)
        let alice = try await RoomOwner("alice", at: relay)
        let address = try #require(SocketAddress(ip: relay.endpoint.host, port: relay.endpoint.port))
        var strangers: [Stranger] = []
        // More than the soft limit, beside the 64 that are kept, would have had.
        for _ in 0..<120 {
            let stranger = try Stranger(to: address)
            #expect(await stranger.ask("GET /v1/relay HTTP/1.1\r\nHost: a\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            strangers.append(stranger)
        }
        for _ in 0..<100 { strangers.append(try Stranger(to: address)) }
        try await Task.sleep(for: .milliseconds(200))
        let path = Routes.blob.at(BlobPlace(alice.room.id, .random())).path + "?size=1&offset=0"
        #expect(try await relay.ask(.put, path, alice.token, bytes: [1]).status == 200)
        withExtendedLifetime(strangers) {}
    }

    @Test("a data folder that somebody made and did not sync is there after a power cut")
    func unsyncedFolder() async throws {
        let root = try TemporaryFolder()
        let cut = try PowerCut(following: root.path)
        let made = try Program.run("mkdir", ["-m", "700", root.file("data")], environment: cut.environment)
        #expect(made.status == 0, "\(made)")
        #expect(try !FileManager.default.fileExists(atPath: cut.restored().file("data")), "mkdir does not sync")
        let program = try Program(
            "mildam-relay",
            ["serve", "--data", root.file("data"), "--listen", "127.0.0.1:0"],
            environment: cut.environment
        )
        let line = program.line(containing: "listening on")
        program.signal(SIGKILL)
        let result = program.wait()
        try #require(line != nil, "\(result)")
        let disk = try cut.restored()
        for name in ["secrets", "relay.db"] {
            #expect(FileManager.default.fileExists(atPath: disk.file("data/\(name)")), "\(name)")
        }
    }
}
