import Foundation
import Glibc

/// The OAuth server of Tests/Tokens/oauth_server.py, which Authlib makes: nobody here wrote what it decides.
public final class OAuthPeer: Sendable {
    /// Whether it can run; under `CI` it must.
    public static let isExpected: Bool = {
        if ProcessInfo.processInfo.environment["CI"] != nil { return true }
        let result = try? Program.run("/usr/bin/python3", ["-c", "import authlib, flask"])
        guard result?.status == 0 else {
            print("skipped: an OAuth server by other hands, which needs python3-authlib and python3-flask")
            return false
        }
        return true
    }()

    private let program: Program
    /// Its issuer, and where its endpoints are.
    public let root: String

    /// Starts one.
    ///
    /// - Parameter lifetime: for how many seconds access tokens are good.
    public init(lifetime: Int = 2) async throws {
        program = try Program(
            "/usr/bin/python3",
            [Vectors.packageFolder + "/Tests/Tokens/oauth_server.py"],
            environment: ["OAUTH_LIFETIME": "\(lifetime)"]
        )
        guard let line = try await program.line(with: "listening"), let port = line.split(separator: " ").last else {
            throw CocoaError(.executableLoad)
        }
        root = "http://127.0.0.1:\(port)"
    }

    deinit { stop() }

    /// Ends it; nobody listens at its address then.
    public func stop() { program.signal(SIGKILL) }

    /// What it has given out so far: every token, and how often one was refreshed.
    public func issued() async throws -> (tokens: [String], refreshes: Int) {
        struct Answer: Decodable {
            var tokens: [String]
            var refreshes: Int
        }
        let page = try await OAuthPeer.browse(root + "/issued").page
        let answer = try JSONDecoder().decode(Answer.self, from: Data(page.utf8))
        return (answer.tokens, answer.refreshes)
    }

    /// Does what a person's browser does with an address: follows where it is sent.
    public static func browse(_ url: String) async throws -> (status: Int, page: String) {
        let arguments = ["-s", "-L", "-w", "\n%{http_code}", url]
        let output = try await Program.result(of: "curl", arguments).output
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }
}
