import MildamIdentity
import MildamRelayAPI

/// What an account's log keeps.
enum AuditRules {
    /// Lines that it keeps beside those of failures, which whoever knows the handle can bring about.
    static let lines = 200
    /// Lines of failures that it keeps, one for each kind and day.
    static let failures = 30
    /// What a line counts to.
    private static let maximumCount = 1_000_000_000

    /// Writes down what happened to an account. The oldest lines go when there are too many.
    ///
    /// - Parameter now: milliseconds since 1970.
    static func note(
        _ kind: AuditEntry.Kind,
        of account: AccountID,
        session: SessionID? = nil,
        device: DeviceID? = nil,
        count: Int = 1,
        _ facts: inout Facts,
        at now: Int64
    ) throws(Missing) {
        let time = now / 1000
        let known = try facts.audit(of: account)
        if kind.isFailure, var line = known.last(where: { $0.kind == kind.rawValue }), line.time >= time - time % 86_400
        {
            let (sum, isTooMuch) = line.count.addingReportingOverflow(count)
            line.time = time
            line.count = isTooMuch ? maximumCount : min(sum, maximumCount)
            return facts.count(line, of: account)
        }
        let line = AuditFact(
            number: (known.last?.number ?? 0) + 1,
            kind: kind.rawValue,
            isFailure: kind.isFailure,
            time: time,
            count: min(count, maximumCount)
        )
        facts.add(line, to: account, session: session, device: device)
        facts.trimAudit(of: account, isFailure: kind.isFailure, keeping: kind.isFailure ? failures : lines)
    }

    /// The same for what happened on a device.
    static func note(
        _ kind: AuditEntry.Kind,
        on address: MailboxAddress,
        session: SessionID? = nil,
        _ facts: inout Facts,
        at now: Int64
    ) throws(Missing) {
        try note(kind, of: address.account, session: session, device: address.device, &facts, at: now)
    }
}

extension AuditEntry.Kind {
    /// Whether others than the account's owner bring it about.
    fileprivate var isFailure: Bool { self == .loginFailed || self == .codeFailed }
}
