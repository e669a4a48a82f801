import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules

extension GroupRooms: RoomService {
    /// Begins a room.
    public func make(_ room: RoomID, _ info: RoomInfo, _ policy: RoomPolicyBits) async throws(RoomFault) {
        try take([.create(room, info, policy)])
    }

    /// Goes on with a room of the first kind.
    public func goOn(with older: OlderRoom, as room: RoomID) async throws(RoomFault) -> RoomID {
        try take([.createAfter(older, as: room)])
        guard let next = present.values.first(where: { $0.goesOn(with: older.end) }) else {
            throw RoomFault("not-made", ["room": "\(room)"])
        }
        return next.room
    }

    /// Looks an account up.
    public func find(_ handle: Handle) async throws(RoomFault) -> FoundAccount {
        let isKnown: Bool
        let found: SignedAccount
        do throws(MessengerError) {
            isKnown = try await messenger.hasMet(handle)
            found = try await relay.accounts.look(up: handle)
        } catch {
            throw RoomFault(error)
        }
        return try FoundAccount(found, handle, isNew: !isKnown)
    }

    /// Looks accounts up.
    public func find(all accounts: [SoughtAccount]) async throws(RoomFault) -> [Result<FoundAccount, RoomFault>] {
        let looked: [Result<SignedAccount, MessengerError>]
        do throws(MessengerError) { looked = try await relay.accounts.look(upAll: accounts) } catch {
            throw RoomFault(error)
        }
        var found: [Result<FoundAccount, RoomFault>] = []
        for (result, account) in zip(looked, accounts) {
            do throws(RoomFault) {
                switch result {
                case .success(let signed): found.append(.success(try FoundAccount(signed, account.handle)))
                case .failure(let error): throw RoomFault(error)
                }
            } catch {
                found.append(.failure(error))
            }
        }
        return found
    }

    /// Takes a wish on.
    public func wish(_ wish: Wish, in room: RoomID, as id: MessageID) async throws(RoomFault) {
        guard let core = present[room] else { throw .noSuchRoom(room) }
        guard case .unknown = now(of: id) else { return }
        guard core.hasRoom(for: wish, id: id) else { throw .tooManyWaiting }
        if case .accept = wish {
            try await admit(room)
            try await note(untold: room)
        }
        let isRefusal = wish == .leave && strangers.contains(room)
        try take([isRefusal ? .decline(room, id: id) : .wish(room, wish, id: id)])
    }

    /// How far a wish is now.
    public func progress(of wish: MessageID) async -> WishProgress { now(of: wish) }

    /// What came of a wish.
    public func outcome(of wish: MessageID) async -> WishProgress {
        guard !isRetired, case .waiting = now(of: wish) else { return now(of: wish) }
        let waiter = wishes.nextWaiter()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wishes.wait(for: wish, waiter, $0) }
        } onCancel: {
            Task { await self.giveUp(wish, waiter) }
        }
    }

    /// All rooms, by id.
    public func rooms() async -> [RoomOverview] {
        let used = stored.core.roomsWithKeysUsedElsewhere
        let rooms = present.values.filter { !$0.wasNeverIn }.sorted { $0.room < $1.room }
        return rooms.map { overview(of: $0, used) }
    }

    /// Entries of a room.
    public func entries(of room: RoomID, _ window: EntryWindow) async throws(RoomFault) -> [ShownEntry] {
        guard present[room] != nil else { throw .noSuchRoom(room) }
        guard !isRetired else { throw .lent }
        do { return try stored.store.entries(of: room, window) } catch { throw .notReadable(error) }
    }

    /// What happens from here on.
    public func changes() async -> AsyncStream<RoomChange> { listen() }

    /// Whether the relay can be reached.
    public var connection: RelayConnection { state }

    private func now(of wish: MessageID) -> WishProgress {
        let isTakenOn = present.values.contains { room in room.intents.contains { $0.id == wish } }
        return wishes.progress(of: wish, isTakenOn: isTakenOn)
    }

    private func giveUp(_ wish: MessageID, _ waiter: Int) { wishes.giveUp(wish, waiter) }

    /// Whether a stranger wants this account in a room, and no person has accepted.
    private func isRequest(_ room: RoomCore) -> Bool {
        switch room.standing {
        case .requested: true
        case .seated, .invited: strangers.contains(room.room)
        case .beginning, .member, .left, .removed: false
        }
    }

    private func overview(of room: RoomCore, _ used: Set<RoomID>) -> RoomOverview {
        RoomOverview(
            room,
            groupView(of: room),
            isRequest: isRequest(room),
            areKeysUsedElsewhere: used.contains(room.room)
        )
    }
}

extension FoundAccount {
    /// - Throws: `no-succession`.
    fileprivate init(_ found: SignedAccount, _ handle: Handle, isNew: Bool = false) throws(RoomFault) {
        guard let identity = found.identity else { throw .noSuccession(handle) }
        self.init(
            handle: handle,
            account: found.record.account,
            identity: identity,
            fingerprint: found.record.fingerprint,
            isNew: isNew
        )
    }
}

extension RoomOverview {
    /// A room with what is shown of its group.
    ///
    /// - Parameter isRequest: whether a stranger wants this account in it, and no person has accepted.
    init(_ room: RoomCore, _ view: GroupView, isRequest: Bool, areKeysUsedElsewhere: Bool) {
        self.init(
            room: room.room,
            standing: isRequest ? .requested : RoomOverview.Standing(room.standing),
            info: view.info,
            generation: room.generation,
            epoch: view.epoch,
            epochAuthenticator: view.epochAuthenticator,
            members: view.members,
            last: room.history.number,
            isLogRead: room.isLogRead,
            wishes: room.intents.filter { !$0.isDuty },
            trouble: room.trouble?.cause,
            areKeysUsedElsewhere: areKeysUsedElsewhere,
            continued: room.continued,
            invitedBy: room.invitedBy,
            unsaid: room.unsaid
        )
    }
}

extension RoomOverview.Standing {
    /// As the core knows it.
    init(_ standing: RoomCore.Standing) {
        self =
            switch standing {
            case .beginning: .beginning
            case .requested: .requested
            case .seated, .invited: .invited
            case .member: .member
            case .left: .left
            case .removed: .removed
            }
    }
}

extension Intent {
    /// Whether nobody asked for it.
    fileprivate var isDuty: Bool { if case .duty = wish { true } else { false } }
}

extension RoomCore {
    /// Whether this device declined to come in: there is nothing of the room here.
    var wasNeverIn: Bool { standing == .left && group == nil && outline == nil }
}
