import Foundation
import HouseSupport
import TestSupport
import Testing

/// `mildam watch`, where what it shows is read no more.
@Suite("Watching ends with its reader", .timeLimit(.minutes(1)))
struct WatchEndTests {
    private static let script = """
        ("$1" watch --json 2>watch.err | head -n 1 >first) &
        until grep -q connected watch.err; do sleep 0.05; done
        "$1" send kitchen one && "$1" send kitchen two && "$1" send kitchen three
        wait
        echo ended
        """

    @Test func aReaderThatHasGone() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        let folder = try TemporaryFolder()
        let result = try await Program.result(
            of: "bash",
            ["-c", Self.script, "-", try Program.find("mildam")],
            environment: alice.variables,
            folder: folder.path
        )
        expect(result, 0, "sent, number ", "ended")
        #expect(try String(contentsOfFile: folder.file("first"), encoding: .utf8).split(separator: "\n").count == 1)
        let said = try String(contentsOfFile: folder.file("watch.err"), encoding: .utf8)
        #expect(!said.contains("mildam: "), "\(said)")
        try await alice.done("client", "stop")
    }

    /// A disk that is full is no reader that has gone: what was not shown is told.
    @Test func aFullOutput() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        let script = """
            "$1" watch --json >/dev/full 2>watch.err & watching=$!
            until grep -q connected watch.err; do sleep 0.05; done
            "$1" send kitchen one
            wait $watching
            """
        let folder = try TemporaryFolder()
        let result = try await Program.result(
            of: "bash",
            ["-c", script, "-", try Program.find("mildam")],
            environment: alice.variables,
            folder: folder.path
        )
        #expect(result.status == 1, "\(result)")
        let said = try String(contentsOfFile: folder.file("watch.err"), encoding: .utf8)
        #expect(said.contains("No space left on device"), "\(said)")
        try await alice.done("client", "stop")
    }
}
