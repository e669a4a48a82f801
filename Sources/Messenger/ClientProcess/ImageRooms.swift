import MildamClientCore
import MildamClientStore
import MildamContent
import MildamIdentity
import MildamRoomRules

/// The rooms of a store in memory: they can be read, and everything else fails with the same fault.
actor ImageRooms: RoomService {
    private let store: ClientStore
    private let cores: [RoomID: RoomCore]
    private let fault: RoomFault
    private var titles = RoomTitles()

    init(_ store: sending ClientStore, _ fault: RoomFault) throws {
        var cores: [RoomID: RoomCore] = [:]
        for core in try store.rooms.stored().rooms { cores[core.room] = core }
        self.cores = cores
        self.store = store
        self.fault = fault
    }

    func make(_ room: RoomID, _ info: RoomInfo, _ policy: RoomPolicyBits) async throws(RoomFault) { throw fault }

    func goOn(with older: OlderRoom, as room: RoomID) async throws(RoomFault) -> RoomID { throw fault }

    func find(_ handle: Handle) async throws(RoomFault) -> FoundAccount { throw fault }

    func wish(_ wish: Wish, in room: RoomID, as id: MessageID) async throws(RoomFault) { throw fault }

    func progress(of wish: MessageID) async -> WishProgress { .unknown }

    func outcome(of wish: MessageID) async -> WishProgress { .unknown }

    func rooms() async -> [RoomOverview] {
        var overviews: [RoomOverview] = []
        let rooms = cores.values.filter { !$0.wasNeverIn }.sorted { $0.room < $1.room }
        for core in rooms { overviews.append(overview(of: core)) }
        return overviews
    }

    private func overview(of core: RoomCore) -> RoomOverview {
        let awake = core.isAsleep ? core.awake(with: try? store.rooms.group(of: core.room)) : core
        let view = GroupView(
            info: titles.info(of: awake, in: store.rooms),
            epoch: awake.members == nil ? nil : awake.group?.publicGroup.context.epoch,
            epochAuthenticator: awake.epochAuthenticator,
            members: awake.members
        )
        return RoomOverview(core, view, isRequest: core.standing == .requested, areKeysUsedElsewhere: false)
    }

    func entries(of room: RoomID, _ window: EntryWindow) async throws(RoomFault) -> [ShownEntry] {
        guard cores[room] != nil else { throw .noSuchRoom(room) }
        do { return try store.rooms.entries(of: room, window) } catch { throw .notReadable(error) }
    }

    func refresh() async throws(RoomFault) { throw fault }

    func forget(_ room: RoomID) async throws(RoomFault) { throw fault }

    func roomsWithOldKeys(within seconds: Int) async throws(RoomFault) -> Set<RoomID> { throw fault }

    /// What a room of the first kind has under these numbers.
    func olderRows(of room: OlderLedger, in numbers: ClosedRange<UInt64>) throws(RoomFault) -> [OlderRow] {
        do { return try store.olderRooms.rows(of: room, in: numbers) } catch { throw .notReadable(error) }
    }

    func changes() async -> AsyncStream<RoomChange> { AsyncStream { $0.finish() } }

    var connection: RelayConnection { .stopped(fault) }

    func reach() async -> RelayConnection { .stopped(fault) }

    func catchUp(_ room: RoomID) async throws(RoomFault) -> RoomFault? { fault }

    func drop(_ message: MessageID, in room: RoomID) async throws(RoomFault) { throw fault }
}
