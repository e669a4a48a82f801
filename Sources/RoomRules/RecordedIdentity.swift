import MildamCrypto
import MildamIdentity

/// Who an account is by its own records, as a relay has them.
public struct RecordedIdentity: Sendable {
    private let key: Curve25519.Signing.PublicKey
    /// What the next identity key is known by, as far as the records say it.
    private let commitments: Set<[UInt8]>
    /// How many identity keys the account had before, as far as the records say it.
    private let rotations: Set<UInt32>
    /// What its devices sign with, by the present list.
    private let deviceKeys: [DeviceID: Curve25519.Signing.PublicKey]

    /// By a bundle that was verified when it came: by its older records too, which somebody may hold to be the present ones.
    public init(_ bundle: AccountBundle) {
        let account = bundle.account.claimed
        key = account.identityKey
        let devices = bundle.devices + bundle.earlier.flatMap(\.devices)
        let said = devices.compactMap(\.claimed.succession)
        commitments = Set(said.map(\.nextIdentity) + (account.nextIdentity.map { [$0] } ?? []))
        rotations = said.isEmpty ? [0] : Set(said.map(\.rotation))
        let present = bundle.devices.map { ($0.claimed.device, $0.claimed.signatureKey) }
        deviceKeys = Dictionary(present) { first, _ in first }
    }

    /// Whether a leaf is the account's: its record is signed by the identity key, and says the rest truly.
    func isOf(_ leaf: RoomLeaf) -> Bool { leaf.identity.key == key }

    /// Whether a leaf's device has the key that it has there.
    func isPresent(_ leaf: RoomLeaf) -> Bool { deviceKeys[leaf.device] == leaf.signatureKey }

    /// Whether a seat is the account's: what it says nobody has signed.
    func isOf(_ seat: Seat) -> Bool {
        let identity = seat.identity
        return identity.key == key && rotations.contains(identity.rotation)
            && (commitments.isEmpty || commitments.contains(identity.nextIdentity))
    }
}

extension RoomMembers {
    /// Whether an account that comes in is there as its records say. Members cannot ask this of one another, since each knows what
    /// it has fetched (H1); a relay has the records of all. It would be kept out of the room under another identity, and whoever
    /// has seen the right one would send nothing there.
    ///
    /// - Throws: `newcomerHasRecordedIdentity`.
    public func check(newcomer account: AccountID, is recorded: RecordedIdentity) throws(RoomRefusal) {
        let isByLeaf = leaves(of: account).allSatisfy { recorded.isOf($0) }
        let isBySeat = room.seats[account].map { recorded.isOf($0) } ?? true
        try require(.newcomerHasRecordedIdentity, isByLeaf && isBySeat)
    }

    /// Whether who begins a group is a device of its account as that is now: a copy of keys that were replaced since can still have
    /// a session for some minutes, and whoever knows the account by its identity alone would follow it.
    ///
    /// - Throws: `beginnerHasRecordedKey`.
    public func check(beginner account: AccountID, is recorded: RecordedIdentity) throws(RoomRefusal) {
        try require(.beginnerHasRecordedKey, leaves(of: account).allSatisfy { recorded.isPresent($0) })
    }
}
