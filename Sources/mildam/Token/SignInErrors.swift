import MildamEnclave
import MildamTerminal
import MildamTokens

/// The server takes no tokens back, as far as is known.
struct NoRevocation: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.failed
    let name: String
    var description: String {
        "the server of \(name) does not say where tokens are given back; name it with `mildam token login` and "
            + "--revocation-endpoint, or forget the tokens here alone: `mildam token remove \(name)`"
    }
}

/// Something failed for a sign-in.
struct SignInFailure: EndsWithStatus, CustomStringConvertible {
    let name: String
    let error: TokenError
    var exitStatus: ExitStatus { error.exitStatus }

    var description: String {
        switch error {
        case .signInNeeded: "nobody is signed in for \(name); sign in with `mildam token login \(name)`"
        case .notNow(.unreadable): "\(DamagedSignIn(name: name))"
        case .refused(.invalidClient):
            "the server does not know the client of \(name), or its secret is wrong; set it right with "
                + "`mildam token login \(name)`"
        case .refused(.accessDenied):
            "nobody was signed in for \(name): the server or the person said no (access_denied); begin again with "
                + "`mildam token login \(name)`"
        case .refused(.invalidScope):
            "the server of \(name) does not grant this scope (invalid_scope); ask for another with --scope"
        case .refused(.unauthorizedClient), .refused(.unsupportedGrantType):
            "the server of \(name) does not let this client sign in that way; try another: the browser, --device or "
                + "--client-credentials"
        case .unsupported:
            "the server of \(name) offers no such way, or its address is not known; see `mildam token login --help`"
        case .noProof:
            "no proof could be made with the key that the tokens of \(name) are bound to; unlock the keychain, and see "
                + "that the TPM is there"
        default: "\(name): \(error)"
        }
    }
}
