import MildamIdentity
import MildamMessenger
import MildamTerminal

extension Action {
    func createAccount() async throws {
        let handle = try handle("mildam account create")
        guard let relay = invocation.value("relay") ?? Console.variable("MILDAM_RELAY") else {
            throw UsageError(
                .invalidValue(name: "--relay", expected: "the relay's address, https://HOST:PORT"),
                command: "mildam account create"
            )
        }
        let password = try password("Password: ", option: "password-file", confirming: true)
        let account = try await messenger().createAccount(
            handle,
            at: relay,
            authorityFile: invocation.value("authority"),
            password: password
        )
        try show(account)
    }

    func logIn() async throws {
        let messenger = try await messenger()
        _ = try await messenger.accountSummary()
        let password = try password("Password: ", option: "password-file")
        try await withCode { code in try await messenger.logIn(password: password, code: code) }
        let account = try await messenger.accountSummary()
        try report.answer(account) { "logged in as \(account.handle)" }
    }

    func logOut() async throws {
        let messenger = try await messenger()
        try await messenger.logOut()
        try report.answer(try await messenger.accountSummary()) { "logged out" }
    }

    func showAccount() async throws {
        try show(try await messenger().accountSummary())
    }

    func renewKeys() async throws -> ExitStatus {
        let renewal = try await messenger().renewKeys()
        try report.answer(renewal) {
            let first =
                renewal.isResumed
                ? "finished the renewal that had been interrupted: this device has new keys"
                : "this device has new keys"
            let rooms = renewal.rooms.count == 1 ? "1 room has" : "\(renewal.rooms.count) rooms have"
            let held = renewal.held.map { "  \(shown($0.room)) has none: \(shown($0.reason))" }
            return (["\(first) (device list \(renewal.list)), and \(rooms) a new key; the fingerprint stays"] + held)
                .joined(separator: "\n")
        }
        return renewal.held.isEmpty ? .done : .failed
    }

    private func show(_ account: AccountSummary) throws {
        try report.answer(account) {
            let renewal = account.isRenewing ? "\nnew keys     interrupted: mildam account renew-keys" : ""
            return """
                handle       \(account.handle)
                relay        \(account.relayAddress)  \(account.relay)
                device       \(account.device)
                session      \(account.isLoggedIn ? "open" : "ended: mildam account login")
                unsent       \(account.unsent)
                fingerprint  \(account.fingerprint)
                """ + renewal
        }
    }
}

/// Why a password is not taken.
enum PasswordRefusal: Error, CustomStringConvertible {
    case empty, different

    var description: String {
        switch self {
        case .empty: "an empty password protects nothing"
        case .different: "the two passwords are not the same; nothing was done"
        }
    }
}
