import MildamCrypto
import MildamGroupKey
import MildamIdentity

/// Whom an account knows: the people it has pinned, and those with whom it shares a room.
///
/// Pure: it holds claims against what is remembered, and asks nobody.
struct Acquaintances: Sendable {
    private struct Name: Hashable {
        var account: AccountID
        var handle: Handle
    }

    private var keys: [Name: [Curve25519.Signing.PublicKey]] = [:]
    private var pins: [Handle: AccountPin] = [:]

    /// - Parameters:
    ///   - pins: what is remembered of accounts. What was only told does not count.
    ///   - rosters: the members of each room that the account is in.
    init(pins: [AccountPin], rosters: [[Member]]) {
        for pin in pins where pin.state.isPin {
            self.pins[pin.handle] = pin
            keys[Name(account: pin.account, handle: pin.handle), default: []].append(pin.identityKey)
        }
        for member in rosters.joined() {
            // Whom a room calls by the handle of somebody else whom this account has met, it does not know.
            if let pin = self.pins[member.handle], !pin.isSameKey(as: member.pin) { continue }
            keys[Name(account: member.account, handle: member.handle), default: []].append(member.identityKey)
        }
    }

    /// Whether a claim is one of somebody known. It may be false: nothing is verified.
    func mayBe(_ account: AccountID, _ handle: Handle) -> Bool { keys[Name(account: account, handle: handle)] != nil }

    /// Whether an account whose records were verified is somebody known.
    func know(_ record: AccountRecord) -> Bool {
        keys[Name(account: record.account, handle: record.handle)]?.contains(record.identityKey) == true
    }
}
