import Foundation
import Testing

/// alice has sent a file; bob meets the relay through a proxy.
package struct FileScene {
    package let house: House
    package let proxy: TamperingProxy
    package let alice: Person
    package let bob: Person
    package let content: Data
    /// The file's number.
    package let number: UInt64

    package static func set() async throws -> FileScene {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        try await house.settle(alice, bob)
        try await house.room("kitchen", of: [alice, bob])
        let content = Data("what was sent".utf8)
        try content.write(to: URL(fileURLWithPath: house.folder.file("note.txt")))
        let number = try await alice.sendFile(house.folder.file("note.txt"), to: "kitchen")
        try await bob.done("read", "kitchen")
        return FileScene(house: house, proxy: proxy, alice: alice, bob: bob, content: content, number: number)
    }

    package func read(_ name: String) -> Data? { FileManager.default.contents(atPath: house.folder.file(name)) }

    /// Writes a file of so many bytes, each another than those around it.
    package func write(_ name: String, _ count: Int) throws -> String {
        let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        try content.write(to: URL(fileURLWithPath: house.folder.file(name)))
        return house.folder.file(name)
    }
}

extension Person {
    /// Sends a file, and says which number it got.
    package func sendFile(_ path: String, to room: String) async throws -> UInt64 {
        let said = try await done("send", room, "--file", path, "--json")
        return try JSONDecoder().decode(SentFile.self, from: Data(said.utf8)).number
    }

    private struct SentFile: Decodable {
        var number: UInt64
    }

    /// What lies in a folder of the profile.
    package func names(in name: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + name)) ?? []
    }

    /// Waits until a room has so many files.
    package func files(_ count: Int, in room: String) async throws -> [Message] {
        for _ in 0..<200 {
            let files = try await messages(room).filter { $0.kind == "file" }
            if files.count >= count { return files }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("the file did not come")
        throw CancellationError()
    }
}
