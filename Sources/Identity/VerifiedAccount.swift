import MildamCrypto

/// An account whose records, list and devices were all checked.
public struct VerifiedAccount: Sendable {
    /// Who it is.
    public let record: AccountRecord
    /// Its newest device list.
    public let list: DeviceList
    /// The devices on that list whose records have not run out.
    public let devices: [DeviceID: DeviceRecord]

    /// What to remember of it.
    public var pin: AccountPin {
        AccountPin(
            handle: record.handle,
            account: record.account,
            identityKey: record.identityKey,
            listNumber: list.number,
            listDigest: list.digest
        )
    }
}

/// What a client remembers of an account it has met: who it is, and the newest device list it has shown.
public struct AccountPin: Sendable, Equatable {
    /// The name it was met under.
    public let handle: Handle
    /// The account.
    public let account: AccountID
    /// Its identity key.
    public let identityKey: Curve25519.Signing.PublicKey
    /// The highest list number seen; 0 when the account is known only from another member's word.
    public let listNumber: UInt64
    /// SHA-256 of that list; empty with number 0.
    public let listDigest: [UInt8]

    /// Makes a pin.
    public init(
        handle: Handle,
        account: AccountID,
        identityKey: Curve25519.Signing.PublicKey,
        listNumber: UInt64 = 0,
        listDigest: [UInt8] = []
    ) {
        self.handle = handle
        self.account = account
        self.identityKey = identityKey
        self.listNumber = listNumber
        self.listDigest = listDigest
    }

    /// What people compare.
    public var fingerprint: Fingerprint { Fingerprint(account: account, key: identityKey) }

    /// Holds the key that somebody else shows for this account against the pin.
    public func mustBe(account: AccountID, identityKey: Curve25519.Signing.PublicKey) throws(IdentityError) {
        guard account == self.account, identityKey == self.identityKey else {
            throw .identityKeyChanged(
                handle: handle,
                pinned: fingerprint,
                shown: Fingerprint(account: account, key: identityKey)
            )
        }
    }
}
