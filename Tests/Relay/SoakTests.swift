import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

/// A relay in use for long: some seconds, or as many as `MILDAM_SOAK_SECONDS` says. People talk, upload, read, come and go
/// all the time; what the process holds must not grow with it.
@Suite("Soak")
struct SoakTests {
    private static let seconds = ProcessInfo.processInfo.environment["MILDAM_SOAK_SECONDS"].flatMap { Int($0) } ?? 6
    private static let people = 8

    /// What the process holds, as it says itself.
    private struct Holding {
        let bytes: Int
        let descriptors: Int
        let messages: Int

        init(_ relay: OutsideRelay) async throws {
            let page = String(decoding: try await relay.ask(.get, "/metrics", nil).body, as: UTF8.self)
            func value(_ name: String) throws -> Int {
                let line = try #require(page.split(separator: "\n").first { $0.hasPrefix(name + " ") })
                return try #require(Int(line.split(separator: " ")[1]))
            }
            bytes = try value("process_resident_memory_bytes")
            descriptors = try value("process_open_fds")
            messages = try value("mildam_messages_total")
        }
    }

    @Test("memory and descriptors stay what they were", .timeLimit(.minutes(45)))
    func flat() async throws {
        let folder = try TemporaryFolder()
        let program = try Program(
            "mildam-relay",
            ["serve", "--data", folder.file("data"), "--listen", "127.0.0.1:0", "--no-rate-limits"]
        )
        defer { program.signal(SIGKILL) }
        let relay = try OutsideRelay(try #require(await program.line(with: "listening on")))
        let end = ContinuousClock.now + .seconds(Self.seconds)
        var holdings: [Holding] = []
        try await withThrowingTaskGroup { group in
            for number in 0..<Self.people {
                group.addTask { try await Self.live("person\(number)", at: relay, until: end) }
            }
            while ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(Self.seconds * 10))
                holdings.append(try await Holding(relay))
            }
            try await group.waitForAll()
        }
        // Nobody is there any more: what is left open is the relay's own, and this connection.
        try await Task.sleep(for: .seconds(1))
        let last = try await Holding(relay)
        print(
            "figure: soak of \(Self.seconds) s: \(last.messages) messages, \(last.bytes >> 20) MiB, \(last.descriptors) descriptors"
        )
        #expect(last.messages > Self.seconds * 10)
        let (second, fourth) = (
            holdings[holdings.count / 4..<holdings.count / 2], holdings[(holdings.count * 3 / 4)...]
        )
        let (before, after) = (second.map(\.bytes).max() ?? 0, fourth.map(\.bytes).max() ?? 0)
        // A sanitizer keeps what was freed.
        if !Sanitizer.isOn { #expect(after <= before + before / 10 + (8 << 20), "\(before) bytes, then \(after)") }
        let most = second.map(\.descriptors).max() ?? 0
        #expect(fourth.allSatisfy { $0.descriptors <= most + 4 }, "\(most), then \(fourth.map(\.descriptors))")
        #expect(last.descriptors <= most)
        program.signal(SIGTERM)
        #expect(try await program.end().status == 0)
    }

    /// One person's days: a login, a room, things said and read, a file, a socket that is followed for a while.
    private static func live(_ name: String, at relay: OutsideRelay, until end: ContinuousClock.Instant) async throws {
        var turn = 0
        while ContinuousClock.now < end {
            // A token lives five minutes; who is new has a fresh one.
            let owner = try await RoomOwner("\(name).\(turn)", at: relay)
            let (token, room) = (owner.token, owner.room.id)
            let socket = try await WebSocketClient.connect(
                relay.endpoint,
                try #require(HTTPTarget(Routes.socket.path)),
                fields: ["Authorization": "Bearer " + token]
            )
            let subscribe = try JSONEncoder().encode(LiveRequest.subscribe(room: room, from: 1))
            try await socket.send(text: String(decoding: subscribe, as: UTF8.self))
            for number in 1...50 where ContinuousClock.now < end {
                let content = [UInt8](repeating: 0, count: 400 * (number % 7 + 1))
                #expect(try await owner.say(content).status == 201)
                if number % 10 == 0 {
                    #expect(try await relay.ask(.get, Routes.messages.at(room, query: 1).text, token).status == 200)
                    let piece = Routes.blob.at(BlobPlace(room, .random())).path + "?size=10000&offset=0"
                    #expect(
                        try await relay.ask(.put, piece, token, bytes: [UInt8](repeating: 1, count: 10_000)).status
                            == 200
                    )
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            socket.close()
            turn += 1
        }
    }
}
