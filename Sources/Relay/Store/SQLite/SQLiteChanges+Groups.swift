import MildamIdentity
import MildamRelayAPI
import MildamStorage

/// Writes down groups, key packages and claims.
extension SQLiteChanges {
    /// What goes, goes before what comes.
    func apply(_ changes: GroupChanges) throws(StorageError) {
        for dropped in changes.droppedInfos { try drop(dropped) }
        for ended in changes.droppedStates {
            try database.execute(
                "DELETE FROM groups WHERE room = ? AND generation = ?",
                ended.room.column,
                Int64(ended.generation)
            )
        }
        for dropped in changes.droppedSnapshots {
            try database.execute(
                "DELETE FROM snapshots WHERE room = ? AND number <= ?",
                dropped.room.column,
                Int64(lookup: dropped.last)
            )
        }
        for (name, keyPackage) in changes.keyPackages where keyPackage == nil {
            try database.execute(
                "DELETE FROM key_packages WHERE account = ? AND device = ? AND reference = ?",
                name.address.account.column,
                name.address.device.column,
                name.reference
            )
        }
        for (name, claim) in changes.claims where claim == nil {
            try database.execute(
                "DELETE FROM claims WHERE account = ? AND claim = ?",
                name.claimer.column,
                name.id.column
            )
        }
        for state in changes.states { try put(state) }
        for info in changes.infos { try put(info) }
        for answer in changes.answers { try put(answer) }
        for snapshot in changes.snapshots { try insert(snapshot) }
        for case (let name, let keyPackage?) in changes.keyPackages { try insert(keyPackage, name) }
        for case (let name, let claim?) in changes.claims { try insert(claim, name) }
    }

    private func put(_ state: GroupChanges.State) throws(StorageError) {
        let group = state.group
        try database.execute(
            """
            INSERT INTO groups (room, generation, group_id, tree_hash, handshake, due, pending, commits, snapshot)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (room, generation) DO UPDATE SET tree_hash = excluded.tree_hash,
            handshake = excluded.handshake, due = excluded.due, pending = excluded.pending,
            commits = excluded.commits, snapshot = excluded.snapshot
            """,
            state.room.column,
            Int64(state.generation),
            group.id,
            group.treeHash,
            Int64(lookup: group.handshake),
            Int64(lookup: group.due),
            group.pending,
            group.commits,
            Int64(lookup: group.snapshot)
        )
    }

    private func drop(_ dropped: GroupChanges.DroppedInfos) throws(StorageError) {
        try database.execute(
            "DELETE FROM group_infos WHERE room = ? AND place >= ?",
            dropped.room.column,
            dropped.from
        )
        try database.execute("DELETE FROM group_info_answers WHERE room = ?", dropped.room.column)
    }

    private func put(_ info: GroupChanges.Info) throws(StorageError) {
        try database.execute(
            """
            INSERT INTO group_infos (room, place, generation, epoch, account, external_pub, bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (room, place) DO UPDATE SET generation = excluded.generation,
            epoch = excluded.epoch, account = excluded.account, external_pub = excluded.external_pub,
            bytes = excluded.bytes
            """,
            info.room.column,
            info.place,
            Int64(info.generation),
            Int64(lookup: info.epoch),
            info.account.column,
            info.externalPub,
            info.bytes
        )
    }

    private func put(_ answer: GroupChanges.InfoAnswer) throws(StorageError) {
        try database.execute(
            """
            INSERT INTO group_info_answers (room, account, external_pub) VALUES (?, ?, ?)
            ON CONFLICT (room, account) DO UPDATE SET external_pub = excluded.external_pub
            """,
            answer.room.column,
            answer.account.column,
            answer.externalPub
        )
    }

    private func insert(_ snapshot: GroupChanges.Snapshot) throws(StorageError) {
        try database.execute(
            "INSERT INTO snapshots (room, number, generation, epoch, account, bytes) VALUES (?, ?, ?, ?, ?, ?)",
            snapshot.room.column,
            Int64(lookup: snapshot.number),
            Int64(snapshot.generation),
            Int64(lookup: snapshot.epoch),
            snapshot.account.column,
            snapshot.bytes
        )
    }

    private func insert(_ row: GroupChanges.KeyPackageRow, _ name: KeyPackageName) throws(StorageError) {
        try database.execute(
            """
            INSERT INTO key_packages (account, device, reference, is_last_resort, not_after, bytes)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account, device, reference) DO UPDATE SET
            is_last_resort = excluded.is_last_resort, not_after = excluded.not_after, bytes = excluded.bytes
            """,
            name.address.account.column,
            name.address.device.column,
            name.reference,
            row.isLastResort ? 1 : 0,
            row.notAfter,
            row.bytes
        )
    }

    private func insert(_ row: GroupChanges.ClaimRow, _ name: ClaimName) throws(StorageError) {
        try database.execute(
            "INSERT INTO claims (account, claim, owner, stored, answer) VALUES (?, ?, ?, ?, ?)",
            name.claimer.column,
            name.id.column,
            row.owner.column,
            row.stored,
            row.answer
        )
    }
}
