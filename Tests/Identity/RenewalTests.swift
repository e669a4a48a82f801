import MildamCrypto
import Testing

@testable import MildamIdentity

/// A device with new keys: which lists are believed, and which records count for what was said when.
@Suite("Identity: new keys of a device")
struct RenewalTests {
    private static let third = record(6)
    /// Lists 1, 2 and 3, each with other keys of the same device.
    private static let bundle = Sample.renewal(of: Sample.renewed, third, by: Sample.renewedSigning)

    private static func record(_ byte: UInt8, notAfter: UInt64 = Sample.notAfter) -> DeviceRecord {
        Refusal.device(key: Sample.signingKey(byte), notAfter: notAfter)
    }

    private func verified(_ bundle: AccountBundle, pin: AccountPin? = nil, at now: Int64 = 0) throws -> VerifiedAccount
    {
        try bundle.verified(for: Sample.handle, on: Sample.relay, pin: pin, at: now)
    }

    @Test func theFingerprintAndTheDeviceStay() throws {
        let (before, after) = (try verified(Sample.bundle), try verified(Self.bundle))
        #expect(before.record.fingerprint == after.record.fingerprint && before.record == after.record)
        #expect(Set(before.devices.keys) == Set(after.devices.keys))
        #expect(after.list.number == 3 && after.earlier.map(\.number) == [1, 2])
        #expect(after.earlier.map(\.digest).first == before.list.digest)
    }

    @Test("What was signed under a list counts from that list on, each record once")
    func records() throws {
        let account = try verified(Self.bundle)
        let digests = [Sample.deviceRecord, Sample.renewedRecord, Self.third].map(\.digest)
        for since in 0...4 as ClosedRange<UInt64> {
            let records = account.records(of: Sample.device, since: since, at: 0)
            let first = Int(max(since, 1))
            #expect(records.map(\.list) == (1...3).filter { $0 >= since })
            #expect(records.map(\.record.digest) == Array(digests.dropFirst(first - 1)))
        }
        #expect(account.records(of: Refusal.otherDevice, since: 1, at: 0).isEmpty)
        #expect(account.records(of: Sample.device, since: 1, at: Int64(Sample.notAfter) + 1).isEmpty)
    }

    @Test("A device that stays as it was keeps its first list")
    func anotherDevice() throws {
        let other = Refusal.device(device: Refusal.otherDevice, key: Sample.signingKey(7))
        let two = AccountBundle(
            account: Sample.bundle.account,
            list: Sample.list(1, [Sample.deviceRecord, other]),
            devices: [Sample.deviceRecord, other].map { Signed($0, by: Sample.identity) }
        )
        let account = try verified(Sample.renewal(of: two, Sample.renewedRecord, by: Sample.signing))
        #expect(account.records(of: Refusal.otherDevice, since: 1, at: 0).map(\.list) == [1])
        #expect(account.records(of: Refusal.otherDevice, since: 2, at: 0).map(\.list) == [2])
        #expect(account.records(of: Sample.device, since: 1, at: 0).map(\.list) == [1, 2])
    }

    @Test("Every pin that is on the way is led to the newest list")
    func pins() throws {
        for earlier in [Sample.bundle, Sample.renewed, Self.bundle] {
            let pin = try verified(earlier).pin
            #expect(try verified(Self.bundle, pin: pin).pin.listNumber == 3)
        }
        #expect(try verified(Self.bundle, pin: Refusal.pin(number: 0, digest: [])).pin.listNumber == 3)
    }

    @Test("Each of two lists is properly signed; the older one is refused, and so is another of the same number")
    func olderOrOther() throws {
        let pin = try verified(Sample.renewed).pin
        #expect(throws: IdentityError.deviceListTooOld(handle: Sample.handle, shown: 1, known: 2)) {
            try verified(Sample.bundle, pin: pin)
        }
        let other = Sample.renewal(of: Sample.bundle, Self.third, by: Sample.signing)
        #expect(try verified(other).list.number == 2)
        #expect(throws: IdentityError.deviceListForked(handle: Sample.handle, number: 2)) {
            try verified(other, pin: pin)
        }
        // Nor does one that goes on from the other.
        let further = Sample.renewal(of: other, Self.record(8), by: Sample.signingKey(6))
        #expect(throws: IdentityError.deviceListForked(handle: Sample.handle, number: 2)) {
            try verified(further, pin: pin)
        }
    }

    @Test("Whoever has a copy of the identity key, but not of the present keys, makes no list that is believed")
    func identityKeyAlone() throws {
        let pin = try verified(Sample.renewed).pin
        let alone = AccountBundle(
            account: Sample.bundle.account,
            list: Sample.list(3, [Self.third]),
            devices: [Signed(Self.third, by: Sample.identity)]
        )
        #expect(throws: IdentityError.deviceListUnconnected(handle: Sample.handle, shown: 3, known: 2)) {
            try verified(alone, pin: pin)
        }
        // The old key hands nothing over any more.
        let stolen = Sample.renewal(of: Sample.renewed, Self.third, by: Sample.signing)
        #expect(throws: IdentityError.badSignature("mildam/1 device handover")) { try verified(stolen, pin: pin) }
        #expect(throws: IdentityError.badSignature("mildam/1 device handover")) { try verified(stolen) }
    }

    /// A bundle whose last step is other than it should be.
    private func altered(
        list: Signed<DeviceList> = Sample.bundle.list,
        devices: [Signed<DeviceRecord>] = Sample.bundle.devices,
        handover: DeviceHandover = Sample.handover,
        by key: Curve25519.Signing.PrivateKey = Sample.signing,
        count: Int = 1
    ) -> AccountBundle {
        let past = EarlierDevices(list: list, devices: devices, handover: Signed(handover, by: key))
        return AccountBundle(
            account: Sample.renewed.account,
            list: Sample.renewed.list,
            devices: Sample.renewed.devices,
            earlier: Array(repeating: past, count: count)
        )
    }

    @Test func whatLeadsToAListIsCheckedToTheLast() throws {
        #expect(try verified(altered()).earlier.count == 1)
        let other = Sample.list(1, [Self.third])
        let refusals: [(AccountBundle, IdentityError)] = [
            (altered(list: Signed(Sample.list, by: Sample.signing)), .badSignature("mildam/1 device list")),
            (
                altered(devices: [Signed(Sample.deviceRecord, by: Sample.signing)]),
                .badSignature("mildam/1 device record")
            ),
            (altered(by: Sample.identity), .badSignature("mildam/1 device handover")),
            (altered(by: Sample.renewedSigning), .badSignature("mildam/1 device handover")),
            (altered(devices: []), .deviceRecordMissing(Sample.device)),
            (altered(devices: [Signed(Self.third, by: Sample.identity)]), .deviceNotListed(Sample.device)),
            (altered(list: Sample.list(0)), .notWhatWasAsked("device list")),
            (altered(list: Sample.list(2)), .notWhatWasAsked("device list")),
            (altered(list: Sample.list(.max)), .notWhatWasAsked("device list")),
            (altered(count: 2), .notWhatWasAsked("device list")),
            (altered(count: 33), .notWhatWasAsked("device list")),
            // A digest swapped: the handover is of other lists than these.
            (
                altered(list: other, devices: [Signed(Self.third, by: Sample.identity)]),
                .badSignature(DeviceHandover.label.text)
            ),
            (
                altered(
                    list: other,
                    devices: [Signed(Self.third, by: Sample.identity)],
                    by: Sample.signingKey(6)
                ), .notWhatWasAsked("device list")
            ),
            (
                altered(
                    handover: DeviceHandover(
                        by: Sample.device,
                        from: Sample.list,
                        to: DeviceList(relay: Sample.relay, account: Sample.account, number: 2, records: [Self.third])
                    )
                ), .notWhatWasAsked("device list")
            ),
            (
                altered(
                    handover: DeviceHandover(
                        by: Refusal.otherDevice,
                        from: Sample.list,
                        to: DeviceList(
                            relay: Sample.relay,
                            account: Sample.account,
                            number: 2,
                            records: [Sample.renewedRecord]
                        )
                    )
                ), .deviceNotListed(Refusal.otherDevice)
            ),
        ]
        for (index, (bundle, reason)) in refusals.enumerated() {
            #expect(throws: reason, "\(index)") { try verified(bundle) }
        }
    }

    @Test("A record that its device's old key signed, in the identity key's place")
    func signedByTheDevice() throws {
        let bundle = AccountBundle(
            account: Sample.renewed.account,
            list: Sample.renewed.list,
            devices: [Signed(Sample.renewedRecord, by: Sample.signing)],
            earlier: Sample.renewed.earlier
        )
        #expect(throws: IdentityError.badSignature("mildam/1 device record")) { try verified(bundle) }
        let list = AccountBundle(
            account: Sample.renewed.account,
            list: Signed(
                DeviceList(relay: Sample.relay, account: Sample.account, number: 2, records: [Sample.renewedRecord]),
                by: Sample.signing
            ),
            devices: Sample.renewed.devices,
            earlier: Sample.renewed.earlier
        )
        #expect(throws: IdentityError.badSignature("mildam/1 device list")) { try verified(list) }
    }

    @Test("32 earlier lists are kept; whoever saw none of them is told so")
    func manyRenewals() throws {
        var bundle = Sample.bundle
        var key = Sample.signing
        for byte in 10..<50 as Range<UInt8> {
            bundle = Sample.renewal(of: bundle, Self.record(byte), by: key)
            key = Sample.signingKey(byte)
        }
        let account = try verified(bundle)
        #expect(account.list.number == 41 && account.earlier.map(\.number) == Array(9...40))
        #expect(throws: IdentityError.deviceListUnconnected(handle: Sample.handle, shown: 41, known: 1)) {
            try verified(bundle, pin: Refusal.pin())
        }
    }
}
