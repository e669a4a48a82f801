import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules

extension GroupRooms: RoomService {
    /// Begins a room.
    public func make(_ room: RoomID, _ info: RoomInfo, _ policy: RoomPolicyBits) async throws(RoomFault) {
        try take([.create(room, info, policy)])
    }

    /// Looks an account up.
    public func find(_ handle: Handle) async throws(RoomFault) -> FoundAccount {
        let found: SignedAccount
        do throws(MessengerError) {
            found = try await relay.accounts.look(up: handle)
        } catch {
            throw RoomFault(error)
        }
        guard let identity = found.identity else { throw .noSuccession(handle) }
        return FoundAccount(
            handle: handle,
            account: found.record.account,
            identity: identity,
            fingerprint: found.record.fingerprint
        )
    }

    /// Takes a wish on.
    public func wish(_ wish: Wish, in room: RoomID, as id: MessageID) async throws(RoomFault) {
        guard present[room] != nil else { throw .noSuchRoom(room) }
        guard case .unknown = now(of: id) else { return }
        if case .accept = wish { accepting[id] = room }
        do throws(RoomFault) {
            try take([.wish(room, wish, id: id)])
        } catch {
            accepting[id] = nil
            throw error
        }
    }

    /// How far a wish is now.
    public func progress(of wish: MessageID) async -> WishProgress { now(of: wish) }

    /// What came of a wish.
    public func outcome(of wish: MessageID) async -> WishProgress {
        guard case .waiting = now(of: wish) else { return now(of: wish) }
        let waiter = wishes.nextWaiter()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wishes.wait(for: wish, waiter, $0) }
        } onCancel: {
            Task { await self.giveUp(wish, waiter) }
        }
    }

    /// All rooms, by id.
    public func rooms() async -> [RoomOverview] {
        present.values.sorted { $0.room < $1.room }.map { overview(of: $0) }
    }

    /// Entries of a room.
    public func entries(of room: RoomID, _ window: EntryWindow) async throws(RoomFault) -> [ShownEntry] {
        guard present[room] != nil else { throw .noSuchRoom(room) }
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

    private func overview(of room: RoomCore) -> RoomOverview {
        let view = groupView(of: room)
        return RoomOverview(
            room: room.room,
            standing: RoomOverview.Standing(room.standing),
            info: view.info,
            generation: room.generation,
            epoch: view.epoch,
            epochAuthenticator: view.epochAuthenticator,
            members: view.members,
            last: room.history.number,
            isLogRead: room.isLogRead,
            wishes: room.intents.filter { !$0.isDuty },
            trouble: room.trouble?.cause
        )
    }
}

extension RoomOverview.Standing {
    /// As the core knows it.
    fileprivate init(_ standing: RoomCore.Standing) {
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
