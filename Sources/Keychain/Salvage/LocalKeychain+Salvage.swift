import MildamEnclave
import MildamStorage
import MildamWire

/// A keychain whose file is damaged as a whole, and what can be read of it.
extension LocalKeychain {
    /// The ways to open what is left of a damaged file, or of the copies beside it.
    ///
    /// - Throws: `io`.
    public static func slotKinds(ofDamaged path: String) throws(KeychainError) -> [SlotKind] {
        try doors(of: try DamagedKeychain(at: path), path).flatMap(\.slots).compactMap { KeySlot.kind(of: $0) }
    }

    /// Writes a new file with every row that can be read in a damaged one, and keeps that aside. Only what was sealed by the
    /// keychain's keys is taken. What has the damaged file open, an agent for one, has to be ended before.
    ///
    /// - Returns: the keychain, opened, and what it was made from. ``restoreItems(withMissing:)`` gives it what the copies have.
    /// - Throws: `wrongSecret`; `noSuchSlot`; `storage(.damaged)` where nothing is left that could be opened; `io`.
    public static func salvage(
        _ path: String,
        secret: SlotSecret,
        options: Options = Options()
    ) async throws(KeychainError) -> (keychain: LocalKeychain, report: SalvageReport) {
        let damaged = try DamagedKeychain(at: path)
        let (door, content) = try await open(try doors(of: damaged, path), secret, path, options.enclave)
        let new = try SalvagedKeychain(of: damaged, at: path, door, content, options)
        let (file, log) = try new.replaceFile()
        let keychain = try LocalKeychain(path: path, options: options)
        try keychain.core.withLock { (core) throws(KeychainError) in
            core.deferCopy()
            try core.open(content)
        }
        try await keychain.acceptCounter()
        return (keychain, SalvageReport(new, damagedFile: file, damagedLog: log))
    }

    /// What a keychain is opened by: its identifier and slots that belong to it.
    struct Door: Sendable {
        let identifier: KeychainIdentifier
        let created: Int64
        let slots: [SlotRow]
    }

    /// The slots of the damaged file, then those of each copy.
    private static func doors(of damaged: DamagedKeychain, _ path: String) throws(KeychainError) -> [Door] {
        var doors = damaged.names.map { name in
            Door(identifier: name.identifier, created: name.created, slots: damaged.slots)
        }
        for copy in try copies(of: path) {
            guard let door = try? copy.door() else { continue }
            // Where the file no longer says which keychain it is, its slots are the copy's.
            let slots = damaged.names.isEmpty ? damaged.slots + door.slots : door.slots
            doors.append(Door(identifier: door.identifier, created: door.created, slots: slots))
        }
        return doors
    }

    private static func open(
        _ doors: [Door],
        _ secret: SlotSecret,
        _ path: String,
        _ enclave: (any Enclave)?
    ) async throws(KeychainError) -> (Door, KeySlot.Content) {
        var tried: [(row: SlotRow, identifier: KeychainIdentifier)] = []
        for door in doors {
            for row in door.slots where KeySlot.kind(of: row) == secret.kind {
                let isKnown = tried.contains {
                    $0.row.parameters == row.parameters && $0.row.sealed == row.sealed
                        && $0.identifier == door.identifier
                }
                guard !isKnown, let slot = try? KeySlot(wireBytes: row.parameters) else { continue }
                guard tried.count < maximumSlots else { throw .wrongSecret }
                tried.append((row, door.identifier))
                let key = try await slot.key(secret, door.identifier, enclave)
                guard let content = slot.open(row.sealed, under: key, door.identifier) else { continue }
                // Before any other of its number.
                let slots = [row] + door.slots
                return (Door(identifier: door.identifier, created: door.created, slots: slots), content)
            }
        }
        guard tried.isEmpty else { throw .wrongSecret }
        guard doors.contains(where: { !$0.slots.isEmpty }) else {
            throw .storage(
                .damaged(path: path, reason: "nothing is left in it, or in its copies, that could be opened")
            )
        }
        throw .noSuchSlot
    }
}

extension KeychainCopy {
    /// - Throws: `storage`, `io`.
    fileprivate func door() throws(KeychainError) -> LocalKeychain.Door? {
        let database = try database()
        return try mapping { () throws(StorageError) -> LocalKeychain.Door? in
            let slots = try database.rows("SELECT * FROM slot ORDER BY number") { row throws(StorageError) in
                try SlotRow(row)
            }
            return try database.first("SELECT identifier, created FROM keychain WHERE id = 1") {
                row throws(StorageError) -> LocalKeychain.Door? in
                guard let identifier = KeychainIdentifier(try row.bytes(0)) else { return nil }
                let known = slots.filter { DamagedKeychain.numbers.contains($0.number) }
                return LocalKeychain.Door(identifier: identifier, created: try row.int64(1), slots: known)
            } ?? nil
        }
    }
}
