import Foundation
import Testing

/// alice has sent a file, number 3; bob meets the relay through a proxy.
package struct FileScene {
    package let house: House
    package let proxy: TamperingProxy
    package let alice: Person
    package let bob: Person
    package let content = Data("what was sent".utf8)

    package static func set() async throws -> FileScene {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
        try await house.settle(alice, bob)
        try await house.room("kitchen", of: [alice, bob])
        let scene = FileScene(house: house, proxy: proxy, alice: alice, bob: bob)
        try scene.content.write(to: URL(fileURLWithPath: house.folder.file("note.txt")))
        try await alice.done("send", "kitchen", "--file", house.folder.file("note.txt"))
        try await bob.done("read", "kitchen")
        return scene
    }

    package func read(_ name: String) -> Data? { FileManager.default.contents(atPath: house.folder.file(name)) }
}
