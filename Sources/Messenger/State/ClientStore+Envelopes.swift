import FoundationEssentials
import MildamCrypto
import MildamGroupKey
import MildamIdentity
import MildamStorage

/// Envelopes as the relay delivered them: nothing in them is verified before a message begins their generation.
extension ClientStore {
    /// How many envelopes are kept for a room.
    static let envelopesKept = 4096
    /// How many bytes of them, sealed.
    static let envelopeBytesKept = 16 * 1024 * 1024

    /// Keeps an envelope; of too many for one room the rest is not kept.
    func keep(_ envelope: KeyEnvelope) throws(MessengerError) {
        let room = blinded("envelopes", envelope.header.room.bytes)
        let bytes = envelope.wireBytes
        let digest = Array(SHA256.hash(data: bytes))
        let generation = Int64(envelope.header.generation)
        do {
            let kept = try database.first(
                "SELECT count(*), coalesce(sum(length(value)), 0) FROM envelopes WHERE room = ?",
                room
            ) { row throws(StorageError) in (count: try row.int(0), bytes: try row.int(1)) }
            if let kept, kept.count >= Self.envelopesKept || kept.bytes + bytes.count > Self.envelopeBytesKept {
                return
            }
            let sealed = try keys.envelopes.seal(
                Data(bytes),
                column: "value",
                row: .bytes(room),
                .integer(generation),
                .bytes(digest)
            )
            try database.execute(
                "INSERT OR REPLACE INTO envelopes (room, generation, digest, value) VALUES (?, ?, ?, ?)",
                room,
                generation,
                digest,
                sealed
            )
        } catch {
            throw .storage(error)
        }
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
