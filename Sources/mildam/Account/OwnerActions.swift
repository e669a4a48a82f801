import MildamIdentity
import MildamMessenger
import MildamRelayAPI
import MildamTerminal
import MildamWire

/// What the account's owner sees and ends.
extension Action {
    func listSessions() async throws {
        let sessions = try await messenger().sessions()
        try report.answer(sessions) {
            sessions.map { session in
                let mark = session.isCurrent ? "  this one" : ""
                return
                    "\(session.session)  begun \(moment(session.begun))  last used \(moment(session.refreshed))\(mark)"
            }.joined(separator: "\n")
        }
    }

    func endSessions() async throws {
        let messenger = try await messenger()
        let command = "mildam account end-session"
        switch (invocation.operands["SESSION"]?.first, invocation.flag("others")) {
        case (nil, true):
            try await messenger.endOtherSessions()
            try report.answer(["ended": "others"]) { "every other session has ended" }
        case (let text?, false):
            guard let session = try? SessionID(text) else {
                throw UsageError(
                    .invalidValue(name: "SESSION", expected: "an id as `mildam account sessions` shows it"),
                    command: command
                )
            }
            try await messenger.endSession(session)
            try report.answer(["ended": "\(session)"]) { "the session has ended" }
        default:
            throw UsageError(.invalidValue(name: "SESSION", expected: "a session's id, or --others"), command: command)
        }
    }

    func showAccountLog() async throws {
        let entries = try await messenger().accountLog()
        try report.answer(entries) {
            entries.map { entry in
                let times = entry.count > 1 ? " (\(entry.count) times)" : ""
                let session = entry.session.map { "  session \($0)" } ?? ""
                return "\(moment(entry.time))  \(entry.kind.sentence)\(times)\(session)"
            }.joined(separator: "\n")
        }
    }

    func changePassword() async throws {
        let messenger = try await messenger()
        let old = try password("Present password: ", option: "password-file")
        let new = try password("New password: ", option: "new-password-file", confirming: true)
        try await withCode { code in try await messenger.changePassword(old, to: new, code: code) }
        try report.answer(["password": "changed"]) { "the password is changed, and every other session has ended" }
    }

    func deleteAccount() async throws {
        let messenger = try await messenger()
        let account = try await messenger.accountSummary()
        let rooms = try await messenger.rooms(fetching: false).filter { $0.standing == "member" }.map(\.name)
        guard rooms.isEmpty || invocation.flag("from-rooms") else { throw StillInRooms(rooms: rooms) }
        if !invocation.flag("yes") {
            let question =
                "Delete the account \(account.handle) at \(account.relayAddress)? Nobody can have the handle again."
            guard try Prompt().confirm(question, option: "--yes") else { throw Declined() }
        }
        let password = try password("Password: ", option: "password-file")
        try await withCode { code in try await messenger.deleteAccount(password, code: code) }
        try report.answer(["deleted": account.handle.text]) {
            "the account \(account.handle) is deleted; what is in this profile can still be read"
        }
    }

    private func moment(_ seconds: Int64) -> String {
        let time = LocalTime(seconds * 1000)
        return "\(time.day) \(time.clock)"
    }
}

/// An account is not deleted out of rooms that others would have to mend.
struct StillInRooms: Error, CustomStringConvertible {
    let rooms: [String]

    var description: String {
        "nothing was done: you are in \(rooms.map { shown($0) }.joined(separator: ", ")); leave with `mildam room leave`, "
            + "or with --from-rooms have the others mend them"
    }
}

/// A person said no.
struct Declined: Error, CustomStringConvertible {
    var description: String { "nothing was done" }
}

extension AuditEntry.Kind {
    /// What happened, as people say it.
    var sentence: String {
        switch self {
        case .registered: "the account was made"
        case .loggedIn: "a device logged in"
        case .loginFailed: "a login failed"
        case .codeFailed: "a login failed for its code alone"
        case .codeUsed: "a code was used"
        case .recoveryCodeUsed: "a recovery code was used"
        case .loggedOut: "a device logged out"
        case .sessionEnded: "a session was ended by another one"
        case .tokenReused: "a session was ended: two had its tokens"
        case .sessionExpired: "a session was ended that nobody had used"
        case .passwordChanged: "the password was changed"
        case .secondFactorAdded: "a second factor was added"
        case .secondFactorRemoved: "the second factor was removed"
        case .deviceRenewed: "a device took new keys"
        case .operatorEndedSession: "whoever runs the relay ended a session"
        case .operatorRemovedSecondFactor: "whoever runs the relay removed the second factor"
        }
    }
}
