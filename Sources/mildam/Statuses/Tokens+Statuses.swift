import MildamEnclave
import MildamKeychain
import MildamTerminal
import MildamTokens

extension NoSignIn: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus { .notFound }
}

extension DamagedSignIn: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus { .damaged }
}

extension ProofError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .keychain(let error): error.exitStatus
        case .enclave(let error): error.exitStatus
        case .damagedKey: .damaged
        case .request: .failed
        }
    }
}

extension TokenError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .signInNeeded, .noProof: .refused
        case .notNow(let obstacle): obstacle.exitStatus
        case .refused(let code): code.exitStatus
        case .exchange(let error): error.exitStatus
        case .failed(let status): status >= 500 ? .unreachable : .failed
        case .malformed, .forgedRedirect: .damaged
        case .unsupported, .timedOut, .noBrowser, .cancelled: .failed
        }
    }
}

extension TokenError.Obstacle {
    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .locked, .tooManyRefreshes, .busy: .refused
        case .keychain(let error): error.exitStatus
        case .enclave(let error): error.exitStatus
        case .unreadable, .malformed: .damaged
        case .exchange(let error): error.exitStatus
        case .failed(let status): status >= 500 ? .unreachable : .failed
        case .refused(let code): code.exitStatus
        case .expiredOnArrival, .lockFile: .failed
        }
    }
}

extension OAuthErrorCode {
    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .invalidClient, .invalidGrant: .wrongSecret
        case .temporarilyUnavailable, .serverError, .slowDown: .unreachable
        default: .refused
        }
    }
}

extension ExchangeError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .unreachable, .timedOut, .cut: .unreachable
        case .tls: .refused
        case .tooLong: .damaged
        case .cancelled, .invalidRequest, .library: .failed
        }
    }
}

extension EnclaveServiceError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .key(let error): error.exitStatus
        case .enclave(let error): error.exitStatus
        case .ecies(let error): error.exitStatus
        }
    }
}
