import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI

/// A device that takes new keys: everything in it was verified.
struct DeviceRenewal: Sendable {
    let address: MailboxAddress
    /// The key that the device signs with from here on.
    let signatureKey: Curve25519.Signing.PublicKey
    /// The account's bundle as it was when this was verified.
    let before: [UInt8]
    /// The bundle as JSON with sorted keys, as it will be served.
    let bundle: [UInt8]
}

extension DeviceRenewal {
    /// Checks everything in the request that can be checked beside the account's present bundle. Pure.
    ///
    /// - Parameters:
    ///   - stored: the bundle of the calling account, as it is served.
    ///   - now: seconds since 1970.
    /// - Throws: `stale_list` when the list does not follow the present one; `bad_identity`; `wrong_credentials` when it is
    ///   not the device with both its keys that asks, now.
    init(
        verifying request: RenewDeviceRequest,
        by sender: MailboxAddress,
        of handle: Handle,
        against stored: [UInt8],
        relay: RelayID,
        at now: Int64
    ) throws(APIError) {
        let present = try Self.verifiedBundle(stored, of: handle, relay: relay, at: now)
        let next: VerifiedAccount
        do throws(IdentityError) {
            next = try request.bundle.verified(for: handle, on: relay, pin: present.pin, at: now)
        } catch {
            throw Self.refusal(error, present: present.list.number)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bundle = try? [UInt8](encoder.encode(request.bundle)) else {
            throw APIError(.badIdentity, "the bundle cannot be kept")
        }
        guard bundle == stored || next.list.number == present.list.number + 1 else {
            throw Self.stale(present.list.number)
        }
        guard let past = next.earlier.last, let old = past.devices[sender.device],
            let new = next.devices[sender.device], old.digest != new.digest
        else { throw APIError(.badIdentity, "the list has no new keys of this device") }
        var others = past.devices.mapValues(\.digest)
        others[sender.device] = new.digest
        let named = Dictionary(next.list.entries.map { ($0.device, $0.recordDigest) }) { first, _ in first }
        guard others == named else { throw APIError(.badIdentity, "the list changes more than this device") }

        let proof = DeviceProof(
            .renewal,
            relay: relay,
            device: sender.device,
            time: request.time,
            presenting: next.list.digest
        ).signedBytes
        guard new.signatureKey.isValidSignature(request.signature, for: proof),
            old.signatureKey.isValidSignature(request.earlierSignature, for: proof),
            LoginCheck.isTimely(request.time, at: now)
        else { throw LoginCheck.notTheDevice }
        self.init(address: sender, signatureKey: new.signatureKey, before: stored, bundle: bundle)
    }

    private static func verifiedBundle(
        _ stored: [UInt8],
        of handle: Handle,
        relay: RelayID,
        at now: Int64
    ) throws(APIError) -> VerifiedAccount {
        do {
            return try JSONDecoder().decode(AccountBundle.self, from: Data(stored))
                .verified(for: handle, on: relay, pin: nil, at: now)
        } catch IdentityError.notWhatWasAsked {
            throw APIError(.badIdentity, "the handle is another account's")
        } catch {
            throw APIError(.internalError, "the account's records cannot be read")
        }
    }

    private static func refusal(_ error: IdentityError, present: UInt64) -> APIError {
        switch error {
        case .deviceListTooOld, .deviceListForked, .deviceListUnconnected: stale(present)
        default: APIError(.badIdentity, "\(error)")
        }
    }

    /// The refusal of a list that does not come next.
    static func stale(_ present: UInt64) -> APIError {
        APIError(.staleList, "the device list does not come next after number \(present)", number: present)
    }
}
