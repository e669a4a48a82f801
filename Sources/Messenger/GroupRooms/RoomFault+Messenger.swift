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
            case .otherRelay(let relay): RoomFault("other-relay", ["relay": "\(relay)"])
            case .clockIsOff(let skew): RoomFault("clock-is-off", ["seconds": "\(skew.seconds)"])
            case .relayIsBehind(let lag): RoomFault("relay-is-behind", ["reason": "\(lag)"])
            case .unprotected(let address): RoomFault("unprotected", ["address": address])
            case .identity(.identityKeyChanged(let handle, let pinned, let shown)):
                RoomFault(
                    "identity-changed",
                    ["handle": handle.text, "pinned": "\(pinned)", "shown": "\(shown)"]
                )
            case .identity(let error): RoomFault("identity-refused", ["reason": "\(error)"])
            case .refused(let refusal): RoomFault("refused", ["code": refusal.code.rawValue])
            case .transport(.tls(let failure)): RoomFault("tls", ["reason": "\(failure)"])
            case .transport(let error): RoomFault("unreachable", ["reason": "\(error)"])
            case .storage, .stateDamaged, .system: RoomFault("profile-not-usable", ["reason": "\(error)"])
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
