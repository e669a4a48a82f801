import MildamIdentity

/// One line of what happened to an account. It never holds a token, a code or an address.
public struct AuditEntry: Codable, Sendable, Equatable {
    /// What happened.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// The account was made.
        case registered
        /// A device logged in.
        case loggedIn = "logged_in"
        /// Somebody tried to, with a wrong password, an unknown device or a wrong signature.
        case loginFailed = "login_failed"
        /// A device logged in with everything right but the second factor's code.
        case codeFailed = "code_failed"
        /// A code of the second factor was used.
        case codeUsed = "code_used"
        /// A recovery code was used.
        case recoveryCodeUsed = "recovery_code_used"
        /// A device logged out.
        case loggedOut = "logged_out"
        /// A session was ended by another of the account.
        case sessionEnded = "session_ended"
        /// A refresh token was used after its successor: two have the session's tokens, and it was ended.
        case tokenReused = "token_reused"
        /// A session was ended that had not been refreshed for too long.
        case sessionExpired = "session_expired"
        /// The password was changed.
        case passwordChanged = "password_changed"
        /// The account has a second factor from here on.
        case secondFactorAdded = "second_factor_added"
        /// It has none any more.
        case secondFactorRemoved = "second_factor_removed"
        /// A device has new keys.
        case deviceRenewed = "device_renewed"
        /// Whoever runs the relay ended a session.
        case operatorEndedSession = "operator_ended_session"
        /// Whoever runs the relay removed the second factor.
        case operatorRemovedSecondFactor = "operator_removed_second_factor"
    }

    /// What happened.
    public var kind: Kind
    /// When, in seconds since 1970; the last time, where it happened several times.
    public var time: Int64
    /// How often: failures of one day (UTC) are one line.
    public var count: Int
    /// The session that it is about.
    public var session: SessionID?
    /// The device that it is about.
    public var device: DeviceID?

    /// Makes a line.
    public init(kind: Kind, time: Int64, count: Int = 1, session: SessionID? = nil, device: DeviceID? = nil) {
        self.kind = kind
        self.time = time
        self.count = count
        self.session = session
        self.device = device
    }
}

/// What happened to the account, the newest first: the answer of `GET /v1/account/log`.
public struct AuditLog: Codable, Sendable, Equatable {
    /// At most 200 lines, and 30 of failures.
    public var entries: [AuditEntry]

    /// Makes a log.
    public init(entries: [AuditEntry]) {
        self.entries = entries
    }
}
