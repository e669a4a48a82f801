import FoundationEssentials
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI

/// What a person sees of a room.
public struct RoomSummary: Codable, Sendable {
    /// The room's id.
    public var room: RoomID
    /// Its name.
    public var name: String
    /// "invited", "member", "left" or "removed".
    public var standing: String
    /// Who invited this account.
    public var invitedBy: Handle?
    /// The members' handles.
    public var members: [Handle]
    /// How many members there are, where the invitation names too many to keep before joining.
    public var unkept: Int?
    /// The generation of its key.
    public var generation: UInt32
    /// The number of the last message this device has.
    public var last: UInt64

    init(_ ledger: RoomLedger) {
        room = ledger.room
        name = ledger.name
        standing = ledger.standing.rawValue
        invitedBy = ledger.invitedBy
        members = ledger.members.map(\.handle).sorted { $0.text < $1.text }
        unkept = ledger.unkept
        generation = ledger.generation
        last = ledger.seen.number
    }
}

extension Messenger {
    /// Makes a room of which this account is the only member.
    public func createRoom(_ name: String) async throws(MessengerError) -> RoomSummary {
        guard RoomName.isFit(name) else { throw .wrongUse("a room's name is \(RoomName.rule)") }
        return try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let own = try messenger.ownAccount(account)
            let key = RoomKey(room: .random(), generation: 1)
            _ = try await messenger.authorized(account, store) { (relay, access) throws(MessengerError) in
                try await relay.createRoom(key.room, access)
            }
            let keyName = Messenger.keyName(key.room, key.generation)
            try store.transaction { () throws(MessengerError) in
                try store.put(key.secretKey, as: .roomKey, keyName)
                try store.put(
                    RoomLedger(
                        creating: key.room,
                        name: name,
                        by: Member(own.record),
                        list: own.list.number
                    ),
                    as: .room,
                    key.room.bytes
                )
                try store.append(messenger.item(.created(name: name), in: key.room))
            }
            _ = try await messenger.flush(key.room, store)
            return RoomSummary(try await messenger.catchUp(key.room, account, store))
        }
    }

    /// Brings an account into a room: it gets the room's key, and the members are told.
    public func invite(_ handle: Handle, to room: String) async throws(MessengerError) -> ContactSummary {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let ledger = try messenger.resolve(room, store)
            let isNew = try messenger.pin(handle, store) == nil
            let guest = try await messenger.fetchAccount(handle, account, store)
            _ = try await messenger.flush(ledger.room, store)
            let present = try await messenger.catchUp(ledger.room, account, store)
            guard present.member(guest.record.account) == nil else { throw .alreadyAMember(handle) }
            try await messenger.change(.add(guest), in: ledger.room, account, store)
            // Whom one brings in is no stranger to this account's mailbox.
            try messenger.say(.known, of: guest.record.account, account, store)
            try await messenger.tellStandings(account, store)
            return ContactSummary(guest.pin.following(try messenger.pin(handle, store)), isNew: isNew)
        }
    }

    /// Accepts an invitation, and takes part from here on. Whom the invitation names is believed in this room, and pinned
    /// nowhere.
    public func join(_ room: String) async throws(MessengerError) -> RoomSummary {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            try await messenger.takeMail(account, store)
            return RoomSummary(try await messenger.join(try messenger.resolve(room, store), account, store))
        }
    }

    /// Joins a room that this account is invited to, or takes in what is new there.
    func join(
        _ ledger: RoomLedger,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> RoomLedger {
        guard ledger.standing == .invited else { return try await catchUpInPart(ledger.room, account, store).ledger }
        var joined = ledger
        if ledger.unkept != nil { joined.fill(from: try await unkeptInvitation(to: ledger, account, store)) }
        joined.standing = .member
        try store.put(joined, as: .room, joined.room.bytes)
        do throws(MessengerError) {
            try await accept(joined.room, account, store)
            return try await catchUpInPart(joined.room, account, store).ledger
        } catch {
            // What was begun with the invitation failed: it is there as before.
            try turn(from: .member, to: .invited, in: joined.room, store)
            throw error
        }
    }

    /// Leaves a room. Whoever speaks next there makes a new key first.
    public func leave(_ room: String) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let ledger = try messenger.resolve(room, store)
            guard ledger.standing == .invited else {
                _ = try await messenger.flush(ledger.room, store)
                return try await messenger.change(.leave, in: ledger.room, account, store)
            }
            // To decline an invitation is to be a member for a moment.
            var member = ledger
            // One that cannot be opened any more can be declined all the same.
            if ledger.unkept != nil, let whole = try? await messenger.unkeptInvitation(to: ledger, account, store) {
                member.fill(from: whole)
            }
            member.standing = .member
            try store.put(member, as: .room, member.room.bytes)
            do throws(MessengerError) {
                try await messenger.change(.leave, in: ledger.room, account, store)
            } catch .refused(let error) where error.code == .unknownRoom {
                // There is no such room: nothing is left to decline.
                try messenger.turn(from: .member, to: .left, in: ledger.room, store)
            } catch {
                // What was begun with the invitation failed: it is there as before.
                try messenger.turn(from: .member, to: .invited, in: ledger.room, store)
                throw error
            }
        }
    }

    /// Puts an account out of a room, under a new key that it does not get.
    public func remove(_ handle: Handle, from room: String) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let ledger = try messenger.resolve(room, store)
            _ = try await messenger.flush(ledger.room, store)
            let present = try await messenger.catchUp(ledger.room, account, store)
            guard let member = present.members.first(where: { $0.handle == handle }) else {
                throw .unknownAccount(handle)
            }
            guard member.account != account.account else {
                throw .wrongUse("you cannot put yourself out of a room: `mildam room leave` leaves it")
            }
            try await messenger.change(.remove(member.account), in: ledger.room, account, store)
        }
    }

    /// Makes the relay's list of a room's members and that of the members agree again: who stands on one of them only
    /// is put out, and the others get a new key. Nobody comes in by the relay's word.
    ///
    /// - Returns: the room, and how many were put out of either list.
    public func mend(_ room: String) async throws(MessengerError) -> (room: RoomSummary, putOut: Int) {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let room = try messenger.resolve(room, store).room
            let (ledger, state) = try await messenger.settled(room, account, store)
            let strangers = Set(state.members).symmetricDifference(ledger.members.map(\.account))
            guard !strangers.contains(account.account) else { throw .notAMember(room: ledger.name) }
            for stranger in strangers.sorted() {
                try await messenger.change(.remove(stranger), in: room, mending: true, account, store)
            }
            if strangers.isEmpty, ledger.generation != state.generation || ledger.renewalDue != state.renewalDue {
                try await messenger.change(.renew, in: room, mending: true, account, store)
            }
            try await messenger.checkMembers(room, account, store)
            return (RoomSummary(try messenger.ledger(room, store)), strangers.count)
        }
    }

    /// The rooms of this profile, and those it is invited to.
    ///
    /// - Parameter fetching: whether to ask the relay for new invitations first.
    public func rooms(fetching: Bool) async throws(MessengerError) -> [RoomSummary] {
        try await alone { (messenger, store) throws(MessengerError) in
            if fetching { try await messenger.takeMail(try messenger.account(store), store) }
            return try store.records(.room).map(RoomSummary.init).sorted { ($0.name, $0.room) < ($1.name, $1.room) }
        }
    }

    /// One room, and its members with the keys that they were brought in with; and what is the matter with it.
    public func showRoom(
        _ room: String,
        fetching: Bool
    ) async throws(MessengerError) -> (room: RoomSummary, members: [ContactSummary], trouble: MessengerError?) {
        try await alone { (messenger, store) throws(MessengerError) in
            var ledger = try messenger.resolve(room, store)
            var trouble: MessengerError?
            if fetching, ledger.standing == .member {
                let account = try messenger.account(store)
                do throws(MessengerError) {
                    try await messenger.checkMembers(ledger.room, account, store)
                } catch {
                    guard error.leavesRoomReadable else { throw error }
                    trouble = error
                }
                ledger = try messenger.ledger(ledger.room, store)
            }
            var members: [ContactSummary] = []
            for member in ledger.members {
                members.append(ContactSummary(member, pin: try messenger.pin(member.handle, store)))
            }
            return (RoomSummary(ledger), members, trouble)
        }
    }

    /// The room that a person names: by id, or by a name that only one room has. What somebody else invites to never
    /// competes for a name with the rooms that this account is in.
    func resolve(_ text: String, _ store: ClientStore) throws(MessengerError) -> RoomLedger {
        if let room = try? RoomID(text), let ledger = try store.record(.room, room.bytes) { return ledger }
        let named = try store.records(.room).filter { $0.name == text }
        let candidates =
            [RoomLedger.Standing.member, .invited].lazy
            .map { standing in named.filter { $0.standing == standing } }.first { !$0.isEmpty } ?? named
        guard let first = candidates.first else { throw .unknownRoom(text) }
        guard candidates.count == 1 else { throw .ambiguousRoom(text) }
        return first
    }
}
