import MildamIdentity
import MildamRelayAPI

/// What whoever runs the relay asks of it.
public enum OperatorRequest: Codable, Sendable {
    /// Accounts, by their handles, ``OperatorRequest/page`` at most; behind `after` it goes on.
    case list(after: Handle?)
    /// One account.
    case show(handle: Handle)
    /// End the account's sessions, or one of them.
    case logOut(handle: Handle, session: SessionID?)
    /// Remove the account's second factor.
    case resetSecondFactor(handle: Handle)
    /// Delete the account.
    case remove(handle: Handle)
    /// Make invitations to register, for so many days.
    case invite(count: Int, days: Int)

    /// How many accounts one answer holds.
    public static let page = 500
    /// How many invitations one request makes.
    public static let invitations = 1...1_000
    /// How long they last, in days.
    public static let invitationDays = 1...365
}

/// What the relay answers.
public enum OperatorAnswer: Codable, Sendable {
    /// Accounts.
    case accounts([AccountSummary])
    /// One account.
    case account(AccountDetails)
    /// It is done, to so many sessions, second factors or accounts.
    case done(count: Int)
    /// Invitations, and when they run out, in seconds since 1970.
    case invitations([String], expires: Int64)
    /// It was refused, or failed.
    case refused(APIError)
}

/// An account in a list.
public struct AccountSummary: Codable, Sendable, Equatable {
    /// Its handle.
    public let handle: Handle
    /// Its id.
    public let account: AccountID
    /// How many sessions it has.
    public let sessions: Int
    /// Whether logging in takes a code.
    public let hasSecondFactor: Bool
}

/// What the relay has of an account, beside its records and what is sealed.
public struct AccountDetails: Codable, Sendable, Equatable {
    /// Its handle.
    public let handle: Handle
    /// Its id.
    public let account: AccountID
    /// Its devices.
    public let devices: [DeviceID]
    /// Its sessions; none of them is the operator's.
    public let sessions: [SessionDescription]
    /// Its second factor.
    public let secondFactor: SecondFactorState
    /// How many rooms it is a member of.
    public let rooms: Int
    /// How many files it has uploaded.
    public let files: Int
    /// Their sizes together, in bytes.
    public let fileBytes: Int
}
