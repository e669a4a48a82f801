import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

/// How long another waits is held as programs are released, with nothing beside them (Scripts/prove.d/16-attacks).
@Suite("A flood of one account")
struct FloodTests {
    private static let isFull = Build.isOptimised && ProcessInfo.processInfo.environment["MILDAM_PROVE"] != nil
    private static let questions = isFull ? 800 : 150

    /// Says something and reads it, as often as that, and notes how long each answer takes.
    private func converse(_ owner: RoomOwner) async throws -> [Duration] {
        var times: [Duration] = []
        func timed(_ ask: () async throws -> HTTPResponse) async throws -> HTTPResponse {
            let start = ContinuousClock.now
            let answer = try await ask()
            times.append(ContinuousClock.now - start)
            return answer
        }
        for number in 0..<Self.questions {
            let content = Array("\(number)".utf8)
            let sent = try await timed { try await owner.say(content) }
            let stored = try sent.value(SendReceipt.self).number
            let page = try await timed {
                try await owner.relay.ask(.get, Routes.messages.at(owner.room.id, query: stored).text, owner.token)
            }
            let said = Data(owner.room.message(content))
            #expect(try page.value(MessagePage.self).messages.map(\.body) == [said])
            try await Task.sleep(for: .milliseconds(5))
        }
        return times.sorted()
    }

    /// The messages of an account in a day, by the relay's options: a hundred a second, for whoever measures says more than people.
    private static let messages = 8_640_000

    private static func relay(in folder: TemporaryFolder) -> [String] {
        ["serve", "--data", folder.file("data"), "--listen", "127.0.0.1:0", "--messages", "\(messages)"]
    }

    @Test("is cut off by its rate: others are answered as before, and memory stays what it was")
    func oneAccount() async throws {
        let folder = try TemporaryFolder()
        let program = try Program("mildam-relay", Self.relay(in: folder))
        defer { program.signal(SIGKILL) }
        let relay = try OutsideRelay(try #require(program.line(containing: "listening on")))
        let loud = try await RoomOwner("loud", at: relay)
        let quiet = try await RoomOwner("quiet", at: relay)

        let before = try await converse(quiet)
        let memory = try program.peakBytes()
        let order: [String: Any] = [
            "port": Int(relay.endpoint.port), "room": "\(loud.room.id)", "token": loud.token, "source": "127.0.0.2",
        ]
        let input = String(decoding: try JSONSerialization.data(withJSONObject: order), as: UTF8.self)
        let start = ContinuousClock.now
        let script = Vectors.packageFolder + "/Tests/Peers/account_flood.py"
        let flood = try Program("/usr/bin/python3", [script], input: input)
        defer { flood.signal(SIGKILL) }
        try #require(flood.line(containing: "flooding") != nil, "\(flood.wait())")
        let under = try await converse(quiet)
        flood.signal(SIGTERM)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let result = flood.wait()
        let growth = try program.peakBytes() - memory

        let line = try #require(result.output.split(separator: "\n").last, "\(result)")
        let answers = try JSONDecoder().decode([String: Int].self, from: Data(line.utf8))
        let (stored, refused) = (answers["201", default: 0], answers["429", default: 0])
        let (quietly, loudly) = (before[before.count * 99 / 100], under[under.count * 99 / 100])
        print("figure: flood of one account: \(stored) stored, \(refused) refused in \(seconds) s")
        print("figure: flood of one account: p99 of another \(quietly) before, \(loudly) meanwhile")
        print("figure: flood of one account: \(growth >> 10) KiB more memory, 65536 KiB allowed")
        let rate = TokenBucket.Rate(aDay: UInt64(Self.messages), atOnce: RateRule.message.rate.burst)
        let filled = seconds * 1e9 / Double(rate.interval)
        #expect(stored >= rate.burst && Double(stored) <= Double(rate.burst) + filled + 1)
        // A flood it was, all the time; each connection is refused five times a second at most.
        #expect(refused > 16 && Double(refused) <= seconds * 5 * 16 + 16)
        #expect(Set(answers.keys) == ["201", "429"])
        #expect(under[under.count - 1] < .seconds(5))
        if !Sanitizer.isOn { #expect(growth <= 64 << 20) }
        // As for the attacks on the transport.
        if Self.isFull { #expect(loudly <= quietly * 3) }
    }

    /// As found: 1,500 requests of one account, each connection closed at once, made another's read wait 14 s.
    @Test(
        "of reads is nobody else's wait: connections closed at once, kept ones, and long bodies",
        arguments: Cases.drawn(1, of: ["closed", "kept", "long"], for: "floods of reads")
    )
    func reads(_ way: String) async throws {
        let folder = try TemporaryFolder()
        let program = try Program("mildam-relay", Self.relay(in: folder))
        defer { program.signal(SIGKILL) }
        let relay = try OutsideRelay(try #require(program.line(containing: "listening on")))
        let loud = try await RoomOwner("loud", at: relay)
        let quiet = try await RoomOwner("quiet", at: relay)
        // Each of its reads is a whole page.
        for _ in 0..<8 {
            try #require(try await loud.say([UInt8](repeating: 0, count: 150_000)).status == 201)
        }
        let before = try await converse(quiet)
        let memory = try program.peakBytes()
        let order: [String: Any] = [
            "port": Int(relay.endpoint.port), "room": "\(loud.room.id)", "token": loud.token, "source": "127.0.0.2",
            "way": way,
        ]
        let input = String(decoding: try JSONSerialization.data(withJSONObject: order), as: UTF8.self)
        let flood = try Program(
            "/usr/bin/python3",
            [Vectors.packageFolder + "/Tests/Peers/read_flood.py"],
            input: input
        )
        defer { flood.signal(SIGKILL) }
        try #require(flood.line(containing: "flooding") != nil, "\(flood.wait())")
        let under = try await converse(quiet)
        flood.signal(SIGTERM)
        let result = flood.wait()
        let after = try await converse(quiet)
        let growth = try program.peakBytes() - memory

        let line = try #require(result.output.split(separator: "\n").last, "\(result)")
        let sent = try JSONDecoder().decode([String: Int].self, from: Data(line.utf8))["sent", default: 0]
        let (quietly, loudly) = (before[before.count * 99 / 100], under[under.count * 99 / 100])
        print("figure: flood of reads, \(way): \(sent) sent; p99 of another \(quietly) before, \(loudly) meanwhile")
        print("figure: flood of reads, \(way): p99 of another \(after[after.count * 99 / 100]) after")
        print("figure: flood of reads, \(way): \(growth >> 10) KiB more memory, 262144 KiB allowed")
        #expect(sent > 16)
        #expect(under[under.count - 1] < .seconds(5), "it waited 14 s when reads were served as they came")
        if !Sanitizer.isOn { #expect(growth <= 256 << 20) }
        if Self.isFull { #expect(loudly <= max(quietly * 3, .milliseconds(20))) }
    }
}
