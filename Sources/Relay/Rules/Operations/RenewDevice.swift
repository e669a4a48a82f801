import MildamIdentity
import MildamRelayAPI

/// Puts a device's new keys in the place of the old, or finds that this very request did so before.
///
/// The device's session goes on, and is refreshed under the new key; its sockets are closed.
struct RenewDevice: StoreOperation {
    let renewal: DeviceRenewal

    var weight: Int { renewal.bundle.count }

    var prefetch: [FactKey] {
        let account = renewal.address.account
        return [.bundle(account), .device(renewal.address), .sessions(account), .audit(account)]
    }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        let address = renewal.address
        let stored = try facts.bundle(of: address.account)
        guard stored != renewal.bundle else { return .success(()) }
        guard let stored, stored == renewal.before else {
            return .failure(APIError(.unavailable, "the account's devices have just changed; try again"))
        }
        facts.set(bundle: renewal.bundle, of: address.account, replacing: stored)
        if var device = try facts.device(address) {
            device.key = [UInt8](renewal.signatureKey.rawRepresentation)
            // Nobody is to be brought in under the key that is gone.
            try facts.removeKeyPackages(of: address)
            facts.put(device, at: address)
        }
        let session = try facts.sessions(of: address.account)[address.device]?.id
        try AuditRules.note(.deviceRenewed, on: address, session: session, &facts, at: now)
        if let session { facts.tell(.keysRenewed(session, address.account)) }
        return .success(())
    }
}
