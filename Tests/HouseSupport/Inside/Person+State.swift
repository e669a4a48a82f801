import MildamIdentity
import MildamStorage

@testable import MildamMessenger

/// States of a profile that commands do not bring about at will.
extension Person {
    /// Another program that has the database open to read.
    package func reader() throws -> Database {
        var options = Database.Options()
        options.readOnly = true
        return try Database(path: folder + "/messenger.db", schema: ClientStore.schema, options: options)
    }

    /// The profile remembers somebody else's account under its own handle.
    package func takesForItself(_ other: Person) async throws {
        let record = try await other.ownRecord()
        let handle = try Handle(name)
        try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            let pin = AccountPin(handle: handle, account: record.account, identityKey: record.identityKey)
            try messenger.keep(pin, store)
        }
    }

    /// How many envelopes wait for a room that count for this sender.
    package func envelopes(from sender: AccountID, in room: RoomID) async throws -> Int {
        try await Messenger(profile: profile).work { (_, store) throws(MessengerError) in
            do {
                return try store.database.first(
                    "SELECT count(*) FROM envelopes WHERE room = ? AND sender = ?",
                    store.blinded("envelopes", room.bytes),
                    store.blinded("envelope senders", room.bytes + sender.bytes)
                ) { row throws(StorageError) in try row.int(0) } ?? 0
            } catch {
                throw MessengerError(error)
            }
        }
    }

    /// The profile has left a room, with a text for it in the outbox.
    package func leavesUnheard(_ text: String, in room: RoomID) async throws {
        try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            try store.append(messenger.item(.text(body: text), in: room))
            try messenger.turn(from: .member, to: .left, in: room, store)
        }
    }
}
