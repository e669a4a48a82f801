import Foundation

/// Work that blocks, on a thread of its own: a test that waits for a program must not hold up the thread on which the
/// tampering proxy answers that very program.
public enum Blocking {
    /// Runs it.
    public static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}

extension Program {
    /// Runs a program to its end, and holds nobody up.
    public static func result(
        of path: String,
        _ arguments: [String] = [],
        input: String? = nil,
        environment: [String: String] = [:],
        folder: String? = nil
    ) async throws -> Result {
        try await Blocking.run {
            try Program.run(path, arguments, input: input, environment: environment, folder: folder)
        }
    }

    /// Waits for a line on standard output.
    public func line(with text: String, within seconds: Double = 30) async throws -> String? {
        try await Blocking.run { self.line(containing: text, within: seconds) }
    }

    /// Waits for a line on standard error.
    public func complaint(with text: String, within seconds: Double = 30) async throws -> String? {
        try await Blocking.run { self.complaint(containing: text, within: seconds) }
    }

    /// Waits for the end.
    public func end() async throws -> Result {
        try await Blocking.run { self.wait() }
    }
}
