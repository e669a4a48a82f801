import FoundationEssentials
import MildamIdentity
import MildamRelayAPI

/// An account that is to be registered: everything in it was verified.
struct Registration: Sendable {
    let handle: Handle
    let account: AccountID
    let device: DeviceRecord
    /// The bundle as JSON with sorted keys, as it will be served.
    let bundle: [UInt8]
    let authenticator: Data
    /// Of the authenticator, under a new salt.
    let verifier: SaltedVerifier
}

/// Makes an account, or finds that this very request made it before; then begins a session.
struct Register: StoreOperation {
    let registration: Registration
    let family: RefreshFamily
    /// The thumbprint of the key that the session is bound to; `nil` for none.
    let thumbprint: String?
    /// What stands in the handle's place if an account of this handle was deleted.
    let tombstone: String
    /// The network that it comes from, where anybody can make an account.
    let network: NetworkID?
    /// The digest of the invitation that a new account uses up; `nil` where none is needed.
    var invitation: [UInt8]?

    var weight: Int { registration.bundle.count }

    var prefetch: [FactKey] {
        [
            .accountNamed(registration.handle.text), .accountNamed(tombstone), .account(registration.account),
            .deviceOwner(registration.device.device), .sessions(registration.account), .audit(registration.account),
        ] + (network.map { [.network($0)] } ?? []) + (invitation.map { [.invitation($0)] } ?? [])
    }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        let address = MailboxAddress(account: registration.account, device: registration.device.device)
        var holder = try facts.account(named: registration.handle.text)
        if holder == nil { holder = try facts.account(named: tombstone) }
        let isRetry = try holder.map { holder throws(Missing) in try self.isRetry(of: holder, &facts) } ?? false
        if !isRetry {
            // Before anything is said of handles: they are not for everybody to try.
            if let invitation {
                guard let expires = try facts.invitation(invitation), expires > now / 1000 else {
                    return .failure(.invitationNotOpen)
                }
                facts.setInvitation(invitation, expires: nil)
            }
            guard holder == nil else { return .failure(APIError(.handleTaken, "the handle is taken")) }
            guard try facts.account(address.account) == nil, try facts.owner(of: address.device) == nil else {
                return .failure(APIError(.badIdentity, "the account's or the device's id is taken; draw new ones"))
            }
            let needed = DiskUsage.row + registration.bundle.count
            guard try facts.networkHolds(needed, for: UsageFact(network: network)) else {
                return .failure(.networkIsFull)
            }
            facts.make(
                address.account,
                handle: registration.handle,
                bundle: registration.bundle,
                verifier: registration.verifier,
                network: network
            )
            facts.put(DeviceFact(key: [UInt8](registration.device.signatureKey.rawRepresentation)), at: address)
        }
        try SessionRules.begin(family, for: address, boundTo: thumbprint, &facts)
        try AuditRules.note(.registered, on: address, session: family.session, &facts, at: now)
        return .success(())
    }

    /// Whether the same request was carried out before.
    private func isRetry(of account: AccountID, _ facts: inout Facts) throws(Missing) -> Bool {
        guard try facts.bundle(of: account) == registration.bundle else { return false }
        return try facts.verifier(of: account)?.accepts(registration.authenticator) ?? false
    }
}
