import Foundation

/// A second implementation, in Python on the package `cryptography`: a script that reads a request as JSON and writes an
/// answer as JSON.
public struct PythonPeer: Sendable {
    private let script: String

    /// The script at this path of the package.
    public init(_ path: String) {
        script = Vectors.packageFolder + "/" + path
    }

    /// Whether it can run; under `CI` it must.
    public static let isExpected: Bool = {
        if ProcessInfo.processInfo.environment["CI"] != nil { return true }
        let result = try? Program.run("/usr/bin/python3", ["-c", "import cryptography"])
        guard result?.status == 0 else {
            print("skipped: the second implementations in Python, which need the package python3-cryptography")
            return false
        }
        return true
    }()

    /// The script's answer to `request`.
    ///
    /// - Throws: `Refusal` when it ends with another status than 0.
    public func run<Request: Encodable, Answer: Decodable>(_ what: String, _ request: Request) throws -> Answer {
        try run(what, json: String(decoding: try JSONEncoder().encode(request), as: UTF8.self))
    }

    /// The script's answer to a request that is JSON already.
    ///
    /// - Throws: `Refusal` when it ends with another status than 0.
    public func run<Answer: Decodable>(_ what: String, json input: String) throws -> Answer {
        let result = try Program.run("/usr/bin/python3", [script, what], input: input)
        guard result.status == 0 else { throw Refusal(result: result) }
        return try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
    }

    /// The peer failed.
    public struct Refusal: Error, CustomStringConvertible {
        let result: Program.Result

        /// Its status, and what it said.
        public var description: String { "\(result)" }
    }
}
