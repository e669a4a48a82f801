import Foundation
import Glibc
import MildamSystem
import MildamTransport
import TestSupport
import Testing

/// A relay as a program of its own.
package final class RelayProcess: Sendable {
    package let program: Program
    /// "http://127.0.0.1:8443".
    package let url: String
    /// Its id, as it says it.
    package let id: String
    private let isOver = Lock(false)

    private init(_ program: Program, url: String, id: String) {
        self.program = program
        self.url = url
        self.id = id
    }

    /// Starts `mildam-relay serve`, or, with `weakened`, the one that syncs less; returns once it listens.
    ///
    /// - Parameters:
    ///   - options: what it is started with besides.
    ///   - url: where to listen; `nil` for a free port.
    ///   - accessLifetime: how many seconds access tokens live; only of the weakened one.
    package static func start(
        data: String,
        _ options: [String] = [],
        at url: String? = nil,
        tls: [String] = [],
        weakened: String? = nil,
        accessLifetime: Int64? = nil,
        environment: [String: String] = [:]
    ) async throws -> RelayProcess {
        let address = url?.split(separator: "/").last.map(String.init) ?? "127.0.0.1:0"
        let program =
            if let weakened {
                try Program(
                    "mildam-weakened",
                    ["relay", weakened, data] + (accessLifetime.map { ["\($0)"] } ?? []),
                    environment: environment
                )
            } else {
                try Program(
                    "mildam-relay",
                    ["serve", "--data", data, "--listen", address] + tls + options,
                    environment: environment
                )
            }
        guard let line = try await program.line(with: "listening on") else {
            program.signal(SIGKILL)
            throw NoRelay(result: try await program.end())
        }
        let words = line.split(separator: " ").map(String.init)
        return RelayProcess(program, url: words[2], id: words[4])
    }

    /// Ends it without a warning.
    @discardableResult
    package func kill() async throws -> Program.Result {
        end(with: SIGKILL)
        return try await program.end()
    }

    /// Asks it to stop, and waits until it has.
    package func stop() async throws -> Program.Result {
        end(with: SIGTERM)
        return try await program.end()
    }

    /// A figure that it tells at `/metrics`, by its name there, with its labels.
    package func figure(_ name: String) async throws -> Double {
        let client = try HTTPClient(#require(Endpoint(url)))
        defer { client.close() }
        let answer = try await client.send(HTTPClientRequest(.get, #require(HTTPTarget("/metrics"))))
        let page = String(decoding: answer.body, as: UTF8.self)
        let line = page.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return try #require(line.flatMap { Double($0.dropFirst(name.count + 1)) }, "\(page)")
    }

    /// Once only: a number that is free again may be another process's.
    private func end(with signal: Int32) {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { program.signal(signal) }
    }

    deinit {
        end(with: SIGKILL)
    }
}

/// A relay that did not start.
package struct NoRelay: Error {
    package let result: Program.Result
}
