import MildamIdentity

/// The body of `POST /v1/bundles`: accounts by their ids.
public struct AccountQuery: Codable, Sendable, Equatable {
    /// Those that are asked for: 1 to 100, each once.
    public var accounts: [AccountID]

    /// Makes a query.
    public init(accounts: [AccountID]) {
        self.accounts = accounts
    }
}

/// What the relay has of accounts: the answer of `POST /v1/bundles`.
public struct AccountAnswers: Codable, Sendable {
    /// The accounts in the order in which they were asked for. Where they are longer than 256 KiB together, the last ones are
    /// missing, and are asked for again; the first one never is.
    public var accounts: [AccountAnswer]

    /// Makes an answer.
    public init(accounts: [AccountAnswer]) {
        self.accounts = accounts
    }
}

/// What the relay has of one account; nothing beside its id where there is no such account, or its operator has removed it.
public struct AccountAnswer: Codable, Sendable {
    /// The account.
    public var account: AccountID
    /// Its records.
    public var bundle: AccountBundle?
    /// Its end, where its owner has deleted it.
    public var closing: Signed<AccountClosing>?

    /// Makes an answer.
    public init(account: AccountID, bundle: AccountBundle? = nil, closing: Signed<AccountClosing>? = nil) {
        self.account = account
        self.bundle = bundle
        self.closing = closing
    }
}
