import MildamClientCore
import MildamClientStore
import MildamIdentity
import MildamRelayAPI
import MildamRoomRules

/// What is known of an invitation to an MLS group before anything of it is opened.
struct WelcomeLetter: Sendable {
    /// The room.
    let room: RoomID
    /// Which of the room's groups it is.
    let generation: UInt32
    /// The epoch that the Welcome leads to; `nil` where there is none, and the account has a seat.
    let epoch: UInt64?
    /// The account that it is from, by the relay's word.
    let from: AccountID?
    /// Whether the relay says that it came past the strangers' part.
    let isPastStrangers: Bool
    /// Its size, in bytes.
    let size: Int
    /// How this account stands to the room.
    let standing: Consent.Standing
}

/// What is done with an invitation.
enum WelcomeVerdict: Sendable, Equatable {
    /// It is from somebody known, or for a room that this account is in.
    case known
    /// It waits until a person asks for it.
    case asked
    /// It is dropped.
    case dropped
}

/// A request to come into a room that is an MLS group, whose sender was looked up. Nothing is pinned.
struct LookedUpRequest: Sendable {
    /// The request.
    let item: RoomRequests.Item
    /// Who it is from.
    let sender: VerifiedAccount
    /// How they would be remembered.
    let pin: AccountPin
}

/// Requests to come into rooms that are MLS groups (H7), by the rules of `Consent`.
extension Messenger {
    /// Decides what becomes of invitations, in their order, and keeps apart what a person is to be asked.
    ///
    /// - Parameters:
    ///   - fellows: the accounts with whom this one is in rooms that are MLS groups.
    ///   - waiting: how many invitations of each account wait.
    func sort(
        _ letters: [WelcomeLetter],
        fellows: Set<AccountID>,
        waiting: [AccountID: Int]
    ) async throws(MessengerError) -> [WelcomeVerdict] {
        guard !letters.isEmpty else { return [] }
        return try await alone { (messenger, store) throws(MessengerError) in
            let own = try messenger.account(store).account
            var (consent, counts) = (try store.consent(), waiting)
            var links = try store.record(.openLinks, []) ?? OpenLinks()
            let known = try messenger.knownAccounts(store).union(fellows).union([own])
            let now = messenger.clock
            var hasUsedLink = false
            var verdicts: [WelcomeVerdict] = []
            for letter in letters {
                guard let account = letter.from else {
                    consent.setAside.add(SetAside.Item(cause: .malformed, time: now.milliseconds, room: letter.room))
                    verdicts.append(.dropped)
                    continue
                }
                let isKnown = known.contains(account)
                let verdict = consent.verdict(
                    on: account,
                    standing: letter.standing,
                    isKnown: isKnown,
                    isByLink: letter.isPastStrangers && links.areOpen(at: now.seconds),
                    waiting: counts[account] ?? 0,
                    at: now.seconds
                )
                switch verdict {
                case .keep: verdicts.append(.known)
                case .verify:
                    if consent.roomRequests.item(for: letter.room)?.account == account {
                        consent.roomRequests.remove([letter.room])
                    }
                    if !isKnown {
                        links.use(at: now.seconds)
                        hasUsedLink = true
                    }
                    counts[account, default: 0] += 1
                    verdicts.append(.known)
                case .ask:
                    let isKept = consent.keepApart(letter, from: account, isKnown: isKnown, at: now.milliseconds)
                    verdicts.append(isKept ? .asked : .dropped)
                case .setAside(let cause):
                    // A seat is no mail.
                    if letter.epoch != nil {
                        let item = SetAside.Item(cause: cause, time: now.milliseconds, room: letter.room)
                        consent.setAside.add(item)
                    }
                    verdicts.append(.dropped)
                }
            }
            let changed = (consent, links)
            try store.transaction { () throws(MessengerError) in
                try store.put(changed.0, as: .consent, [])
                if hasUsedLink { try store.put(changed.1, as: .openLinks, []) }
            }
            return verdicts
        }
    }

    /// Keeps apart what came as an invitation of somebody known, and was not what it should be.
    func doubt(
        _ letter: WelcomeLetter,
        from account: AccountID,
        because cause: SetAside.Cause
    ) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) in
            var consent = try store.consent()
            let now = messenger.clock.milliseconds
            consent.setAside.add(SetAside.Item(cause: cause, time: now, room: letter.room))
            _ = consent.keepApart(letter, from: account, isKnown: true, at: now)
            try store.put(consent, as: .consent, [])
        }
    }

    /// The accounts that are known by a pin, or as members of rooms of the first kind.
    private func knownAccounts(_ store: ClientStore) throws(MessengerError) -> Set<AccountID> {
        var accounts: Set<AccountID> = []
        for record in try store.records(.pin) {
            let pin = try record.pin()
            if pin.state.isPin { accounts.insert(pin.account) }
        }
        for room in try store.allOlderRooms() where room.standing == .member || room.standing == .removed {
            accounts.formUnion(room.members.map(\.account))
        }
        return accounts
    }

    /// The requests that wait, the oldest first.
    func roomRequests() async throws(MessengerError) -> [RoomRequests.Item] {
        try await alone { (_, store) throws(MessengerError) in try store.consent().roomRequests.all }
    }

    /// The same, as a person sees them.
    public func pendingRequests() async throws(MessengerError) -> [PendingRequest] {
        try await roomRequests().sorted { $0.number < $1.number }.map { item in
            PendingRequest(
                number: item.number,
                claimed: item.handle,
                account: item.account,
                room: item.room,
                received: item.received,
                size: item.size
            )
        }
    }

    /// Asks the relay what those are called who ask, where that is not known yet. It is believed for nothing. While the relay is
    /// asked, the profile is nobody's.
    func nameRoomRequests(over door: RelayDoor) async throws(MessengerError) {
        let accounts = try await alone { (_, store) throws(MessengerError) -> [AccountID] in
            let nameless = try store.consent().roomRequests.all.filter { $0.handle == nil }.map(\.account)
            return Array(Set(nameless).sorted().prefix(Limits.queriedAccounts))
        }
        guard !accounts.isEmpty else { return }
        let answers = try await door.ask { (relay, access) throws(MessengerError) in
            try await relay.bundles(AccountQuery(accounts: accounts), access)
        }
        try await alone { (_, store) throws(MessengerError) in
            var consent = try store.consent()
            for answer in answers.accounts where accounts.contains(answer.account) {
                guard let handle = answer.bundle?.account.claimed.handle else { continue }
                consent.roomRequests.name(answer.account, handle)
            }
            try store.put(consent, as: .consent, [])
        }
    }

    /// Looks up who sent a request, while the profile is nobody's. What shows that they are somebody else drops it.
    ///
    /// - Throws: `requestNotBelieved`, `identity`: the person is told both keys; `unknownRequest` where it is gone.
    func lookUp(_ item: RoomRequests.Item) async throws(MessengerError) -> LookedUpRequest {
        guard let handle = item.handle else {
            try await drop(item, because: .unknownSender)
            throw .unknownRequest("\(item.number)")
        }
        guard let shown = try await records(of: handle) else {
            try await drop(item, because: .unknownSender)
            throw .requestNotBelieved(handle, SetAside.Cause.unknownSender.rawValue)
        }
        let looked = try await alone { (messenger, store) throws(MessengerError) -> LookedUpRequest? in
            guard try store.consent().roomRequests.item(for: item.room)?.account == item.account else {
                throw .unknownRequest("\(item.number)")
            }
            let sender = try messenger.verify(shown, of: handle, try messenger.account(store), store)
            guard sender.record.account == item.account else { return nil }
            let pin = sender.pin.following(try messenger.pin(handle, store))
            return LookedUpRequest(item: item, sender: sender, pin: pin)
        }
        guard let looked else {
            try await drop(item, because: .otherAccount)
            throw .requestNotBelieved(handle, SetAside.Cause.otherAccount.rawValue)
        }
        return looked
    }

    /// What the relay shows for a handle; `nil` where it knows nobody of that name.
    private func records(of handle: Handle) async throws(MessengerError) -> AccountBundle? {
        do throws(MessengerError) {
            return try await RelayDoor(self, clock: clock).records(of: handle)
        } catch {
            guard case .unknownAccount = error else { throw error }
            return nil
        }
    }

    /// Drops a request that could not be believed, and remembers that against the account in whose name it came. One that is
    /// gone stays so.
    func drop(_ item: RoomRequests.Item, because cause: SetAside.Cause) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) -> Void in
            var consent = try store.consent()
            guard consent.roomRequests.item(for: item.room)?.account == item.account else { return }
            if cause != .unreadable { consent.senders.note(item.account, at: messenger.clock.seconds) }
            consent.setAside.add(
                SetAside.Item(
                    cause: cause,
                    time: messenger.clock.milliseconds,
                    sender: item.handle,
                    room: item.room
                )
            )
            consent.roomRequests.remove([item.room])
            try store.put(consent, as: .consent, [])
        }
    }

    /// Takes a request for an invitation, and its sender for somebody known.
    ///
    /// - Throws: `identity`, where another key of theirs was pinned since they were looked up: all is as it was.
    func accept(_ request: LookedUpRequest) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) -> Void in
            let account = try messenger.account(store)
            let known = try messenger.pin(request.pin.handle, store)
            if let known, !request.pin.isSameKey(as: known) {
                throw .identity(
                    .identityKeyChanged(
                        handle: known.handle,
                        pinned: known.fingerprint,
                        shown: request.pin.fingerprint
                    )
                )
            }
            // A newer list of theirs may have been seen since.
            let isNewer = (known?.listNumber ?? 0) > request.pin.listNumber
            let pin = if isNewer, let known { known.following(request.pin) } else { request.pin.following(known) }
            try store.transaction { () throws(MessengerError) in
                var consent = try store.consent()
                consent.roomRequests.remove([request.item.room])
                try store.put(consent, as: .consent, [])
                try messenger.keep(pin, store)
                try messenger.say(.known, of: request.pin.account, account, store)
            }
        }
        try await tellStandings()
    }

    /// Notes how many bytes wait for rooms, by room. Where that is too much, what is oldest gives way.
    func weigh(_ sizes: [RoomID: Int]) async throws(MessengerError) {
        guard !sizes.isEmpty else { return }
        try await alone { (_, store) throws(MessengerError) in
            var consent = try store.consent()
            for (room, size) in sizes.sorted(by: { $0.key < $1.key }) { consent.roomRequests.weigh(room, size) }
            try store.put(consent, as: .consent, [])
        }
    }

    /// Forgets requests; nobody hears of it.
    func forgetRequests(for rooms: Set<RoomID>) async throws(MessengerError) {
        try await alone { (_, store) throws(MessengerError) in
            var consent = try store.consent()
            guard !consent.roomRequests.remove(rooms).isEmpty else { return }
            try store.put(consent, as: .consent, [])
        }
    }
}

extension Consent {
    /// Keeps an invitation apart, until a person asks for it.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: whether there was a place for it.
    fileprivate mutating func keepApart(
        _ letter: WelcomeLetter,
        from account: AccountID,
        isKnown: Bool,
        at now: Int64
    ) -> Bool {
        let former = roomRequests.item(for: letter.room)?.number
        let number = if let former { former } else { requests.nextNumber() }
        let item = RoomRequests.Item(
            number: number,
            account: account,
            room: letter.room,
            generation: letter.generation,
            epoch: letter.epoch,
            size: letter.size,
            received: now,
            isKnown: isKnown
        )
        guard case .kept = roomRequests.add(item) else {
            setAside.add(SetAside.Item(cause: .full, time: now, room: letter.room))
            return false
        }
        return true
    }
}
