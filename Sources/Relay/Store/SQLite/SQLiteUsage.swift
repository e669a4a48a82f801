import MildamIdentity
import MildamStorage

/// What accounts have caused in the open transaction, and is written down at its end: one row for each account, in the order
/// of their ids, and then one for each network that has another number of pieces by it. Where others write as well, nobody
/// so waits long for such a row, and nobody for another who waits for them.
struct SQLiteUsage {
    private let database: Database
    private var waiting: [AccountID: Changes.Charge] = [:]

    init(_ database: Database) {
        self.database = database
    }

    /// Takes what an operation counts.
    mutating func take(_ charges: [Changes.Charge]) {
        for charge in charges {
            guard waiting[charge.account]?.add(charge) == nil else { continue }
            waiting[charge.account] = charge
        }
    }

    /// Writes all of it.
    mutating func store() throws(StorageError) {
        guard !waiting.isEmpty else { return }
        var moved: [NetworkID: Int] = [:]
        for (_, charge) in waiting.sorted(by: { $0.key < $1.key }) { try write(charge, &moved) }
        for (network, pieces) in moved.sorted(by: { $0.key < $1.key }) { try move(pieces, of: network) }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Writes what waits for one account, which is to be read.
    mutating func store(_ account: AccountID) throws(StorageError) {
        guard let charge = waiting.removeValue(forKey: account) else { return }
        var moved: [NetworkID: Int] = [:]
        try write(charge, &moved)
        for (network, pieces) in moved { try move(pieces, of: network) }
    }

    /// The transaction is undone.
    mutating func forget() { waiting.removeAll() }

    private func write(_ charge: Changes.Charge, _ moved: inout [NetworkID: Int]) throws(StorageError) {
        let usage = charge.usage
        try database.execute(
            "UPDATE usage SET bytes = bytes + ?, blobs = blobs + ?, rooms = rooms + ? WHERE account = ?",
            usage.bytes,
            usage.blobs,
            usage.rooms,
            charge.account.column
        )
        if database.changes == 0 {
            try database.execute(
                "INSERT INTO usage (account, bytes, blobs, rooms) VALUES (?, ?, ?, ?)",
                charge.account.column,
                usage.bytes,
                usage.blobs,
                usage.rooms
            )
        }
        guard charge.movesPieces else { return }
        let found: (network: NetworkID, bytes: Int)? = try database.first(
            "SELECT network, bytes FROM usage WHERE account = ? AND network IS NOT NULL",
            charge.account.column
        ) { row throws(StorageError) in (NetworkID(bytes: try row.bytes(0)), try row.int(1)) }
        guard let found else { return }
        let pieces = DiskUsage.pieces(found.bytes) - DiskUsage.pieces(found.bytes - usage.bytes)
        if pieces != 0 { moved[found.network, default: 0] += pieces }
    }

    private func move(_ pieces: Int, of network: NetworkID) throws(StorageError) {
        try database.execute(
            """
            INSERT INTO networks (network, pieces) VALUES (?, ?)
            ON CONFLICT (network) DO UPDATE SET pieces = pieces + excluded.pieces
            """,
            network.bytes,
            pieces
        )
    }
}

extension Changes.Charge {
    /// One more of the same account.
    fileprivate mutating func add(_ other: Changes.Charge) {
        usage += other.usage
        if other.movesPieces { movesPieces = true }
    }
}
