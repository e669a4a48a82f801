import Foundation
import Glibc
import MildamSystem
import TestSupport

/// A process with a manager (Tests/TokensWorker), which is told line by line what to do.
final class Worker: @unchecked Sendable {  // one thread asks at a time: each test awaits each answer
    private var child: Child
    private var rest: [UInt8] = []

    /// Starts one, with the keychain of this file open.
    init(keychain: String, environment: [String: String] = [:]) async throws {
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        child = try Child(
            try Program.find("mildam-tokens-worker"),
            [keychain, Desk.passphrase],
            environment: variables
        )
        let line = try await answer()
        guard line == "ready" else { throw CocoaError(.executableLoad) }
    }

    /// What it says to a line; `nil` when it has ended.
    @discardableResult
    func ask(_ line: String) async throws -> String? {
        try? child.write(Array((line + "\n").utf8).span)
        return try await answer()
    }

    private func answer() async throws -> String? {
        try await Blocking.run { self.line() }
    }

    private func line() -> String? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest = Array(rest[(end + 1)...])
                return line
            }
            guard let count = try? child.read(into: &buffer), count > 0 else { return nil }
            rest.append(contentsOf: buffer.prefix(count))
        }
    }
}
