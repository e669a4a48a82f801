import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamWire

extension FuzzTarget {
    /// Records, lists and links, alone and signed. The first byte says which.
    static let identityRecords = FuzzTarget(
        name: "identity-records",
        source: .network,
        seeds: {
            [
                [0] + FixedKeys.account.wireBytes, [1] + FixedKeys.device.wireBytes, [2] + FixedKeys.list.wireBytes,
                [3] + Signed(FixedKeys.account, by: FixedKeys.identity).wireBytes,
                [4] + Signed(FixedKeys.device, by: FixedKeys.identity).wireBytes,
                [5] + Signed(FixedKeys.list, by: FixedKeys.identity).wireBytes,
                [6] + Array("alice".utf8), [7] + Array("aeaqcaibaeaqcaibaeaqcaibae".utf8),
                [8] + ((try? Array(JSONEncoder().encode(FixedKeys.bundle))) ?? []),
                [8] + ((try? Array(JSONEncoder().encode(FixedKeys.renewedBundle))) ?? []),
                [9] + FixedKeys.handover.wireBytes,
                [10] + Signed(FixedKeys.handover, by: FixedKeys.sender.signing).wireBytes,
                [11] + linkBytes,
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0: _ = oneForm(AccountRecord.self, rest).map { $0.fingerprint.description }
            case 1: _ = oneForm(DeviceRecord.self, rest).map { $0.digest }
            case 2:
                if let list = oneForm(DeviceList.self, rest) {
                    planted(list.entries.isEmpty || list.number == 0x0101)
                    _ = list.digest
                }
            case 3: mustBeGenuine(rest, Signed(FixedKeys.account, by: FixedKeys.identity))
            case 4: mustBeGenuine(rest, Signed(FixedKeys.device, by: FixedKeys.identity))
            case 5: mustBeGenuine(rest, Signed(FixedKeys.list, by: FixedKeys.identity))
            case 6:
                let text = String(decoding: rest, as: UTF8.self)
                if let handle = try? Handle(text) { mustHold(handle.text == text, "a handle has one spelling") }
            case 7:
                let text = String(decoding: rest, as: UTF8.self)
                if let id = try? AccountID(text) { mustHold("\(id)" == text, "an id has one spelling") }
            case 9: _ = oneForm(DeviceHandover.self, rest)
            case 10:
                let genuine = Signed(FixedKeys.handover, by: FixedKeys.sender.signing)
                mustBeGenuine(rest, genuine, by: FixedKeys.sender.signing.publicKey)
            case 11: _ = oneForm(InviteLink.self, rest)
            default:
                guard let bundle = try? JSONDecoder().decode(AccountBundle.self, from: Data(rest)),
                    let verified = try? bundle.verified(
                        for: FixedKeys.account.handle,
                        on: FixedKeys.relay,
                        pin: nil,
                        at: 1
                    ),
                    verified.record.identityKey == FixedKeys.identity.publicKey
                else { return }
                mustHold(verified.record == FixedKeys.account, "only what was signed is believed")
            }
        }
    )

    private static var linkBytes: [UInt8] {
        let secret = SymmetricKey(data: [UInt8](repeating: 7, count: InviteLink.secretSize))
        return (try? InviteLink(to: FixedKeys.account, at: "https://a:1", secret: secret, expires: 1))?.wireBytes ?? []
    }

    private static func mustBeGenuine<Content: Signable>(
        _ bytes: [UInt8],
        _ genuine: Signed<Content>,
        by key: Curve25519.Signing.PublicKey = FixedKeys.identity.publicKey
    ) {
        guard let signed = oneForm(Signed<Content>.self, bytes), (try? signed.verified(under: key)) != nil
        else { return }
        mustHold(bytes == genuine.wireBytes, "only what was signed is believed")
    }
}
