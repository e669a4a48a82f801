import Foundation
import HouseSupport
import MildamClientAPI
import TestSupport
import Testing

@Suite("What a profile's client syncs")
struct ClientSyncTests {
    /// The system calls that were noted so far.
    private func calls(in trace: String) throws -> [Substring] {
        try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    }

    @Test(
        "What is sent is synced once before its request leaves",
        .enabled(if: Program.areExpected(["strace"], from: "strace"))
    )
    func sending() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        let trace = house.folder.file("trace")
        // As a grandchild of this process, so that the client is the child.
        let watcher = ["strace", "-D", "-f", "-e", "trace=fsync,fdatasync,write,writev,sendto,sendmsg", "-o", trace]
        let client = try await RunningClient.start(alice, through: watcher)
        let room = try await client.room("kitchen", with: [])
        var noted = -1
        while try noted != calls(in: trace).count {
            noted = try calls(in: trace).count
            // A second after a step, what it has deleted is cut out of the log.
            try await Task.sleep(for: .milliseconds(1500))
        }
        try await client.get(.send(room: room, text: "once"))
        let done = try calls(in: trace).dropFirst(noted)
        let leaving = try #require(done.firstIndex { $0.contains("\"POST /v1/rooms/") })
        let syncs = done[..<leaving].filter { $0.contains("fsync(") || $0.contains("fdatasync(") }
        #expect(syncs.count == 1, "\(syncs)")
        try await client.stop()
    }
}
