import FoundationEssentials
import MildamClientCore
import MildamGroupStore
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamStorage

/// What a client begins with.
extension RoomStore {
    /// What a group has before a step gives it its own: nothing is done with it until then.
    private static let environment = GroupEnvironment(
        authentication: RoomAuthentication(),
        policy: RoomPolicy(),
        now: { 0 },
        pastEpochs: 0,
        resumptionEpochs: 1
    )

    /// All rooms, asleep: no group is restored, but of a room in which a group waits for its number.
    public func stored() throws(StorageError) -> StoredClient {
        var rooms: [RoomCore] = []
        var damaged: Set<RoomID> = []
        for (room, place) in places.sorted(by: { $0.key < $1.key }) {
            let (core, isWhole) = try load(room, place)
            rooms.append(core)
            guard !isWhole else { continue }
            damaged.insert(room)
            noteDamage(of: room)
        }
        return StoredClient(rooms: rooms, keyPackages: try keyPackages(), damaged: damaged)
    }

    /// How many rooms are there that cannot even be named, since the row is damaged that says which they are.
    public func namelessRooms() throws(StorageError) -> Int {
        let count = try database.first("SELECT count(*) FROM room_states") { row throws(StorageError) in
            try row.int(0)
        }
        return (count ?? 0) - places.count
    }

    /// The group of a room, in the epoch that it was stored in.
    public func group(of room: RoomID) throws(StorageError) -> Group? {
        guard let place = places[room], let outline = try self.outline(at: place).value else {
            noteDamage(of: room)
            return nil
        }
        let group = try load(outline.groupID, from: groups)
        if group == nil { noteDamage(of: room) }
        return group
    }

    private func load(_ group: GroupID, from store: GroupStore) throws(StorageError) -> Group? {
        do throws(StorageError) {
            return try store.load(group, environment: RoomStore.environment)
        } catch .damaged {
            return nil
        }
    }

    // MARK: A room

    /// - Returns: the room, and whether everything that is stored of it opens.
    private func load(_ room: RoomID, _ place: Int64) throws(StorageError) -> (RoomCore, isWhole: Bool) {
        let sealed = try database.first("SELECT value FROM room_states WHERE place = ?", place) {
            row throws(StorageError) in try row.data(0)
        }
        let state = sealed.flatMap { RoomStore.opened($0, by: keys.states, .integer(place)) }
        let history = try self.history(at: place)
        let intents = try self.intents(at: place)
        let outline = try self.outline(at: place)
        let welcome = try self.welcome(at: place)
        var waiting: [GroupID: Group] = [:]
        if let state, let names = try? RoomCore.waitingGroups(inState: state) {
            for name in names { waiting[name] = try load(name, from: waitingGroups) }
        }
        let opened = state.flatMap { state in
            try? RoomCore(
                room,
                state: state,
                history: history.parts,
                intents: intents.list,
                outline: outline.value,
                welcome: welcome.value,
                waiting: { waiting[$0] }
            )
        }
        guard var core = opened else {
            let last = try lastNumber(at: place)
            let damaged = RoomCore(damaged: room, after: last, intents: intents.list, outline: outline.value)
            return (damaged, false)
        }
        var isWhole = history.isWhole && intents.isWhole && outline.isWhole && welcome.isWhole
        if !waiting.isEmpty, core.isAsleep {
            let group = try self.group(of: room)
            isWhole = isWhole && group != nil
            core = core.awake(with: group)
        }
        return (core, isWhole)
    }

    private func history(at place: Int64) throws(StorageError) -> (parts: [[UInt8]], isWhole: Bool) {
        let range = try NumberedRow.keys(place)
        let parts = try database.rows(
            "SELECT place, value FROM room_history WHERE place BETWEEN ? AND ? ORDER BY place",
            range.lowerBound,
            range.upperBound
        ) { row throws(StorageError) in
            let key = try row.int64(0)
            return RoomStore.opened(try row.data(1), by: self.keys.history, .integer(key))
        }
        return (parts.compactMap { $0 }, !parts.contains(nil))
    }

    private func intents(at place: Int64) throws(StorageError) -> (list: [Intent], isWhole: Bool) {
        let list = try database.rows("SELECT name, value FROM room_intents WHERE room = ? ORDER BY turn", place) {
            row throws(StorageError) in
            RoomStore.opened(try row.data(1), by: self.keys.intents, .bytes(try row.bytes(0)))
                .flatMap { try? Intent(storedForm: $0) }
        }
        return (list.compactMap { $0 }, !list.contains(nil))
    }

    private func welcome(at place: Int64) throws(StorageError) -> (value: ArrivedWelcome?, isWhole: Bool) {
        let sealed = try database.first("SELECT value FROM room_welcomes WHERE room = ?", place) {
            row throws(StorageError) in try row.data(0)
        }
        guard let sealed else { return (nil, true) }
        let value = RoomStore.opened(sealed, by: keys.welcomes, .integer(place))
            .flatMap { try? ArrivedWelcome(storedForm: $0) }
        return (value, value != nil)
    }

    private func outline(at place: Int64) throws(StorageError) -> (value: GroupOutline?, isWhole: Bool) {
        let sealed = try database.first("SELECT value FROM room_outlines WHERE room = ?", place) {
            row throws(StorageError) in try row.data(0)
        }
        guard let sealed else { return (nil, true) }
        let value = RoomStore.opened(sealed, by: keys.outlines, .integer(place))
            .flatMap { try? GroupOutline(storedForm: $0) }
        return (value, value != nil)
    }
}
