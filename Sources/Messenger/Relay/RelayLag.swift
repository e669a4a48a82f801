import MildamIdentity
import MildamRelayAPI

/// What a relay has less of than this profile has had from it. An older copy of its data may have been put back, which is
/// no attack; a relay that hides what came since looks alike.
public enum RelayLag: Equatable, Sendable {
    /// The newest device list of an account that the relay has, and the newest seen here.
    case deviceList(Handle, last: UInt64, seen: UInt64)
    /// The last number that the relay gave in this device's mailbox, and the last that was taken from it; 0 for none.
    case mailbox(last: UInt64, taken: UInt64)
}

extension RelayLag: CustomStringConvertible {
    /// What is missing, the likely cause, and what to do.
    public var description: String {
        let cause = "an older copy of its data was probably put back"
        let remedy = "ask whoever runs it"
        return switch self {
        case .deviceList(let handle, let last, let seen):
            "the relay has device list \(last) of \(handle), and this profile has seen \(seen): \(cause); "
                + "nothing was sent; \(remedy)"
        case .mailbox(let last, let taken):
            "the relay has this device's mail up to number \(last), and this profile has taken \(taken): \(cause); "
                + "invitations that it numbers up to \(taken) do not arrive; \(remedy)"
        }
    }
}

extension MailboxPage {
    /// What the relay lacks where it would give the next item a number that was taken already.
    func lag(after taken: UInt64) -> RelayLag? {
        guard next <= taken else { return nil }
        return .mailbox(last: next == 0 ? 0 : next - 1, taken: taken)
    }
}
