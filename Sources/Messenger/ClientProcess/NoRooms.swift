import MildamClientCore
import MildamContent
import MildamIdentity
import MildamRoomRules

/// The rooms of a profile that is in none, and cannot be: one without an account.
public struct NoRooms: RoomService {
    /// No rooms.
    public init() {}

    /// - Throws: `no-account`, always.
    public func make(_ room: RoomID, _ info: RoomInfo, _ policy: RoomPolicyBits) async throws(RoomFault) {
        throw NoRooms.noAccount
    }

    /// - Throws: `no-account`, always.
    public func goOn(with older: OlderRoom, as room: RoomID) async throws(RoomFault) -> RoomID {
        throw NoRooms.noAccount
    }

    /// - Throws: `no-account`, always.
    public func find(_ handle: Handle) async throws(RoomFault) -> FoundAccount { throw NoRooms.noAccount }

    /// - Throws: `no-such-room`, always.
    public func wish(_ wish: Wish, in room: RoomID, as id: MessageID) async throws(RoomFault) {
        throw .noSuchRoom(room)
    }

    /// Nothing was wished for.
    public func progress(of wish: MessageID) async -> WishProgress { .unknown }

    /// Nothing was wished for.
    public func outcome(of wish: MessageID) async -> WishProgress { .unknown }

    /// None.
    public func rooms() async -> [RoomOverview] { [] }

    /// - Throws: `no-such-room`, always.
    public func entries(of room: RoomID, _ window: EntryWindow) async throws(RoomFault) -> [ShownEntry] {
        throw .noSuchRoom(room)
    }

    /// None.
    public func roomsWithOldKeys(within seconds: Int) async throws(RoomFault) -> Set<RoomID> { [] }

    /// - Throws: `no-account`, always.
    public func refresh() async throws(RoomFault) { throw NoRooms.noAccount }

    /// - Throws: `no-such-room`, always.
    public func forget(_ room: RoomID) async throws(RoomFault) { throw .noSuchRoom(room) }

    /// Nothing happens.
    public func changes() async -> AsyncStream<RoomChange> { AsyncStream { $0.finish() } }

    /// Nothing was tried.
    public var connection: RelayConnection { get async { .idle } }

    /// There is nobody to reach it for.
    public func reach() async -> RelayConnection { .idle }

    /// - Throws: `no-such-room`, always.
    public func catchUp(_ room: RoomID) async throws(RoomFault) -> RoomFault? { throw .noSuchRoom(room) }

    /// - Throws: `no-such-room`, always.
    public func drop(_ message: MessageID, in room: RoomID) async throws(RoomFault) { throw .noSuchRoom(room) }

    private static let noAccount = RoomFault("no-account")
}
