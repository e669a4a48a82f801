import MildamIdentity
import MildamTransport

extension RoomFault {
    /// The same as a code, with what goes with it.
    init(_ error: MessengerError) {
        self =
            switch error {
            case .noAccount: RoomFault("no-account")
            case .notLoggedIn: RoomFault("not-logged-in")
            case .unknownAccount(let handle): RoomFault("unknown-account", ["handle": handle.text])
            case .otherRelay(let relay): RoomFault("other-relay", ["relay": "\(relay)", "reason": "\(error)"])
            case .clockIsOff(let skew): RoomFault("clock-is-off", ["seconds": "\(skew.seconds)", "reason": "\(error)"])
            case .relayIsBehind(let lag): RoomFault("relay-is-behind", ["reason": "\(lag)"])
            case .unknownRequest(let text):
                RoomFault("unknown-request", ["request": text])
            case .ambiguousRequest(let handle): RoomFault("ambiguous-request", ["handle": handle.text])
            case .requestNotBelieved(let handle, let cause):
                RoomFault("request-not-believed", ["handle": handle.text, "cause": cause])
            case .otherFingerprint(let handle, let shown):
                RoomFault("other-fingerprint", ["handle": handle.text, "shown": "\(shown)"])
            case .unknownLink(let number): RoomFault("unknown-link", ["number": "\(number)"])
            case .linkOfAnotherRelay(let address): RoomFault("link-of-another-relay", ["address": address])
            case .linkRanOut(let handle): RoomFault("link-ran-out", ["handle": handle.text])
            case .linkDiffers(let handle): RoomFault("link-differs", ["handle": handle.text])
            case .unprotected(let address): RoomFault("unprotected", ["address": address, "reason": "\(error)"])
            case .identity(.identityKeyChanged(let handle, let pinned, let shown)):
                RoomFault(
                    "identity-changed",
                    ["handle": handle.text, "pinned": "\(pinned)", "shown": "\(shown)"]
                )
            case .identity(let error): RoomFault("identity-refused", ["reason": "\(error)"])
            case .refused(let refusal): RoomFault("refused", ["code": refusal.code.rawValue, "reason": "\(error)"])
            case .transport(.tls): RoomFault("tls", ["reason": "\(error)"])
            case .transport: RoomFault("unreachable", ["reason": "\(error)"])
            case .stateDamaged, .storage(.damaged), .storage(.notOurs):
                RoomFault("not-readable", ["reason": "\(error)"])
            case .storage, .system: RoomFault("profile-not-usable", ["reason": "\(error)"])
            case .relayAnswer: RoomFault("relay-answer", ["reason": "\(error)"])
            default: RoomFault("failed", ["reason": "\(error)"])
            }
    }
}

extension MessengerError {
    /// Whether another attempt cannot mend it: a person has to.
    var needsPerson: Bool {
        switch self {
        case .noAccount, .notLoggedIn, .otherRelay, .unprotected, .stateDamaged: true
        default: false
        }
    }
}
