import MildamClientStore
import MildamStorage

extension GroupRooms where Store == RoomStore {
    /// The rooms of a profile, in its own database: for the one process that drives them. Others go on using the profile.
    ///
    /// - Throws: a ``RoomFault``: there is no account, or the profile cannot be opened.
    public init(of messenger: Messenger) async throws(RoomFault) {
        let store: RoomStore
        do throws(MessengerError) {
            store = try await messenger.roomStore()
        } catch {
            throw RoomFault(error)
        }
        try await self.init(messenger, store: store)
    }
}

extension Messenger {
    /// Whether the profile has rooms that are MLS groups.
    public func hasGroupRooms() async throws(MessengerError) -> Bool {
        let store = try await roomStore()
        do { return try !store.stored().rooms.isEmpty } catch { throw MessengerError(error) }
    }

    /// The profile's rooms over a connection of their own, which does not hold the profile.
    func roomStore() async throws(MessengerError) -> sending RoomStore {
        // What is due with the database as a whole is done by whoever holds it.
        try await alone { (_, _) throws(MessengerError) -> Void in }
        do {
            var options = Database.Options()
            options.synchronous = synchronous
            let database = try Database(path: profile.place.messages, schema: ClientStore.schema, options: options)
            return try RoomStore(database: database, rootKey: profile.rootKey.rootKey(making: false))
        } catch {
            throw MessengerError(error)
        }
    }
}
