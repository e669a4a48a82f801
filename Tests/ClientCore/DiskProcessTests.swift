import Foundation
import Glibc
import MildamClientCore
import MildamClientStore
import MildamContent
import MildamIdentity
import MildamSimulate
import TestSupport
import Testing

@Suite("A client's rooms on a disk: killed, without power, and counted", .serialized)
struct DiskProcessTests {
    /// That a client's database has what the client said it has: what is staged is there byte by byte or has its number, and what
    /// has its echo is read.
    private func expect(_ path: String, after said: String, _ location: SourceLocation = #_sourceLocation) throws {
        func numbers(_ word: String) -> [Int] {
            said.split(separator: "\n").filter { $0.hasPrefix(word + " ") }
                .compactMap { Int($0.dropFirst(word.count + 1)) }
        }
        let store = try RoomDisk.open(path, DiskChild.rootKey).1
        #expect(try store.examine().damaged == 0, sourceLocation: location)
        let stored = try store.stored()
        #expect(stored.damaged.isEmpty, sourceLocation: location)
        let room = try #require(stored.rooms.first { $0.room == Cast.room }, sourceLocation: location)
        let group = try store.group(of: Cast.room)
        #expect(group != nil, sourceLocation: location)
        let shown = Set(try store.entries(of: Cast.room, .last(.max)).compactMap(\.id))
        for number in numbers("done") {
            #expect(shown.contains(DiskChild.message(number)), "\(number)", sourceLocation: location)
        }
        for number in numbers("staged") where !shown.contains(DiskChild.message(number)) {
            let intent = room.intents.first { $0.id == DiskChild.message(number) }
            #expect(intent?.staged != nil, "\(number)", sourceLocation: location)
        }
        #expect(!numbers("done").isEmpty, "nothing was done before the end", sourceLocation: location)
    }

    @Test("What a client that is killed had said to be stored is stored")
    func killed() throws {
        for _ in 0..<Count.of(few: 2, full: 10) {
            let folder = try TemporaryFolder()
            let child = try DiskChild.start("talk", path: folder.file("rooms.db"))
            try #require(child.line(containing: "done 3") != nil)
            usleep(.random(in: 1_000...300_000))
            child.signal(SIGKILL)
            try expect(folder.file("rooms.db"), after: child.wait().output)
        }
    }

    @Test("What a client had said to be stored survives a power cut between making a message and its echo")
    func powerCut() throws {
        for _ in 0..<Count.of(few: 2, full: 10) {
            let folder = try TemporaryFolder()
            let cut = try PowerCut(following: folder.path)
            let child = try DiskChild.start("talk", path: folder.file("rooms.db"), environment: cut.environment)
            try #require(child.line(containing: "done 3") != nil)
            usleep(.random(in: 1_000...300_000))
            child.signal(SIGKILL)
            let said = child.wait().output
            let restored = try cut.restored()
            try expect(restored.file("rooms.db"), after: said)
        }
    }

    @Test(
        "A send syncs once before its request leaves, a page of 500 messages once, and a step without change not at all",
        .enabled(if: Program.areExpected(["strace"], from: "strace"))
    )
    func syncs() throws {
        let folder = try TemporaryFolder()
        let child = try DiskChild.start(
            "count",
            path: folder.file("rooms.db"),
            through: ["strace", "-f", "-e", "trace=fsync,fdatasync,write", "-o", folder.file("trace")]
        )
        let result = child.wait()
        try #require(result.status == 0, "\(result)")
        #expect(result.output.contains("end page 502"))
        let lines = try String(contentsOfFile: folder.file("trace"), encoding: .utf8).split(separator: "\n")
        func count(_ work: String) throws -> Int {
            let begin = try #require(lines.firstIndex { $0.contains("\"begin \(work)") })
            let end = try #require(lines.firstIndex { $0.contains("\"end \(work)") })
            return lines[begin..<end].count { $0.contains("fsync(") || $0.contains("fdatasync(") }
        }
        #expect(try count("send") == 1)
        #expect(try count("nothing") == 0)
        #expect(try count("page") == 1)
    }
}
