import MildamIdentity
import MildamRelayAPI
import MildamSystem

/// The accounts of rooms: the handles under which they are known, and when their records were looked at last.
actor AccountDirectory {
    /// For how many seconds an account's records are not asked for again by themselves.
    private static let patience: Int64 = 3600

    private let messenger: Messenger
    private let door: RelayDoor
    private let clock: WallClock
    private var handles: [AccountID: Handle]?
    private var looked: [AccountID: Int64] = [:]

    init(_ messenger: Messenger, door: RelayDoor, clock: WallClock) {
        self.messenger = messenger
        self.door = door
        self.clock = clock
    }

    /// The handle of an account: the one under which it was met, or the one that the relay says; `nil` where there is no such
    /// account.
    func handle(of account: AccountID) async throws(MessengerError) -> Handle? {
        if let known = handles?[account] { return known }
        let read = try await messenger.knownHandles()
        handles = read
        if let known = read[account] { return known }
        return try await ask(for: [account]).first?.bundle?.account.claimed.handle
    }

    /// An account's records, fetched now and verified under the pin, which is made or moves forward.
    func look(up handle: Handle) async throws(MessengerError) -> SignedAccount {
        try await believe(try await door.records(of: handle), of: handle)
    }

    /// The records of accounts, fetched now, each verified as by ``look(up:)``, in their order.
    ///
    /// - Throws: why none could be fetched.
    func look(
        upAll accounts: [SoughtAccount]
    ) async throws(MessengerError) -> [Result<SignedAccount, MessengerError>] {
        // The relay is asked for each account once.
        var rest = Set(accounts.map(\.account)).sorted()[...]
        var answers: [AccountID: AccountAnswer] = [:]
        while !rest.isEmpty {
            let part = try await ask(for: Array(rest.prefix(Limits.queriedAccounts)))
            guard !part.isEmpty else { throw .relayAnswer("records of no account that was asked for") }
            for answer in part { answers[answer.account] = answer }
            rest = rest.dropFirst(part.count)
        }
        var found: [Result<SignedAccount, MessengerError>] = []
        for account in accounts {
            do throws(MessengerError) {
                guard let answer = answers[account.account], let bundle = answer.bundle, answer.closing == nil else {
                    throw .unknownAccount(account.handle)
                }
                found.append(.success(try await believe(bundle, of: account.handle)))
            } catch {
                found.append(.failure(error))
            }
        }
        return found
    }

    private func believe(_ bundle: AccountBundle, of handle: Handle) async throws(MessengerError) -> SignedAccount {
        let found = try await messenger.signedAccount(bundle, of: handle)
        handles?[found.record.account] = handle
        looked[found.record.account] = clock.seconds
        return found
    }

    /// What the relay has of those accounts that were not looked at lately; not believed yet.
    ///
    /// - Parameter missing: those that the relay no longer has where they were: they are looked at whenever that was.
    func newer(
        among accounts: Set<AccountID>,
        missing: Set<AccountID> = []
    ) async throws(MessengerError) -> [AccountAnswer] {
        let now = clock.seconds
        var due = accounts.filter { account in
            missing.contains(account) || now - (looked[account] ?? Int64.min / 2) >= Self.patience
        }.sorted()
        var answers: [AccountAnswer] = []
        while !due.isEmpty {
            let part = Array(due.prefix(Limits.queriedAccounts))
            let answered = try await ask(for: part)
            // What is missing at the end is asked for again.
            guard !answered.isEmpty else { break }
            for account in part.prefix(answered.count) { looked[account] = now }
            due.removeFirst(min(answered.count, due.count))
            answers += answered
        }
        return answers
    }

    private func ask(for accounts: [AccountID]) async throws(MessengerError) -> [AccountAnswer] {
        let answers = try await door.ask { (relay, access) throws(MessengerError) in
            try await relay.bundles(AccountQuery(accounts: accounts), access)
        }
        guard answers.accounts.map(\.account) == Array(accounts.prefix(answers.accounts.count)) else {
            throw .relayAnswer("records of other accounts than those that were asked for")
        }
        return answers.accounts
    }
}
