import Foundation
import HouseSupport
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

/// A dishonest relay, as bob meets it while he reads.
@Suite("A relay that lies about what was said")
struct TamperedRoomTests {
    /// alice honest, bob behind a proxy, both in "kitchen".
    private struct Scene {
        let house: House
        let proxy: TamperingProxy
        let alice: Person
        let bob: Person

        static func set() async throws -> Scene {
            let house = try await House.open()
            let proxy = try TamperingProxy.start(before: house.relay.url)
            let (alice, bob) = (house.person("alice"), house.person("bob", at: proxy.url))
            try await house.settle(alice, bob)
            try await house.room("kitchen", of: [alice, bob])
            return Scene(house: house, proxy: proxy, alice: alice, bob: bob)
        }
    }

    enum Lie: CaseIterable, Sendable {
        case bitFlipped, otherAccount, replayedUnderAnotherNumber
    }

    /// Of three texts the second is changed in the log that bob reads: it is refused, and nothing is shown in its place.
    @Test(arguments: Cases.drawn(2, of: Lie.allCases, for: "lies about messages"))
    func aMessage(_ lie: Lie) async throws {
        let scene = try await Scene.set()
        try await scene.bob.done("client", "stop")
        for text in ["one", "two", "three"] { try await scene.alice.done("send", "kitchen", text) }
        let numbers = try await scene.alice.messages("kitchen").filter { $0.kind == "text" }.map(\.number)
        try #require(numbers.count == 3)
        scene.proxy.tamper { route, request, answer in
            guard case Routes.messages = route, request.method == .get else { return answer }
            return try answer.changing(MessagePage.self) { page in
                guard let first = page.messages.firstIndex(where: { $0.number == numbers[0] }),
                    let second = page.messages.firstIndex(where: { $0.number == numbers[1] })
                else { return }
                switch lie {
                case .bitFlipped: page.messages[second].body[page.messages[second].body.count - 20] ^= 1
                case .otherAccount: page.messages[second].account = .random()
                case .replayedUnderAnotherNumber: page.messages[second].body = page.messages[first].body
                }
            }
        }
        let read = try await scene.bob.run("read", "kitchen")
        expect(read, 5, "alice: one", "alice: three", "1 message(s) refused: damaged, forged, or out of place")
        #expect(!read.output.contains("two"), "\(read)")
        #expect(try await scene.bob.texts("kitchen") == ["one", "three"])
    }

    /// A file whose bytes were changed at the relay is not saved, and what was there before stays.
    @Test(arguments: [0, 1])
    func aFile(_ piece: Int) async throws {
        let scene = try await Scene.set()
        var random = Seed.generator(for: "tampered file")
        let file = scene.house.folder.file("file.bin")
        try Data(random.bytes(1_200_000)).write(to: URL(fileURLWithPath: file))
        let number = "\(try await scene.alice.sendFile(file, to: "kitchen"))"
        try await scene.bob.done("read", "kitchen")
        let target = scene.house.folder.file("saved.bin")
        try Data("before".utf8).write(to: URL(fileURLWithPath: target))
        scene.proxy.tamper { route, request, answer in
            guard case Routes.blobContent = route, request.target.query?.contains("offset=0&") == (piece == 0) else {
                return answer
            }
            var answer = answer
            answer.body[answer.body.count / 2] ^= 1
            return answer
        }
        expect(try await scene.bob.run("save", "kitchen", number, "-o", target, "--force"), 5)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("before".utf8))
        scene.proxy.behave()
        try await scene.bob.done("save", "kitchen", number, "-o", target, "--force")
        #expect(FileManager.default.contentsEqual(atPath: file, andPath: target))
    }

    enum Nonsense: CaseIterable, Sendable {
        case notJSON, empty, wrongType, otherStatus, hugeNumber
    }

    /// Answers that are none: said in one line, with the status of damaged data, and nothing is lost.
    @Test(arguments: Cases.drawn(2, of: Nonsense.allCases, for: "nonsense"))
    func nonsense(_ nonsense: Nonsense) async throws {
        let scene = try await Scene.set()
        try await scene.alice.done("send", "kitchen", "hello")
        scene.proxy.tamper { _, _, answer in
            var answer = answer
            switch nonsense {
            case .notJSON: answer.body = Array("<html>".utf8)
            case .empty: answer.body = []
            case .wrongType: answer.body = Array("[1, 2, 3]".utf8)
            case .otherStatus: (answer.status, answer.body) = (418, [])
            case .hugeNumber:
                answer.body = Array(#"{"first":1,"next":18446744073709551615,"messages":[]}"#.utf8)
            }
            return answer
        }
        expect(try await scene.bob.run("read", "kitchen"), 5)
        scene.proxy.behave()
        try await scene.bob.done("send", "kitchen", "left")
        #expect(try await scene.bob.texts("kitchen") == ["hello", "left"])
    }

    /// The same to a message that was sent already: whether the relay has it, the room's log says, and it is there once.
    @Test func nonsenseToWhatWasSent() async throws {
        let scene = try await Scene.set()
        scene.proxy.tamper { route, _, answer in
            guard case Routes.sendToGroup = route else { return answer }
            var answer = answer
            answer.body = Array("<html>".utf8)
            return answer
        }
        expect(try await scene.bob.run("send", "kitchen", "once"), 0, "sent")
        #expect(!scene.proxy.sends.isEmpty)
        expect(try await scene.bob.run("outbox", "list"), 0, "nothing waits")
        scene.proxy.behave()
        try await scene.bob.done("send", "kitchen", "after it")
        #expect(try await scene.alice.texts("kitchen") == ["once", "after it"])
        expect(try await scene.bob.run("outbox", "list"), 0, "nothing waits")
    }
}
