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
            listDigest: list.digest,
            state: .seen
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

/// What a client remembers of an account: who it is, how far that is believed, and the newest device list it has shown.
public struct AccountPin: Sendable, Equatable {
    /// The name it was met under.
    public let handle: Handle
    /// The account.
    public let account: AccountID
    /// Its identity key.
    public let identityKey: Curve25519.Signing.PublicKey
    /// The highest list number seen; 0 when the account's records were never fetched.
    public let listNumber: UInt64
    /// SHA-256 of that list; empty with number 0.
    public let listDigest: [UInt8]
    /// How far the key is believed.
    public let state: PinState

    /// Makes a pin.
    ///
    /// - Parameter state: how far it is believed; unless given, as seen where a list was seen, and else as told.
    public init(
        handle: Handle,
        account: AccountID,
        identityKey: Curve25519.Signing.PublicKey,
        listNumber: UInt64 = 0,
        listDigest: [UInt8] = [],
        state: PinState? = nil
    ) {
        self.handle = handle
        self.account = account
        self.identityKey = identityKey
        self.listNumber = listNumber
        self.listDigest = listDigest
        self.state = state ?? (listNumber > 0 ? .seen : .told)
    }

    /// The same, believed so far.
    public func believed(_ state: PinState) -> AccountPin {
        AccountPin(
            handle: handle,
            account: account,
            identityKey: identityKey,
            listNumber: listNumber,
            listDigest: listDigest,
            state: state
        )
    }

    /// The same, believed as far as what was remembered of the same key before, if that is more.
    public func following(_ known: AccountPin?) -> AccountPin {
        guard let known, isSameKey(as: known) else { return self }
        return believed(max(state, known.state))
    }

    /// Whether both are about the same account and key.
    public func isSameKey(as other: AccountPin) -> Bool {
        account == other.account && identityKey == other.identityKey
    }

    /// What people compare.
    public var fingerprint: Fingerprint { Fingerprint(account: account, key: identityKey) }
}
