import MildamCrypto
import Testing

@testable import MildamIdentity

/// A bundle, what is known from before, and the reason for which it is refused.
struct Refusal: CustomTestStringConvertible {
    let testDescription: String
    var bundle = Sample.bundle
    var pin: AccountPin?
    var now: Int64 = 0
    let reason: IdentityError

    init(
        _ name: String,
        _ reason: IdentityError,
        account: Signed<AccountRecord> = Sample.bundle.account,
        list: Signed<DeviceList> = Sample.bundle.list,
        devices: [Signed<DeviceRecord>] = Sample.bundle.devices,
        pin: AccountPin? = nil,
        now: Int64 = 0
    ) {
        testDescription = name
        self.reason = reason
        bundle = AccountBundle(account: account, list: list, devices: devices)
        self.pin = pin
        self.now = now
    }

    static let stranger = Sample.signingKey(9)
    static let otherAccount: AccountID = Sample.identifier(0x99)
    static let otherRelay: RelayID = Sample.identifier(0x98)
    static let otherDevice: DeviceID = Sample.identifier(0x97)

    static func account(
        relay: RelayID = Sample.relay,
        account: AccountID = Sample.account,
        handle: String = "alice",
        key: Curve25519.Signing.PrivateKey = Sample.identity,
        by signer: Curve25519.Signing.PrivateKey? = nil
    ) -> Signed<AccountRecord> {
        Signed(
            AccountRecord(
                relay: relay,
                account: account,
                handle: Sample.handle(handle),
                identityKey: key.publicKey
            ),
            by: signer ?? key
        )
    }

    static func device(
        relay: RelayID = Sample.relay,
        account: AccountID = Sample.account,
        device: DeviceID = Sample.device,
        key: Curve25519.Signing.PrivateKey = Sample.signing,
        notAfter: UInt64 = Sample.notAfter
    ) -> DeviceRecord {
        DeviceRecord(
            relay: relay,
            account: account,
            device: device,
            signatureKey: key.publicKey,
            agreementKey: Sample.agreement.publicKey,
            notAfter: notAfter
        )
    }

    static func signed(_ record: DeviceRecord) -> Signed<DeviceRecord> { Signed(record, by: Sample.identity) }

    /// What is remembered of the account after list `number`.
    static func pin(
        account: AccountID = Sample.account,
        key: Curve25519.Signing.PrivateKey = Sample.identity,
        number: UInt64 = 1,
        digest: [UInt8] = Sample.list.digest
    ) -> AccountPin {
        AccountPin(
            handle: Sample.handle,
            account: account,
            identityKey: key.publicKey,
            listNumber: number,
            listDigest: digest
        )
    }

    static let keys: [Refusal] = [
        Refusal(
            "another identity key than the pinned one",
            .identityKeyChanged(
                handle: Sample.handle,
                pinned: Sample.accountRecord.fingerprint,
                shown: Fingerprint(account: Sample.account, key: stranger.publicKey)
            ),
            account: account(key: stranger),
            list: Signed(Sample.list, by: stranger),
            devices: [Signed(Sample.deviceRecord, by: stranger)],
            pin: pin()
        ),
        Refusal(
            "another account than the pinned one, under the same key",
            .identityKeyChanged(
                handle: Sample.handle,
                pinned: Sample.accountRecord.fingerprint,
                shown: Fingerprint(account: otherAccount, key: Sample.identity.publicKey)
            ),
            account: account(account: otherAccount),
            pin: pin()
        ),
        Refusal(
            "a swapped key, with the account's old signatures under it",
            .badSignature("mildam/1 account record"),
            account: account(key: stranger, by: Sample.identity)
        ),
        Refusal(
            "an account record signed by a stranger",
            .badSignature("mildam/1 account record"),
            account: account(by: stranger),
            pin: pin()
        ),
        Refusal(
            "a list signed by a stranger",
            .badSignature("mildam/1 device list"),
            list: Signed(Sample.list, by: stranger)
        ),
        Refusal(
            "a list signed by a device",
            .badSignature("mildam/1 device list"),
            list: Signed(Sample.list, by: Sample.signing)
        ),
        Refusal(
            "a device signed by a stranger",
            .badSignature("mildam/1 device record"),
            devices: [Signed(Sample.deviceRecord, by: stranger)]
        ),
        Refusal(
            "a device signed by itself",
            .badSignature("mildam/1 device record"),
            devices: [Signed(Sample.deviceRecord, by: Sample.signing)]
        ),
    ]

    static let others: [Refusal] = [
        Refusal("another handle's record", .notWhatWasAsked("handle"), account: account(handle: "alicf")),
        Refusal("a record of another relay", .notWhatWasAsked("relay"), account: account(relay: otherRelay)),
        Refusal(
            "a list of another account of the same key",
            .notWhatWasAsked("account"),
            list: Signed(
                DeviceList(relay: Sample.relay, account: otherAccount, number: 1, records: [Sample.deviceRecord]),
                by: Sample.identity
            )
        ),
        Refusal(
            "a list of another relay",
            .notWhatWasAsked("account"),
            list: Signed(
                DeviceList(relay: otherRelay, account: Sample.account, number: 1, records: [Sample.deviceRecord]),
                by: Sample.identity
            )
        ),
        Refusal(
            "a device of another account of the same key",
            .notWhatWasAsked("account"),
            list: Sample.list(1, [device(account: otherAccount)]),
            devices: [signed(device(account: otherAccount))]
        ),
        Refusal(
            "a device of another relay",
            .notWhatWasAsked("account"),
            list: Sample.list(1, [device(relay: otherRelay)]),
            devices: [signed(device(relay: otherRelay))]
        ),
    ]

    static let lists: [Refusal] = [
        Refusal(
            "a list older than one seen",
            .deviceListTooOld(handle: Sample.handle, shown: 1, known: 2),
            pin: pin(number: 2, digest: [1])
        ),
        Refusal(
            "two lists of one number",
            .deviceListForked(handle: Sample.handle, number: 1),
            list: Sample.list(1, []),
            devices: [],
            pin: pin()
        ),
        Refusal("a listed device is not shown", .deviceRecordMissing(Sample.device), devices: []),
        Refusal(
            "one of two is not shown",
            .deviceRecordMissing(otherDevice),
            list: Sample.list(1, [Sample.deviceRecord, device(device: otherDevice)])
        ),
        Refusal(
            "a device is added that is not on the list",
            .deviceNotListed(otherDevice),
            devices: [Signed(Sample.deviceRecord, by: Sample.identity), signed(device(device: otherDevice))]
        ),
        Refusal(
            "an old record of a listed device",
            .deviceNotListed(Sample.device),
            devices: [signed(device(key: stranger))]
        ),
        Refusal("a device that was taken off", .deviceNotListed(Sample.device), list: Sample.list(2, []), pin: pin()),
        Refusal(
            "a record that comes twice",
            .notWhatWasAsked("device"),
            devices: Array(repeating: Signed(Sample.deviceRecord, by: Sample.identity), count: 2)
        ),
        Refusal(
            "more records than a list can name",
            .notWhatWasAsked("device"),
            devices: Array(repeating: Signed(Sample.deviceRecord, by: Sample.identity), count: 65)
        ),
    ]
}

@Suite("protocol.md, Identity: who is believed")
struct AccountBundleTests {
    @Test func believed() throws {
        let account = try Sample.bundle.verified(for: Sample.handle, on: Sample.relay, pin: nil, at: 0)
        #expect(account.record == Sample.accountRecord)
        #expect(account.list.number == 1)
        #expect(Array(account.devices.keys) == [Sample.device])
        #expect(account.devices[Sample.device]?.digest == Sample.deviceRecord.digest)
        #expect(account.pin == Refusal.pin())
    }

    @Test("A device whose record has run out is gone; the account is not")
    func pastItsLastSecond() throws {
        let last = Int64(Sample.notAfter)
        for (now, isThere) in [(last, true), (last + 1, false), (.max, false)] {
            let account = try Sample.bundle.verified(for: Sample.handle, on: Sample.relay, pin: nil, at: now)
            #expect((account.devices[Sample.device] != nil) == isThere, "\(now)")
            #expect(account.pin == Refusal.pin())
        }
    }

    @Test func believedAgainUnderItsPin() throws {
        for pin in [Refusal.pin(), Refusal.pin(number: 0, digest: [])] {
            let account = try Sample.bundle.verified(for: Sample.handle, on: Sample.relay, pin: pin, at: 0)
            #expect(account.pin == Refusal.pin(), "the pin moves forward")
        }
    }

    @Test func aNewerListMovesThePin() throws {
        let account = try Sample.renewed.verified(for: Sample.handle, on: Sample.relay, pin: Refusal.pin(), at: 0)
        #expect(account.pin.listNumber == 2)
        #expect(account.devices[Sample.device]?.digest == Sample.renewedRecord.digest)
        #expect(throws: IdentityError.deviceListTooOld(handle: Sample.handle, shown: 1, known: 2)) {
            try Sample.bundle.verified(for: Sample.handle, on: Sample.relay, pin: account.pin, at: 0)
        }
    }

    @Test func theLastSecondCounts() throws {
        _ = try Sample.bundle.verified(for: Sample.handle, on: Sample.relay, pin: nil, at: 2_000_000_000)
        let forEver = Refusal.device(notAfter: .max)
        let bundle = AccountBundle(
            account: Sample.bundle.account,
            list: Sample.list(1, [forEver]),
            devices: [Refusal.signed(forEver)]
        )
        _ = try bundle.verified(for: Sample.handle, on: Sample.relay, pin: nil, at: .max)
    }

    @Test("Refused", arguments: Refusal.keys + Refusal.others + Refusal.lists)
    func refused(_ refusal: Refusal) {
        #expect(throws: refusal.reason) {
            try refusal.bundle.verified(for: Sample.handle, on: Sample.relay, pin: refusal.pin, at: refusal.now)
        }
        #expect(refusal.reason.description.hasPrefix("refused: "))
    }

    @Test func deviceKeysMakeTheirRecord() {
        let keys = DeviceKeys(device: Sample.device, signing: Sample.signing, agreement: Sample.agreement)
        let record = keys.record(relay: Sample.relay, account: Sample.account, notAfter: Sample.notAfter)
        #expect(record.wireBytes == Sample.deviceRecord.wireBytes)
        #expect(DeviceKeys().device != DeviceKeys().device)
    }
}
