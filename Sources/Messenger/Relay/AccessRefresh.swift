import MildamRelayAPI

/// A request for tokens, ready to be asked: nothing of the profile is needed while it is under way.
struct TokenQuestion: Sendable {
    let relay: RelayClient
    /// What the session is bound to.
    let key: ProofKey
    /// The request under this device's key, and under the one that it has offered, where there is one: the relay may have taken
    /// that one already, and its answer been lost.
    let requests: [TokenRequest]

    /// Asks.
    ///
    /// - Throws: what the relay refuses, or what keeps it from being asked; `notLoggedIn` without a request.
    func answer() async throws(MessengerError) -> TokenAnswer {
        var refusal = MessengerError.notLoggedIn
        for request in requests {
            do throws(MessengerError) {
                return try await relay.tokens(request, key)
            } catch {
                guard case .refused(let refused) = error, refused.code == .wrongCredentials else { throw error }
                refusal = error
            }
        }
        throw refusal
    }
}

/// A refresh of a session's tokens that is due.
struct AccessRefresh: Sendable {
    /// What is presented.
    let token: RefreshToken
    /// When it is asked for, in seconds since 1970.
    let asked: Int64
    let question: TokenQuestion

    /// Asks.
    func result() async -> Result<TokenAnswer, MessengerError> {
        do throws(MessengerError) {
            return .success(try await question.answer())
        } catch {
            return .failure(error)
        }
    }
}

/// The access token at hand, or what it takes to have one.
enum PresentAccess: Sendable {
    /// It is good for a while yet.
    case good(RelayAccess)
    /// It has to be refreshed.
    case due(AccessRefresh)
}
