import MildamCrypto

/// An account whose records, list and devices were all checked.
public struct VerifiedAccount: Sendable {
    /// Who it is.
    public let record: AccountRecord
    /// Its newest device list.
    public let list: DeviceList
    /// The devices on that list whose records have not run out.
    public let devices: [DeviceID: DeviceRecord]
    /// The lists before it, oldest first and without a gap, each of which a device of its own handed over to the next.
    public let earlier: [VerifiedList]

    /// The records of a device that stand on a list with this number or a later one, in the order of the lists.
    ///
    /// - Parameter now: seconds since 1970; records that have run out are left out.
    /// - Returns: each record once, with the first such list that names it.
    public func records(
        of device: DeviceID,
        since number: UInt64,
        at now: Int64
    ) -> [(list: UInt64, record: DeviceRecord)] {
        let newest = VerifiedList(number: list.number, digest: list.digest, devices: devices)
        var records: [(list: UInt64, record: DeviceRecord)] = []
        for list in earlier + [newest] where list.number >= number {
            guard let record = list.devices[device], record.isValid(at: now),
                record.digest != records.last?.record.digest
            else { continue }
            records.append((list.number, record))
        }
        return records
    }

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

/// A device list that was checked, and the records it names.
public struct VerifiedList: Sendable {
    /// Its number.
    public let number: UInt64
    /// SHA-256 of its encoding, 32 bytes.
    public let digest: [UInt8]
    /// Its devices, those whose records have run out among them.
    public let devices: [DeviceID: DeviceRecord]
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
