import Foundation
import TestSupport
import Testing

/// A program of Tests/Peers that attacks a client: bob's.
final class ClientAttacker: Sendable {
    private let program: Program
    /// The handle of an attacker who was brought in; `nil` for a stranger.
    let handle: String?

    /// What it reads.
    struct Order: Encodable {
        var relay: Relay
        var source = "127.0.0.7"
        var victim = "bob"
        var friend = "alice"
        var rooms = ["attic", "kitchen"]
        var attack: String?
        var seconds: Int
        var most: Int
        var day: [String: Int]?
        var share: Double?

        struct Relay: Encodable {
            var port: Int
            var tls = false
        }
    }

    /// Starts it, brings it in if it asks for that, and returns once it attacks.
    init(_ script: String, _ order: Order, bringingIn: (String) async throws -> Void) async throws {
        let input = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
        let path = Vectors.packageFolder + "/Tests/Peers/" + script
        let program = try Program("/usr/bin/python3", [path], input: input)
        self.program = program
        var handle: String?
        do {
            // "ready HANDLE" and "waiting" of one who is to be brought in, or "attacking" at once.
            let first = try #require(try await program.line(with: "ing", within: 60), "it did not begin")
            if first == "waiting" {
                let ready = try #require(try await program.line(with: "ready ", within: 0))
                let name = String(ready.dropFirst("ready ".count))
                try await bringingIn(name)
                handle = name
            }
            try #require(try await program.line(with: "attacking", within: 120) != nil, "it did not attack")
        } catch {
            program.signal(SIGKILL)
            throw Failure(cause: error, end: try await program.end())
        }
        self.handle = handle
    }

    /// Whether it is not done yet.
    var isRunning: Bool {
        program.line(containing: "{", within: 0) == nil && program.complaint(containing: "Error", within: 0) == nil
    }

    /// A line that it printed.
    func line(with text: String) async throws -> String? { try await program.line(with: text, within: 0) }

    /// Waits for its end: how often it was answered what.
    func answers() async throws -> [String: Int] {
        let result = try await program.end()
        try #require(result.status == 0, "\(result)")
        let line = try #require(result.output.split(separator: "\n").last { $0.hasPrefix("{") }, "\(result)")
        return try JSONDecoder().decode([String: Int].self, from: Data(line.utf8))
    }

    deinit { program.signal(SIGKILL) }

    private struct Failure: Error {
        let cause: any Error
        let end: Program.Result
    }
}
