import FoundationEssentials
import MildamStorage

extension ClientStore {
    /// Adds to the end of the outbox.
    ///
    /// - Returns: the item's place.
    @discardableResult
    func append(_ item: OutboxItem) throws(MessengerError) -> Int64 {
        do {
            // No place is given twice: a person may name one that they saw a while ago.
            let last = try database.first("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'") {
                row throws(StorageError) in try row.int64(0)
            }
            let place = (last ?? 0) + 1
            try update(item, at: place)
            return place
        } catch {
            throw MessengerError(error)
        }
    }

    /// Replaces what lies at a place of the outbox.
    func update(_ item: OutboxItem, at place: Int64) throws(MessengerError) {
        let value = try encode(item)
        do {
            let sealed = try keys.outbox.seal(value, column: "value", row: .integer(place))
            try database.execute("INSERT OR REPLACE INTO outbox (place, value) VALUES (?, ?)", place, sealed)
        } catch {
            throw .storage(error)
        }
    }

    /// Everything in the outbox, in order.
    func outbox() throws(MessengerError) -> [(place: Int64, item: OutboxItem)] {
        var found: [(place: Int64, value: Data)] = []
        do {
            found = try database.rows("SELECT place, value FROM outbox ORDER BY place") {
                row throws(StorageError) in (try row.int64(0), try row.data(1))
            }
        } catch {
            throw .storage(error)
        }
        var items: [(place: Int64, item: OutboxItem)] = []
        for (place, sealed) in found {
            do {
                items.append(
                    (place, try decode(try keys.outbox.open(sealed, column: "value", row: .integer(place))))
                )
            } catch {
                throw MessengerError(error)
            }
        }
        return items
    }

    /// Drops what lies at a place of the outbox.
    func removeFromOutbox(_ place: Int64) throws(MessengerError) {
        do { try database.execute("DELETE FROM outbox WHERE place = ?", place) } catch { throw .storage(error) }
    }
}
