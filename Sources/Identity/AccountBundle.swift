import MildamCrypto

/// What a relay says of an account: nothing in it is believed until ``verified(for:on:pin:at:)`` says so.
public struct AccountBundle: Codable, Sendable {
    /// Who the account is.
    public let account: Signed<AccountRecord>
    /// Its newest device list.
    public let list: Signed<DeviceList>
    /// The records of the devices on the list.
    public let devices: [Signed<DeviceRecord>]
    /// The lists before it, oldest first and without a gap: what was signed under them is still read.
    public var earlier: [EarlierDevices] { past ?? [] }
    /// Left out where there is none.
    private let past: [EarlierDevices]?

    /// How many earlier lists a bundle has at most.
    public static let maximumEarlier = 32

    private enum CodingKeys: String, CodingKey {
        case account, list, devices
        case past = "earlier"
    }

    /// Puts an account's own records together.
    public init(
        account: Signed<AccountRecord>,
        list: Signed<DeviceList>,
        devices: [Signed<DeviceRecord>],
        earlier: [EarlierDevices] = []
    ) {
        self.account = account
        self.list = list
        self.devices = devices
        past = earlier.isEmpty ? nil : earlier
    }

    /// The account's own records as they are once one of its devices has new keys.
    ///
    /// - Parameters:
    ///   - record: the device's new record.
    ///   - key: the device's present key, which hands over.
    ///   - identity: the account's identity key.
    ///   - newer: the account's own record in the place of the present one; `nil` where it stays.
    /// - Returns: a bundle with the next list; `nil` when there is no list after the present one.
    public func renewing(
        _ record: DeviceRecord,
        handedOverBy key: Curve25519.Signing.PrivateKey,
        identity: Curve25519.Signing.PrivateKey,
        account newer: Signed<AccountRecord>? = nil
    ) -> AccountBundle? {
        let present = list.claimed
        guard present.number < UInt64(Int64.max) else { return nil }
        let stay = devices.filter { $0.claimed.device != record.device }
        let next = DeviceList(
            relay: present.relay,
            account: present.account,
            number: present.number + 1,
            records: stay.map(\.claimed) + [record]
        )
        let handover = DeviceHandover(by: record.device, from: present, to: next)
        let past = EarlierDevices(
            list: list,
            devices: devices.filter { $0.claimed.device == record.device },
            handover: Signed(handover, by: key)
        )
        return AccountBundle(
            account: newer ?? account,
            list: Signed(next, by: identity),
            devices: stay + [Signed(record, by: identity)],
            earlier: Array((earlier + [past]).suffix(AccountBundle.maximumEarlier))
        )
    }

    /// Checks every record against the pin, or, without one, against the identity key that the bundle itself shows (first use).
    ///
    /// - Parameters:
    ///   - handle: the handle that was asked for.
    ///   - relay: the relay that was asked.
    ///   - pin: what is known of the account from before. One that was only told is no pin.
    ///   - now: seconds since 1970.
    /// - Returns: the account, whose ``VerifiedAccount/pin`` is to be kept in the pin's place, with those of its
    ///   devices whose records have not run out.
    public func verified(
        for handle: Handle,
        on relay: RelayID,
        pin: AccountPin?,
        at now: Int64
    ) throws(IdentityError) -> VerifiedAccount {
        let pin = pin.flatMap { $0.state.isPin ? $0 : nil }
        let shown = account.claimed
        if let pin {
            guard shown.account == pin.account, shown.identityKey == pin.identityKey else {
                throw .identityKeyChanged(handle: handle, pinned: pin.fingerprint, shown: shown.fingerprint)
            }
        }
        let record = try account.verified(under: shown.identityKey)
        guard record.handle == handle else { throw .notWhatWasAsked("handle") }
        guard record.relay == relay else { throw .notWhatWasAsked("relay") }

        let list = try list.verified(under: record.identityKey)
        guard list.account == record.account, list.relay == relay else { throw .notWhatWasAsked("account") }
        if let pin {
            guard list.number >= pin.listNumber else {
                throw .deviceListTooOld(handle: handle, shown: list.number, known: pin.listNumber)
            }
            guard list.number > pin.listNumber || list.digest == pin.listDigest else {
                throw .deviceListForked(handle: handle, number: list.number)
            }
        }
        let present = try listedDevices(of: record, on: list)
        let past = try earlierLists(of: record, before: list, with: present)
        if let pin, pin.listNumber > 0, list.number > pin.listNumber {
            guard let known = past.first(where: { $0.number == pin.listNumber }) else {
                throw .deviceListUnconnected(handle: handle, shown: list.number, known: pin.listNumber)
            }
            guard known.digest == pin.listDigest else {
                throw .deviceListForked(handle: handle, number: pin.listNumber)
            }
        }
        return VerifiedAccount(
            record: record,
            list: list,
            devices: present.filter { $0.value.isValid(at: now) },
            earlier: past
        )
    }

    private func listedDevices(
        of account: AccountRecord,
        on list: DeviceList
    ) throws(IdentityError) -> [DeviceID: DeviceRecord] {
        var records: [DeviceID: DeviceRecord] = [:]
        guard devices.count <= DeviceList.maximumCount else { throw .notWhatWasAsked("device") }
        for signed in devices {
            let record = try signed.verified(under: account.identityKey)
            guard record.account == account.account, record.relay == account.relay else {
                throw .notWhatWasAsked("account")
            }
            guard list.entries.contains(where: { $0.device == record.device && $0.recordDigest == record.digest })
            else { throw .deviceNotListed(record.device) }
            guard records.updateValue(record, forKey: record.device) == nil else { throw .notWhatWasAsked("device") }
        }
        for entry in list.entries where records[entry.device] == nil {
            throw .deviceRecordMissing(entry.device)
        }
        return records
    }

    /// The lists before the newest, each handed over to the next by one of its own devices; oldest first.
    private func earlierLists(
        of account: AccountRecord,
        before newest: DeviceList,
        with present: [DeviceID: DeviceRecord]
    ) throws(IdentityError) -> [VerifiedList] {
        guard earlier.count <= AccountBundle.maximumEarlier else { throw .notWhatWasAsked("device list") }
        var records: [[UInt8]: DeviceRecord] = [:]
        for record in present.values { records[record.digest] = record }
        var next = newest
        var lists: [VerifiedList] = []
        // Backwards: what a list names is shown with it or with one that came after it.
        for past in earlier.reversed() {
            let list = try past.list.verified(under: account.identityKey)
            guard list.account == account.account, list.relay == account.relay else {
                throw .notWhatWasAsked("account")
            }
            guard list.number > 0, list.number < next.number, list.number + 1 == next.number else {
                throw .notWhatWasAsked("device list")
            }
            guard past.devices.count <= DeviceList.maximumCount else { throw .notWhatWasAsked("device") }
            for signed in past.devices {
                let record = try signed.verified(under: account.identityKey)
                guard list.entries.contains(where: { $0.device == record.device && $0.recordDigest == record.digest })
                else { throw .deviceNotListed(record.device) }
                records[record.digest] = record
            }
            var devices: [DeviceID: DeviceRecord] = [:]
            for entry in list.entries {
                guard let record = records[entry.recordDigest], record.device == entry.device,
                    record.account == account.account, record.relay == account.relay
                else { throw .deviceRecordMissing(entry.device) }
                devices[entry.device] = record
            }
            let signer = past.handover.claimed.device
            guard let record = devices[signer] else { throw .deviceNotListed(signer) }
            let handover = try past.handover.verified(under: record.signatureKey)
            guard handover == DeviceHandover(by: signer, from: list, to: next) else {
                throw .notWhatWasAsked("device list")
            }
            lists.append(VerifiedList(number: list.number, digest: list.digest, devices: devices))
            next = list
        }
        return lists.reversed()
    }
}
