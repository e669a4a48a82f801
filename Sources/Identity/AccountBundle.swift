/// What a relay says of an account: nothing in it is believed until ``verified(for:on:pin:at:)`` says so.
public struct AccountBundle: Codable, Sendable {
    /// Who the account is.
    public let account: Signed<AccountRecord>
    /// Its newest device list.
    public let list: Signed<DeviceList>
    /// The records of the devices on the list.
    public let devices: [Signed<DeviceRecord>]

    /// Puts an account's own records together.
    public init(account: Signed<AccountRecord>, list: Signed<DeviceList>, devices: [Signed<DeviceRecord>]) {
        self.account = account
        self.list = list
        self.devices = devices
    }

    /// Checks every record against the pin, or, without one, against the identity key that the bundle itself shows (first use).
    ///
    /// - Parameters:
    ///   - handle: the handle that was asked for.
    ///   - relay: the relay that was asked.
    ///   - pin: what is known of the account from before.
    ///   - now: seconds since 1970.
    /// - Returns: the account, whose ``VerifiedAccount/pin`` is to be kept in the pin's place, with those of its
    ///   devices whose records have not run out.
    public func verified(
        for handle: Handle,
        on relay: RelayID,
        pin: AccountPin?,
        at now: Int64
    ) throws(IdentityError) -> VerifiedAccount {
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
        return VerifiedAccount(
            record: record,
            list: list,
            devices: try listedDevices(of: record, on: list, at: now)
        )
    }

    private func listedDevices(
        of account: AccountRecord,
        on list: DeviceList,
        at now: Int64
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
        return records.filter { $0.value.isValid(at: now) }
    }
}
