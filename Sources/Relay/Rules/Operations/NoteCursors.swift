import MildamIdentity
import MildamRelayAPI

/// Notes how far devices have read, many at once. What is no member's, or beyond the room's end, is passed over.
struct NoteCursors: StoreOperation {
    /// Cursors that one step notes.
    static let cursorsAtOnce = 500

    /// ``cursorsAtOnce`` at most.
    let cursors: [CursorName: UInt64]

    var rows: Int { cursors.count }
    var prefetch: [FactKey] { Set(cursors.keys.map(\.room)).map { .room($0) } }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        for (name, number) in cursors {
            guard let room = try facts.room(name.room), room.members[name.address.account] != nil, number < room.next
            else { continue }
            facts.acknowledge(number, by: name)
        }
        return .success(())
    }
}
