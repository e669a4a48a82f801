import MildamClientStore
import MildamStorage

extension ClientStore {
    /// The rooms of the first kind that it holds.
    var olderRooms: OlderRooms {
        OlderRooms(database: database, records: keys.records, entries: keys.entries, outbox: keys.outbox) {
            [keys] table, name in keys.blinded(table, name)
        }
    }

    /// All of them.
    func allOlderRooms() throws(MessengerError) -> [OlderLedger] {
        do throws(StorageError) { return try olderRooms.all() } catch { throw .storage(error) }
    }
}
