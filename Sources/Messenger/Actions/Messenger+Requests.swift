import FoundationEssentials
import MildamGroupKey
import MildamIdentity

/// Somebody this account does not know wants it in a room. Nothing of this is verified.
public struct RequestSummary: Codable, Sendable {
    /// Its number.
    public var number: Int64
    /// The handle that it claims to be from.
    public var claimed: Handle
    /// When this device took it from the mailbox, in milliseconds since 1970.
    public var received: Int64
    /// How many bytes wait.
    public var size: Int
}

/// A request whose sender was looked up and verified.
public struct RequestDetails: Codable, Sendable {
    /// Its number.
    public var number: Int64
    /// Who it is from.
    public var sender: Handle
    /// What to compare with them.
    public var fingerprint: String
    /// How the relay's records are believed: as what was pinned before, or as seen just now.
    public var state: PinState
    /// The room's name, as its sender says.
    public var room: String
    /// How many members it has, as its sender says.
    public var members: Int
    /// When this device took it from the mailbox, in milliseconds since 1970.
    public var received: Int64
}

/// The blocked accounts of a handle. Anybody can claim one: only that of the pinned account is certain.
public struct BlockedHandle: Sendable {
    /// The handle.
    public var handle: Handle
    /// Whether the account that this profile has pinned under the handle is blocked.
    public var hasPinned: Bool
    /// How many others are, which only call themselves so.
    public var claims: Int
}

extension Messenger {
    /// The requests that wait, the oldest first, and who is blocked.
    ///
    /// - Parameter fetching: whether to take the mail first.
    public func requests(
        fetching: Bool
    ) async throws(MessengerError) -> (requests: [RequestSummary], blocked: [BlockedHandle]) {
        try await alone { (messenger, store) throws(MessengerError) in
            if fetching { try await messenger.takeMail(try messenger.account(store), store) }
            let consent = try store.consent()
            let requests = consent.requests.asked.map { item in
                RequestSummary(
                    number: item.number,
                    claimed: item.handle,
                    received: item.received,
                    size: consent.requests.items(of: item.account, for: item.room).reduce(0) { $0 + $1.size }
                )
            }
            var blocked: [BlockedHandle] = []
            for handle in consent.blocks.handles {
                blocked.append(try messenger.blocked(consent.blocks.accounts(of: handle), as: handle, store))
            }
            return (requests, blocked)
        }
    }

    /// Looks up who sent a request, and opens it. Nothing is pinned.
    ///
    /// - Parameter request: its number, or the handle that it claims to be from where that has one only.
    public func request(_ request: String) async throws(MessengerError) -> RequestDetails {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            try await messenger.takeMail(account, store)
            let item = try messenger.asked(request, store)
            let (sender, invitation, _) = try await messenger.verified(item, account, store)
            let pin = sender.pin.following(try messenger.pin(item.handle, store))
            return RequestDetails(
                number: item.number,
                sender: item.handle,
                fingerprint: pin.fingerprint.description,
                state: pin.state,
                room: invitation.name,
                members: invitation.members.count,
                received: item.received
            )
        }
    }

    /// Makes a request an invitation. Its sender is somebody known from then on.
    ///
    /// - Parameter joining: whether to join the room at once.
    public func acceptRequest(_ request: String, joining: Bool = false) async throws(MessengerError) -> RoomSummary {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            try await messenger.takeMail(account, store)
            let item = try messenger.asked(request, store)
            let (sender, invitation, envelope) = try await messenger.verified(item, account, store)
            let pin = sender.pin.following(try messenger.pin(item.handle, store))
            try store.transaction { () throws(MessengerError) in
                var consent = try store.consent()
                try messenger.keep(pin, store)
                try messenger.take(invitation, in: envelope, &consent, store)
                try store.put(consent, as: .consent, [])
                try messenger.say(.known, of: pin.account, account, store)
            }
            try await messenger.tellStandings(account, store)
            messenger.verified[item.handle] = sender
            let ledger = try messenger.ledger(item.room, store)
            guard joining else { return RoomSummary(ledger) }
            return RoomSummary(try await messenger.join(ledger, account, store))
        }
    }

    /// Drops a request, and what followed it for the same room. Its sender hears nothing of it.
    ///
    /// - Parameter request: its number or handle; `nil` for all of them.
    /// - Returns: how many were dropped.
    public func declineRequest(_ request: String?) async throws(MessengerError) -> Int {
        try await alone { (messenger, store) throws(MessengerError) in
            var asked = try store.consent().requests.asked
            if let request { asked = [try messenger.asked(request, store)] }
            let declined = asked
            try store.transaction { () throws(MessengerError) in
                var consent = try store.consent()
                for item in declined {
                    let numbers = consent.requests.items(of: item.account, for: item.room).map(\.number)
                    try messenger.forget(Set(numbers), &consent, store)
                }
                try store.put(consent, as: .consent, [])
            }
            return declined.count
        }
    }

    /// Blocks the account that a request claims to be from, or one that is pinned: its requests are dropped, those to come
    /// as well. Rooms that one shares with it stay as they are.
    ///
    /// - Returns: what was blocked; several accounts where several claim the handle.
    public func block(_ request: String) async throws(MessengerError) -> BlockedHandle {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            var consent = try store.consent()
            var accounts = Set(messenger.asked(request, in: consent).map(\.account))
            let handle: Handle
            if let item = messenger.asked(request, in: consent).first {
                handle = item.handle
            } else {
                guard let named = try? Handle(request), let pin = try messenger.pin(named, store),
                    pin.account != account.account
                else { throw .unknownRequest(request) }
                handle = named
                accounts = [pin.account]
            }
            for account in accounts { consent.blocks.add(account, handle) }
            let numbers = consent.requests.all.filter { accounts.contains($0.account) }.map(\.number)
            var changed = consent
            try store.transaction { () throws(MessengerError) in
                try messenger.forget(Set(numbers), &changed, store)
                try store.put(changed, as: .consent, [])
                for blocked in accounts { try messenger.say(.blocked, of: blocked, account, store) }
            }
            try await messenger.tellStandings(account, store)
            return try messenger.blocked(Array(accounts), as: handle, store)
        }
    }

    /// Lets the blocked accounts of a handle write again.
    ///
    /// - Returns: what was blocked.
    public func unblock(_ handle: Handle) async throws(MessengerError) -> BlockedHandle {
        try await alone { (messenger, store) throws(MessengerError) in
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
            try await messenger.tellStandings(account, store)
            return try messenger.blocked(freed, as: handle, store)
        }
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

    /// The requests with this number, or that claim to be from this handle.
    private func asked(_ text: String, in consent: Consent) -> [RequestBook.Item] {
        let asked = consent.requests.asked
        if let number = Int64(text), let item = asked.first(where: { $0.number == number }) { return [item] }
        return asked.filter { $0.handle.text == text }
    }

    private func asked(_ text: String, _ store: ClientStore) throws(MessengerError) -> RequestBook.Item {
        let found = asked(text, in: try store.consent())
        guard let first = found.first else { throw .unknownRequest(text) }
        guard found.count == 1 else { throw .ambiguousRequest(first.handle) }
        return first
    }

    /// A request's sender and what it invites to: of what came for the same room, the first that is from who it claims. What
    /// is not, all of it, is dropped, and remembered against the account in whose name it came.
    private func verified(
        _ item: RequestBook.Item,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> (VerifiedAccount, RoomInvitation, KeyEnvelope) {
        var cause = SetAside.Cause.malformed
        let items = try store.consent().requests.items(of: item.account, for: item.room)
        switch try await claimedSender(item.handle, account, store) {
        case .verified(let sender):
            for item in items {
                guard let envelope = try store.requested(item.number) else { continue }
                switch try invitation(in: envelope, from: sender, account, store) {
                case .success(let invitation): return (sender, invitation, envelope)
                case .failure(let why): cause = why
                }
            }
        case .refused(let why) where why == .otherKey || why == .relayIsBehind:
            // The person is told both keys, or both lists, and may ask again when the relay shows the right one.
            _ = try await lookUp(item.handle, account, store)
            throw .requestNotBelieved(item.handle, why.rawValue)
        case .refused(let why): cause = why
        }
        try drop(items, because: cause, store)
        throw .requestNotBelieved(item.handle, cause.rawValue)
    }

    private func drop(
        _ items: [RequestBook.Item],
        because cause: SetAside.Cause,
        _ store: ClientStore
    ) throws(MessengerError) {
        let now = clock
        try store.transaction { () throws(MessengerError) in
            var consent = try store.consent()
            for item in items {
                if cause != .unreadable { consent.senders.note(item.account, at: now.seconds) }
                consent.setAside.add(
                    SetAside.Item(cause: cause, time: now.milliseconds, sender: item.handle, room: item.room)
                )
            }
            try forget(Set(items.map(\.number)), &consent, store)
            try store.put(consent, as: .consent, [])
        }
    }
}
