import MildamIdentity
import MildamRelayAPI

/// Notes how far devices have read, many at once. What is no member's, or beyond the room's end, is passed over: that is one row
/// for each, however many members the rooms have that somebody names.
struct NoteCursors: StoreOperation {
    /// Cursors that one step notes.
    static let cursorsAtOnce = 500

    /// ``cursorsAtOnce`` at most.
    let cursors: [CursorName: UInt64]

    var rows: Int { cursors.count }
    var prefetch: [FactKey] { cursors.keys.map { .end($0.room, $0.address.account) } }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        for (name, number) in cursors {
            guard let end = try facts.end(of: name.room, for: name.address.account), number < end else { continue }
            facts.acknowledge(number, by: name)
        }
        return .success(())
    }
}
