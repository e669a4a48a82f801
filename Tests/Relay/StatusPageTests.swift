import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamSystem
import MildamTransport
import Testing

@testable import MildamRelay

@Suite("Status pages and logs")
struct StatusPageTests {
    /// What Prometheus reads, by name and labels.
    private func samples(_ relay: TestRelay) async throws -> [String: Double] {
        let answer = try await relay.ask(.get, "/metrics")
        #expect(answer.status == 200 && answer.fields["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        var samples: [String: Double] = [:]
        var types: Set<Substring> = []
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.hasSuffix("\n"))
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# TYPE ") { #expect(types.insert(words[2]).inserted, "\(line)") }
            guard !line.hasPrefix("#") else { continue }
            #expect(words.count == 2, "\(line)")
            #expect(samples.updateValue(try #require(Double(words[1])), forKey: String(words[0])) == nil, "\(line)")
        }
        return samples
    }

    @Test("it lives, it is ready, and it counts what it does")
    func pages() async throws {
        let relay = try TestRelay()
        #expect(try await relay.ask(.get, "/live").status == 200)
        #expect(try await relay.ask(.get, "/ready").status == 200)
        #expect(try await relay.ask(.post, "/ready").status == 405)
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        for number in 0..<7 { #expect(try await alice.say("\(number)", in: room).status == 201) }
        #expect(try await alice.ask(.get, "/v1/nowhere").status == 404)
        let samples = try await samples(relay)
        #expect(samples["mildam_messages_total"] == 7)
        #expect(samples[#"mildam_requests_total{route="/v1/rooms/{room}/group/messages",status="2xx"}"#] == 7)
        #expect(samples[#"mildam_requests_total{route="other",status="4xx"}"#] == 1)
        #expect(samples[#"mildam_rate_limited_total{rule="message"}"#] == 0)
        #expect(samples[#"mildam_request_seconds_bucket{le="+Inf"}"#] == 10)
        #expect(samples["mildam_request_seconds_count"] == 10)
        #expect(try #require(samples["mildam_commit_seconds_count"]) >= 9)
        #expect(try #require(samples["process_resident_memory_bytes"]) > 1_000_000)
        #expect(try #require(samples["process_open_fds"]) > 5)
        #expect(try #require(samples["process_max_fds"]) > 100)
        await relay.server.stop()
    }

    @Test("it counts what it keeps, and what room there is")
    func kept() async throws {
        let relay = try TestRelay()
        let alice = try await Person("alice", on: relay)
        let bob = try await Person("bob", on: relay)
        let room = try await alice.makeRoom()
        for number in 0..<7 { #expect(try await alice.say("\(number)", in: room).status == 201) }
        #expect(try await bob.ask(Routes.deleteAccount.at(), bob.deletion()).status == 204)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            relay.server.parts.figures.count { done.resume() }
        }
        let samples = try await samples(relay)
        #expect(samples["mildam_accounts"] == 1, "a deleted account is none")
        #expect(samples["mildam_sessions"] == 1 && samples["mildam_rooms"] == 1)
        #expect(try #require(samples["mildam_stored_bytes"]) > 10 * 256)
        let database = try #require(samples["mildam_database_bytes"])
        #expect((database > 0) == (StoreUnderTest.chosen == .sqlite))
        let disk = try DiskRoom(at: relay.folder.path)
        #expect(samples["mildam_disk_size_bytes"] == Double(disk.totalBytes))
        #expect(try #require(samples["mildam_disk_free_bytes"]) > 0)
        await relay.server.stop()
    }

    @Test("to whomever a proxy speaks for, there are no figures")
    func forwarded() async throws {
        let relay = try TestRelay()
        for fields: HTTPFields in [
            ["X-Forwarded-For": "192.0.2.1"], ["Forwarded": "for=192.0.2.1"],
            // The proxy's line beside the client's own.
            ["X-Forwarded-For": "x", "X-Forwarded-For": "192.0.2.1"], ["Forwarded": "x", "Forwarded": "for=192.0.2.1"],
        ] {
            let answer = try await relay.ask(.get, "/metrics", fields: fields)
            #expect(answer.status == 404 && answer.apiError?.code == .unknownRoute)
        }
        await relay.server.stop()
    }

    @Test(
        "every request is logged where that is asked for, under the id that a refusal shows, and nothing of whose it is"
    )
    func requestLog() async throws {
        let relay = try TestRelay { $0.logsRequests = true }
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        _ = try await alice.say("secret", in: room)
        let refusal = try await alice.ask(.get, Routes.room.at(.random()).path)
        let id = try #require(refusal.fields["X-Request-Id"])
        let lines = relay.lines.withLock { $0 }
        #expect(lines.count == 4)
        #expect(
            lines.contains { line in
                line.contains("POST") && line.contains("/v1/rooms/{room}/group/messages") && line.contains("201")
            }
        )
        #expect(lines.last?.contains(id) == true && lines.last?.contains("404") == true, "\(lines)")
        for secret in ["alice", room.id.description, alice.account.description, alice.token, "127.0.0.1"] {
            #expect(!lines.contains { $0.contains(secret) }, "\(secret)")
        }
        await relay.server.stop()
    }

    @Test("a line of JSON, whatever is in it")
    func json() throws {
        let entry = RelayLog.Entry(
            level: .error,
            event: "disk_full",
            message: "the \"disk\"\nis full\u{1b}",
            fields: [.text("path", "a/b"), .number("count", 3), .decimal("ms", 1.5), .decimal("none", .nan)]
        )
        let line = entry.json(at: WallClock { 1_700_000_000_250 })
        #expect(!line.contains("\n") && !line.contains("\u{1b}"))
        #expect(line.hasPrefix(#"{"time":"2023-11-14T22:13:20.250Z","level":"error","event":"disk_full","message":"#))
        let value = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(value?["message"] as? String == "the \"disk\"\nis full\u{1b}")
        #expect(value?["path"] as? String == "a/b" && value?["count"] as? Int == 3 && value?["ms"] as? Double == 1.5)
        #expect(value?["none"] is NSNull)
        #expect(entry.line.hasPrefix("error: the \"disk\""))
    }
}
