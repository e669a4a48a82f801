import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

/// However large a file is, the profile's client holds no more of it than a few pieces.
@Suite("Files in rooms, the memory of the client")
struct FileMemoryTests {
    private static let size = Count.of(few: 96, full: 1024) << 20
    private static let limit = 40 << 20

    @Test(
        .disabled(if: Sanitizer.isOn, "a sanitizer needs memory of its own, in proportion"),
        .timeLimit(.minutes(3))
    )
    func isBounded() async throws {
        let house = try await House.open()
        let alice = try await house.people("alice")[0]
        try await alice.done("room", "create", "kitchen")
        let small = house.folder.file("small")
        let large = house.folder.file("large")
        for (path, size) in [(small, 1_000), (large, Self.size)] {
            try Data().write(to: URL(fileURLWithPath: path))
            try #require(unsafe truncate(path, size) == 0)
        }
        _ = try await alice.run("client", "stop")
        let client = try alice.start("client", "run", "--stay")
        try #require(try await client.line(with: "ready") != nil)
        let first = try await alice.sendFile(small, to: "kitchen")
        try await alice.done("save", "kitchen", "\(first)", "-o", house.folder.file("copy"))
        let before = try client.peakBytes()
        let number = try await alice.sendFile(large, to: "kitchen")
        try await alice.done("save", "kitchen", "\(number)", "-o", house.folder.file("large copy"))
        let grown = try client.peakBytes() - before
        #expect(grown < Self.limit, "\(grown >> 20) MiB")
        #expect(FileManager.default.contentsEqual(atPath: large, andPath: house.folder.file("large copy")))
        client.signal(SIGTERM)
        _ = try await client.end()
    }
}
