import Foundation
import HouseSupport
import TestSupport
import Testing

/// The client in Python that attacks others speaks the same language as ours: no attack fails for want of that.
@Suite("An independent client", .enabled(if: PythonPeer.isExpected))
struct IndependentClientTests {
    @Test func talksWithOurs() async throws {
        let scene = try await AttackedHouse()
        let peer = try await scene.attack(by: "consent_peer.py")
        let handle = try #require(peer.handle)
        try await scene.bob.done("send", "kitchen", "hello, 밀담")
        #expect(try await peer.answers() == ["201": 3])
        let heard = ["hello, 밀담", "heard: hello, 밀담"]
        #expect(try await scene.bob.texts("kitchen") == heard)
        #expect(try await scene.alice.texts("kitchen") == heard)
        expect(try await scene.bob.run("room", "list"), 0, "observatory", "invited by \(handle)")
        try await scene.bob.done("room", "join", "observatory")
        #expect(try await scene.bob.texts("observatory") == ["welcome"])
    }
}
