import Foundation
import MildamClientStore
import MildamGroupKey
import MildamIdentity

/// A room of the first kind, as a client of that time stored it.
struct OlderSample: Sendable {
    let ledger: OlderLedger
    let rows: [OlderRow]

    init(_ ledger: StoredLedger, _ entries: [StoredEntry]) throws {
        self.ledger = try OlderSample.reread(ledger, as: OlderLedger.self)
        rows = try entries.map { OlderRow.entry(try OlderSample.reread($0, as: OlderEntry.self)) }
    }

    /// A room of the profile's own account, carol and dave, in which somebody has said each of these.
    init(_ name: String, said texts: [String], _ standing: OlderLedger.Standing = .member) throws {
        func member(_ account: AccountID, _ handle: String) throws -> Member {
            Member(account: account, handle: try Handle(handle), identityKey: MemoryRooms.identityKey(of: account))
        }
        let carol = try member(ServedRooms.carol, "carol")
        let own = try member(MemoryRooms.own, MemoryRooms.ownHandle)
        var ledger = StoredLedger(called: name, standing, of: [own, carol, try member(.random(), "dave")])
        var entries: [StoredEntry] = []
        for (place, text) in texts.enumerated() {
            let number = UInt64(place + 1)
            let entry = StoredEntry(
                number,
                from: carol.account,
                carol.handle,
                .accepted(event: .text(body: text)),
                missingBefore: number == 2 ? 3 : 0
            )
            (ledger.seen.number, ledger.seen.hash) = (number, entry.hash)
            entries.append(entry)
        }
        try self.init(ledger, entries)
    }

    private static func reread<Value: Decodable>(_ value: some Encodable, as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: JSONEncoder().encode(value))
    }
}
