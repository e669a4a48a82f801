import Foundation
import MildamCrypto
import MildamGroupKey
import MildamIdentity

/// A room of the first kind, of alice, bob and carol, as alice's device had it.
struct StoredRoom {
    let bob, carol: Member
    var ledger: StoredLedger
    private(set) var entries: [StoredEntry] = []

    /// - Parameter number: the last message before this device's view.
    init(from number: UInt64 = 10) throws {
        bob = try Self.member("bob")
        carol = try Self.member("carol")
        ledger = StoredLedger(
            called: "room",
            of: [try Self.member("alice"), bob, carol],
            from: HistoryPoint(number: number, hash: [UInt8](repeating: 1, count: 32))
        )
    }

    /// A room in which bob has said so many texts: "1", "2" and so on.
    init(texts count: Int) throws {
        try self.init()
        for number in 1...count { take(.accepted(event: .text(body: "\(number)")), from: bob) }
    }

    static func member(_ handle: String) throws -> Member {
        Member(
            account: .random(),
            handle: try Handle(handle),
            identityKey: Curve25519.Signing.PrivateKey().publicKey
        )
    }

    /// Has one more message of somebody, who was a member unless that is why it was refused.
    mutating func take(
        _ outcome: StoredEntry.Outcome,
        from sender: Member,
        missingBefore: UInt64 = 0,
        removed: Handle? = nil,
        newList: UInt64? = nil
    ) {
        var isMember = true
        if case .refused(.notAMember) = outcome { isMember = false }
        let entry = StoredEntry(
            ledger.seen.number + 1,
            from: sender.account,
            isMember ? sender.handle : nil,
            outcome,
            missingBefore: missingBefore,
            removed: removed,
            newList: newList
        )
        entries.append(entry)
        (ledger.seen.number, ledger.seen.hash) = (entry.number, entry.hash)
    }
}
