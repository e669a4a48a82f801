import Foundation
import MildamIdentity
import MildamRelayAPI

/// The tokens of a session, taken apart.
struct SessionTokens: Decodable, Sendable {
    var session: SessionID
    var access: String
    var type: String
    var refresh: Data

    init(from decoder: any Decoder) throws {
        let answer = try TokenAnswer(from: decoder)
        let token = try RefreshToken(text: answer.refreshToken)
        (session, access, type) = (token.session, answer.accessToken, answer.tokenType)
        refresh = Data(token.secret)
    }
}
