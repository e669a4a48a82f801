import Foundation
import MildamTokens
import TestSupport

/// The OAuth server of oauth_server.py, which Authlib makes: nobody here wrote what it decides.
final class OAuthPeer: Sendable {
    /// Whether it can run; under `CI` it must.
    static let isExpected: Bool = {
        if ProcessInfo.processInfo.environment["CI"] != nil { return true }
        let result = try? Program.run("/usr/bin/python3", ["-c", "import authlib, flask"])
        guard result?.status == 0 else {
            print("skipped: an OAuth server by other hands, which needs python3-authlib and python3-flask")
            return false
        }
        return true
    }()

    private let program: Program
    let root: String

    init() async throws {
        program = try Program("/usr/bin/python3", [Vectors.packageFolder + "/Tests/Tokens/oauth_server.py"])
        guard let line = try await program.line(with: "listening"), let port = line.split(separator: " ").last else {
            throw CocoaError(.executableLoad)
        }
        root = "http://127.0.0.1:\(port)"
    }

    deinit { program.signal(SIGKILL) }

    /// The server, by its own metadata.
    func discover() async throws -> OAuthServer {
        guard let issuer = ServerURL(root) else { throw CocoaError(.coderInvalidValue) }
        return try await OAuthServer.discover(issuer, through: CurlExchange())
    }

    /// Does what a person's browser does with an address: follows where it is sent.
    static func browse(_ url: String) async throws -> (status: Int, page: String) {
        let arguments = ["-s", "-L", "-w", "\n%{http_code}", url]
        let output = try await Program.result(of: "curl", arguments).output
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }
}
