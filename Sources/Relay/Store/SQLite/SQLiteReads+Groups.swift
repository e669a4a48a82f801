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
                let infos = try groupInfos(of: room)
                return .member(stored.state(with: infos, waiting: try waiting(in: room, from: stored.group.due)))
            }
        }
    }

    private func present(_ room: RoomID, for account: AccountID) throws(StorageError) -> Standing<PresentGroup?> {
        switch try standing(of: account, in: room) {
        case .noRoom: return .noRoom
        case .stranger: return .stranger
        case .member:
            let found: (generation: UInt32, epoch: UInt64, next: UInt64)? = try database.first(
                "SELECT generation, epoch, next FROM rooms WHERE room = ? AND is_group = 1",
                room.column
            ) { row throws(StorageError) in (try row.count(0), try row.count(1), try row.count(2)) }
            guard let found, let group = try RoomGroup(of: room, found.generation, in: database) else {
                return .member(nil)
            }
            return .member(
                PresentGroup(generation: found.generation, epoch: found.epoch, next: found.next, group: group)
            )
        }
    }

    private func groupInfos(of room: RoomID) throws(StorageError) -> StoredGroupInfos {
        StoredGroupInfos(
            given: try database.rows(
                "SELECT account, external_pub, bytes FROM group_infos WHERE room = ? ORDER BY place",
                room.column
            ) { row throws(StorageError) in
                StoredGroupInfo(
                    account: try row.identifier(0),
                    externalPub: try row.digest(1),
                    bytes: try row.bytes(2)
                )
            },
            answers: try database.rows(
                "SELECT account, external_pub FROM group_info_answers WHERE room = ? ORDER BY account",
                room.column
            ) { row throws(StorageError) in
                StoredAnswer(account: try row.identifier(0), externalPub: try row.digest(1))
            }
        )
    }

    /// From the first proposal that waits on, there is nothing but proposals.
    private func waiting(in room: RoomID, from due: UInt64) throws(StorageError) -> [[UInt8]] {
        guard due > 0 else { return [] }
        return try database.rows(
            "SELECT body FROM messages WHERE room = ? AND number >= ? AND kind >= 2 ORDER BY number LIMIT ?",
            room.column,
            Int64(lookup: due),
            Limits.proposals
        ) { row throws(StorageError) in try row.bytes(0) }
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
            SELECT number, generation, epoch, account, body FROM messages WHERE room = ? AND number > ? AND kind >= 2
            ORDER BY number LIMIT ?
            """,
            room.column,
            Int64(lookup: number),
            Limits.page
        ) { row throws(StorageError) in
            let body = try row.bytes(4)
            guard found.isEmpty || bytes + body.count <= Limits.pageBytes else { return false }
            bytes += body.count
            found.append(
                StoredHandshake(
                    number: try row.count(0),
                    generation: try row.count(1),
                    epoch: try row.count(2),
                    account: try row.identifier(3),
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
