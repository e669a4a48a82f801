import MildamIdentity
import MildamRelay
import MildamRelayAPI
import MildamTerminal

/// `mildam-relay user log-out`.
let userLogOut = RelayCommand(
    ["user", "log-out"],
    summary: "End an account's sessions.",
    discussion: "Open sockets are closed within a second, and access tokens are refused at once. The account's log "
        + "says that the operator did it.",
    operands: [handleOperand],
    options: [
        OptionSpec("session", value: .init("ID"), help: "Only this one; see `mildam-relay user sessions`."),
        dataOption, jsonOption,
    ],
    examples: [.init("mildam-relay user log-out alice", "Every device has to log in again.")],
    exitNotes: userNotes,
    run: Users.doing { users in
        var session: SessionID?
        if let text = users.invocation.value("session") {
            guard let id = try? SessionID(text) else { throw Users.Failure(.usage, "--session takes a session's id") }
            session = id
        }
        try users.tell(done: .logOut(handle: users.handle(), session: session), "sessions ended")
    }
)
