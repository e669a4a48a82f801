import Foundation
import MildamTokens
import TestSupport

extension OAuthPeer {
    /// The server, by its own metadata.
    func discover() async throws -> OAuthServer {
        guard let issuer = ServerURL(root) else { throw CocoaError(.coderInvalidValue) }
        return try await OAuthServer.discover(issuer, through: CurlExchange())
    }
}
