import MildamKeychain

/// Why there is no token, or why a grant was not given. Nothing in it comes from a token, a code or a secret.
public enum TokenError: Error, Equatable, Sendable {
    /// Why it cannot be done now, and may be later: nobody is signed out by it.
    public enum Obstacle: Equatable, Sendable {
        /// The keychain is locked.
        case locked
        /// The keychain cannot be read or written, or the item is damaged. If a new token has come already, it is kept in
        /// memory, and written as soon as that can be done.
        case keychain(KeychainError)
        /// What the keychain holds under this name is no record of this program's, or of a later version's.
        case unreadable
        /// The enclave did not decrypt what the keychain holds.
        case enclave(EnclaveServiceError)
        /// The server did not answer.
        case exchange(ExchangeError)
        /// The server answered with this status and no reason.
        case failed(status: Int)
        /// The server answered what cannot be understood.
        case malformed(AnswerDefect)
        /// The server says that it is overloaded, or down.
        case refused(OAuthErrorCode)
        /// The token had run out when it came.
        case expiredOnArrival
        /// Five refreshes were tried in the last thirty seconds; one more may be after so many milliseconds.
        case tooManyRefreshes(milliseconds: Int64)
        /// Another process refreshes, and has for long.
        case busy
        /// The lock between processes cannot be taken: of its file.
        case lockFile
    }

    /// Nobody is signed in, or the server has ended the sign-in: a person has to sign in.
    case signInNeeded
    /// Not now.
    case notNow(Obstacle)
    /// The server refused, for a reason that trying again does not change.
    case refused(OAuthErrorCode)
    /// The server did not answer (outside of a refresh).
    case exchange(ExchangeError)
    /// The server answered with this status and no reason (outside of a refresh).
    case failed(status: Int)
    /// The server answered what cannot be understood (outside of a refresh).
    case malformed(AnswerDefect)
    /// The proof of possession was not made.
    case noProof
    /// The server has no endpoint for this, or is not known to take PKCE with S256.
    case unsupported
    /// A redirect did not come in time, or the device code ran out.
    case timedOut
    /// The redirect came from another server, or lacks what it must have.
    case forgedRedirect
    /// Nobody can be listened for on this machine, or the browser was not started.
    case noBrowser
    /// The task was cancelled.
    case cancelled

    static func exchanging<Value>(
        _ body: () async throws(ExchangeError) -> Value
    ) async throws(TokenError) -> Value {
        do throws(ExchangeError) { return try await body() } catch {
            throw error == .cancelled ? .cancelled : .exchange(error)
        }
    }
}

extension TokenError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .signInNeeded: "nobody is signed in; sign in (again)"
        case .notNow(let obstacle): "not now: \(obstacle)"
        case .refused(let code): "the server refused: \(code.code.isEmpty ? "for a reason of its own" : code.code)"
        case .exchange(let error): error.description
        case .failed(let status): "the server answered with status \(status)"
        case .malformed(let defect): "the server's answer cannot be understood: \(defect)"
        case .noProof:
            "the proof of possession could not be made; see that the keychain or enclave with its key is open"
        case .unsupported: "the server offers no such way"
        case .timedOut: "nobody signed in in time; begin again"
        case .forgedRedirect: "the browser brought an answer that is not this server's; begin again"
        case .noBrowser: "no browser could be started; open the address by hand, or use a device code"
        case .cancelled: "it was cancelled"
        }
    }
}

extension TokenError.Obstacle: CustomStringConvertible {
    /// What is in the way, and what to do.
    public var description: String {
        switch self {
        case .locked: "the keychain is locked; unlock it"
        case .keychain(let error): error.description
        case .unreadable: "what the keychain holds of this sign-in is not this program's, or a later version's"
        case .enclave(let error): error.description
        case .exchange(let error): error.description
        case .failed(let status): "the server answered with status \(status)"
        case .malformed(let defect): "the server's answer cannot be understood: \(defect)"
        case .refused(let code): "the server says \(code.code)"
        case .expiredOnArrival: "the server gave a token that has run out already; its clock may be wrong"
        case .tooManyRefreshes(let milliseconds): "too many refreshes; try again in \((milliseconds + 999) / 1000) s"
        case .busy: "another process is at it; try again"
        case .lockFile: "the lock between processes cannot be taken; look at its folder"
        }
    }
}
