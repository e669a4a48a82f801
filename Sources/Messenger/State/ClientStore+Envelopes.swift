import FoundationEssentials
import MildamCrypto
import MildamGroupKey
import MildamIdentity
import MildamStorage

/// Envelopes as the relay delivered them: nothing in them is verified before a message begins their generation.
///
/// Each sender has a share of a room's, by the relay's word: what a member sends crowds out nobody else's. What the relay
/// does not name the sender of has one share together, since whoever sent it could claim any account.
extension ClientStore {
    /// How many envelopes are kept for a room.
    static let envelopesKept = 4096
    /// How many bytes of them, sealed.
    static let envelopeBytesKept = 16 * 1024 * 1024
    /// How many of them can be of one sender.
    static let envelopesOfOne = 1024
    /// How many bytes.
    static let envelopeBytesOfOne = 4 * 1024 * 1024

    /// Keeps an envelope. Of too much of one sender, the oldest generation of theirs gives way; of too much in all, that of
    /// the sender who has most.
    ///
    /// - Parameter sender: the account that the relay has it from, if it says so.
    func keep(_ envelope: KeyEnvelope, from sender: AccountID?) throws(MessengerError) {
        let room = envelope.header.room
        let (name, own) = (blinded("envelopes", room.bytes), blinded(sender, in: room))
        let bytes = envelope.wireBytes
        let digest = Array(SHA256.hash(data: bytes))
        let generation = Int64(envelope.header.generation)
        do {
            let sealed = try keys.envelopes.seal(
                Data(bytes),
                column: "value",
                row: .bytes(name),
                .integer(generation),
                .bytes(digest)
            )
            try database.execute(
                "INSERT OR REPLACE INTO envelopes (room, generation, digest, sender, value) VALUES (?, ?, ?, ?, ?)",
                name,
                generation,
                digest,
                own,
                sealed
            )
            while try isTooMuch(of: own, in: name) { try dropOldest(of: own, in: name) }
            while try isTooMuch(in: name), let most = try whoHasMost(in: name) { try dropOldest(of: most, in: name) }
        } catch {
            throw .storage(error)
        }
    }

    /// The name of whose share something counts for.
    private func blinded(_ sender: AccountID?, in room: RoomID) -> [UInt8] {
        sender.map { blinded("envelope senders", room.bytes + $0.bytes) } ?? []
    }

    private func isTooMuch(of sender: [UInt8], in room: [UInt8]) throws(StorageError) -> Bool {
        try database.first(
            "SELECT count(*) > ? OR sum(length(value)) > ? FROM envelopes WHERE room = ? AND sender = ?",
            Self.envelopesOfOne,
            Self.envelopeBytesOfOne,
            room,
            sender
        ) { row throws(StorageError) in try row.int(0) == 1 } == true
    }

    private func isTooMuch(in room: [UInt8]) throws(StorageError) -> Bool {
        try database.first(
            "SELECT count(*) > ? OR sum(length(value)) > ? FROM envelopes WHERE room = ?",
            Self.envelopesKept,
            Self.envelopeBytesKept,
            room
        ) { row throws(StorageError) in try row.int(0) == 1 } == true
    }

    /// The sender who takes most of a room's place: bytes, and for each envelope what one may have on average.
    private func whoHasMost(in room: [UInt8]) throws(StorageError) -> [UInt8]? {
        try database.first(
            """
            SELECT sender FROM envelopes WHERE room = ? GROUP BY sender
            ORDER BY sum(length(value)) + count(*) * ? DESC, min(generation) LIMIT 1
            """,
            room,
            Self.envelopeBytesKept / Self.envelopesKept
        ) { row throws(StorageError) in try row.bytes(0) }
    }

    private func dropOldest(of sender: [UInt8], in room: [UInt8]) throws(StorageError) {
        try database.execute(
            """
            DELETE FROM envelopes WHERE (room, generation, digest) IN (
                SELECT room, generation, digest FROM envelopes WHERE room = ? AND sender = ?
                ORDER BY generation, digest LIMIT 1
            )
            """,
            room,
            sender
        )
    }

    /// The envelopes that are kept for a room, or for one of its generations: the newest generation first.
    func envelopes(
        for room: RoomID,
        of generation: UInt32? = nil
    ) throws(MessengerError) -> [KeyEnvelope] {
        let name = blinded("envelopes", room.bytes)
        let bounds = (Int64(generation ?? 0), Int64(generation ?? .max))
        var envelopes: [KeyEnvelope] = []
        do {
            let found = try database.rows(
                """
                SELECT generation, digest, value FROM envelopes WHERE room = ? AND generation BETWEEN ? AND ?
                ORDER BY generation DESC
                """,
                name,
                bounds.0,
                bounds.1
            ) { row throws(StorageError) in (try row.int64(0), try row.bytes(1), try row.data(2)) }
            for (generation, digest, sealed) in found {
                let bytes = try keys.envelopes.open(
                    sealed,
                    column: "value",
                    row: .bytes(name),
                    .integer(generation),
                    .bytes(digest)
                )
                if let envelope = try? KeyEnvelope(wireBytes: Array(bytes)) { envelopes.append(envelope) }
            }
        } catch {
            throw .storage(error)
        }
        return envelopes
    }

    /// Forgets the envelopes of a room's generations up to and with one.
    func forgetEnvelopes(of room: RoomID, through generation: UInt32) throws(MessengerError) {
        do {
            try database.execute(
                "DELETE FROM envelopes WHERE room = ? AND generation <= ?",
                blinded("envelopes", room.bytes),
                Int64(generation)
            )
        } catch {
            throw .storage(error)
        }
    }
}
