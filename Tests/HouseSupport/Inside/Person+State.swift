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

    private func ownRecord() async throws -> AccountRecord {
        try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            try messenger.ownRecord(try messenger.account(store))
        }
    }
}
