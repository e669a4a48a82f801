import MildamClientAPI
import MildamMessenger

/// What a person is told of why the relay cannot be reached, or a room not be read as far as the relay has it.
enum ConnectionWords {
    /// What happened, and how to go on.
    static func text(of fault: ClientError?) -> String {
        guard let fault else { return "the relay has not answered yet" }
        let reason = fault.parameters["reason"]
        switch fault.code.rawValue {
        case "not-logged-in": return "\(MessengerError.notLoggedIn)"
        case "behind": return "there is more to take in than came in time: say it again, or let `mildam watch` do it"
        case "not-stored", "profile-not-usable":
            return "what is new cannot be stored" + (reason.map { ": \($0)" } ?? "")
        case "unreachable": return reason ?? "the relay does not answer; see `mildam doctor`"
        case "refused": return reason ?? "the relay refuses what is asked (\(fault.parameters["code"] ?? "?"))"
        case let code: return reason ?? "the relay cannot be reached (\(code))"
        }
    }

    /// The same in the few words for what is kept until later.
    static func short(of fault: ClientError?) -> String {
        fault?.code.rawValue == "unreachable" ? "the relay cannot be reached now" : text(of: fault)
    }
}
