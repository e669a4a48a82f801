import Foundation
import MildamCrypto
import MildamIdentity
import MildamStorage

@testable import MildamMessenger

/// Stores what a client of the first rooms did, as it did.
extension ClientStore {
    func put(_ ledger: StoredLedger) throws(MessengerError) {
        try put(ledger, as: RecordKind<StoredLedger>(text: "room"), ledger.room.bytes)
    }

    func put(_ entry: StoredEntry, in room: RoomID) throws(MessengerError) {
        let key = blinded("entries", room.bytes)
        let number = Int64(clamping: entry.number)
        let value = try encode(entry)
        do {
            try database.execute(
                "INSERT OR REPLACE INTO entries (room, number, value) VALUES (?, ?, ?)",
                key,
                number,
                try keys.entries.seal(value, column: "value", row: .bytes(key), .integer(number))
            )
        } catch {
            throw .storage(error)
        }
    }

    /// - Returns: its place.
    @discardableResult
    func append(_ unsent: StoredUnsent) throws(MessengerError) -> Int64 {
        let value = try encode(unsent)
        do {
            let last = try database.first("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'") {
                row throws(StorageError) in try row.int64(0)
            }
            let place = (last ?? 0) + 1
            let sealed = try keys.outbox.seal(value, column: "value", row: .integer(place))
            try database.execute("INSERT INTO outbox (place, value) VALUES (?, ?)", place, sealed)
            return place
        } catch {
            throw .storage(error)
        }
    }

    /// - Parameter sender: the account that the relay had it from, if it said so.
    func keep(
        envelope: [UInt8],
        for room: RoomID,
        _ generation: UInt32,
        from sender: AccountID?
    ) throws(MessengerError) {
        let name = blinded("envelopes", room.bytes)
        let own = sender.map { blinded("envelope senders", room.bytes + $0.bytes) } ?? []
        let digest = Array(SHA256.hash(data: envelope))
        do {
            let sealed = try keys.envelopes.seal(
                Data(envelope),
                column: "value",
                row: .bytes(name),
                .integer(Int64(generation)),
                .bytes(digest)
            )
            try database.execute(
                "INSERT INTO envelopes (room, generation, digest, sender, value) VALUES (?, ?, ?, ?, ?)",
                name,
                Int64(generation),
                digest,
                own,
                sealed
            )
        } catch {
            throw .storage(error)
        }
    }

    /// The generations of a room's envelopes that open under the present key, the newest first.
    func envelopeGenerations(of room: RoomID) throws -> [Int64] {
        let name = blinded("envelopes", room.bytes)
        let rows = try database.rows(
            "SELECT generation, digest, value FROM envelopes WHERE room = ? ORDER BY generation DESC",
            name
        ) { row throws(StorageError) in (try row.int64(0), try row.bytes(1), try row.data(2)) }
        return rows.filter { generation, digest, value in
            keys.envelopes.opens(
                value,
                column: "value",
                place: [.bytes(name), .integer(generation), .bytes(digest)]
            )
        }.map { $0.0 }
    }
}
