import MildamIdentity

/// The blocked accounts of a handle. Anybody can claim one: only that of the pinned account is certain.
public struct BlockedHandle: Sendable {
    /// The handle.
    public var handle: Handle
    /// Whether the account that this profile has pinned under the handle is blocked.
    public var hasPinned: Bool
    /// How many others are, which only call themselves so.
    public var claims: Int
    /// What the relay would not be told, of them or of others.
    public var refused: [RefusedStanding] = []
}

extension Messenger {
    /// Who is blocked, by handle.
    func blockedHandles() async throws(MessengerError) -> [BlockedHandle] {
        try await alone { (messenger, store) throws(MessengerError) in
            let blocks = try store.consent().blocks
            var blocked: [BlockedHandle] = []
            for handle in blocks.handles {
                blocked.append(try messenger.blocked(blocks.accounts(of: handle), as: handle, store))
            }
            return blocked
        }
    }

    /// Blocks the account that a request claims to be from, or one that is pinned: its requests are dropped, those to come
    /// as well. Rooms that one shares with it stay as they are.
    ///
    /// - Returns: what was blocked; several accounts where several claim the handle.
    func block(_ request: String) async throws(MessengerError) -> BlockedHandle {
        var blocked = try await alone { (messenger, store) throws(MessengerError) -> BlockedHandle in
            let account = try messenger.account(store)
            var consent = try store.consent()
            let asking = messenger.asking(request, in: consent)
            var accounts = Set(asking.map(\.account))
            let handle: Handle
            if let first = asking.first {
                handle = first.handle
            } else {
                guard let named = try? Handle(request), let pin = try messenger.pin(named, store),
                    pin.account != account.account
                else { throw .unknownRequest(request) }
                handle = named
                accounts = [pin.account]
            }
            for account in accounts { consent.blocks.add(account, handle) }
            let rooms = consent.roomRequests.all.filter { accounts.contains($0.account) }.map(\.room)
            consent.roomRequests.remove(Set(rooms))
            let changed = consent
            try store.transaction { () throws(MessengerError) in
                try store.put(changed, as: .consent, [])
                for blocked in accounts { try messenger.say(.blocked, of: blocked, account, store) }
            }
            return try messenger.blocked(Array(accounts), as: handle, store)
        }
        try await tellStandings()
        blocked.refused = takeRefusedStandings()
        return blocked
    }

    /// Lets the blocked accounts of a handle write again.
    ///
    /// - Returns: what was blocked.
    func unblock(_ handle: Handle) async throws(MessengerError) -> BlockedHandle {
        var unblocked = try await alone { (messenger, store) throws(MessengerError) -> BlockedHandle in
            var consent = try store.consent()
            let freed = consent.blocks.remove(handle)
            guard !freed.isEmpty else { throw .unknownRequest(handle.text) }
            let account = try messenger.account(store)
            let pinned = try messenger.pin(handle, store)?.account
            let changed = consent
            try store.transaction { () throws(MessengerError) in
                try store.put(changed, as: .consent, [])
                for other in freed { try messenger.say(other == pinned ? .known : nil, of: other, account, store) }
            }
            return try messenger.blocked(freed, as: handle, store)
        }
        try await tellStandings()
        unblocked.refused = takeRefusedStandings()
        return unblocked
    }

    // MARK: Parts

    /// Holds the handle of blocked accounts against the pins.
    private func blocked(
        _ accounts: [AccountID],
        as handle: Handle,
        _ store: ClientStore
    ) throws(MessengerError) -> BlockedHandle {
        let pinned = try pin(handle, store)?.account
        let claims = accounts.count(where: { $0 != pinned })
        return BlockedHandle(handle: handle, hasPinned: claims < accounts.count, claims: claims)
    }

    /// Who asks by a request with this number, or claims this handle; where a room is named, who asks for it.
    private func asking(_ text: String, in consent: Consent) -> [(account: AccountID, handle: Handle)] {
        let requests = consent.roomRequests.all
        let isNumber = Int64(text).map { number in requests.contains { $0.number == number } } ?? false
        let named = requests.filter { item in
            isNumber ? "\(item.number)" == text : item.handle?.text == text || item.room.description == text
        }
        return named.compactMap { item in item.handle.map { (account: item.account, handle: $0) } }
    }
}
