import FoundationEssentials
import MildamIdentity
import MildamRelayAPI
import MildamStorage

extension SQLiteReads {
    func group(of room: RoomID, for account: AccountID) throws(StorageError) -> Standing<PresentGroup?> {
        try snapshot { () throws(StorageError) in try present(room, for: account) }
    }

    func groupState(of room: RoomID, for account: AccountID) throws(StorageError) -> Standing<RoomGroupState?> {
        try snapshot { () throws(StorageError) in
            switch try present(room, for: account) {
            case .noRoom: return .noRoom
            case .stranger: return .stranger
            case .member(nil): return .member(nil)
            case .member(let stored?):
                let info = try database.first("SELECT bytes FROM group_infos WHERE room = ?", room.column) {
                    row throws(StorageError) in try row.bytes(0)
                }
                return .member(info.map { stored.state(with: $0) })
            }
        }
    }

    private func present(_ room: RoomID, for account: AccountID) throws(StorageError) -> Standing<PresentGroup?> {
        switch try standing(of: account, in: room) {
        case .noRoom: return .noRoom
        case .stranger: return .stranger
        case .member:
            let found: (generation: UInt32, epoch: UInt64)? = try database.first(
                "SELECT generation, epoch FROM rooms WHERE room = ? AND is_group = 1",
                room.column
            ) { row throws(StorageError) in (try row.count(0), try row.count(1)) }
            guard let found, let group = try RoomGroup(of: room, found.generation, in: database) else {
                return .member(nil)
            }
            return .member(PresentGroup(generation: found.generation, epoch: found.epoch, group: group))
        }
    }

    func snapshot(
        of room: RoomID,
        generation: UInt32,
        notAfter epoch: UInt64
    ) throws(StorageError) -> StoredSnapshot? {
        try database.first(
            """
            SELECT number, epoch, bytes FROM snapshots WHERE room = ? AND generation = ? AND epoch <= ?
            ORDER BY number DESC LIMIT 1
            """,
            room.column,
            Int64(generation),
            Int64(lookup: epoch)
        ) { row throws(StorageError) in
            StoredSnapshot(number: try row.count(0), epoch: try row.count(1), bytes: try row.bytes(2))
        }
    }

    func handshakes(of room: RoomID, after number: UInt64) throws(StorageError) -> [StoredHandshake] {
        var found: [StoredHandshake] = []
        var bytes = 0
        try database.forEach(
            """
            SELECT number, generation, epoch, body FROM messages WHERE room = ? AND number > ? AND kind >= 2
            ORDER BY number LIMIT ?
            """,
            room.column,
            Int64(lookup: number),
            Limits.page
        ) { row throws(StorageError) in
            let body = try row.bytes(3)
            guard found.isEmpty || bytes + body.count <= Limits.pageBytes else { return false }
            bytes += body.count
            found.append(
                StoredHandshake(
                    number: try row.count(0),
                    generation: try row.count(1),
                    epoch: try row.count(2),
                    message: body
                )
            )
            return true
        }
        return found
    }

    func stock(of address: MailboxAddress) throws(StorageError) -> [KeyPackageEntry] {
        try database.stock(of: address)
    }
}
