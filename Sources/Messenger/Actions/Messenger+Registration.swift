import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamProfile
import MildamRelayAPI
import MildamSystem

extension Messenger {
    /// How long a device record is believed, in seconds: five years.
    static let deviceLifetime: UInt64 = 5 * 365 * 86_400

    /// Makes an account: an identity key, this device's keys, and their records at the relay.
    ///
    /// The keys are on the disk before the relay hears of them; when the answer is lost, the same call finishes the work.
    /// An attempt that certainly made no account leaves nothing in a profile that was not used before.
    ///
    /// - Parameters:
    ///   - address: the relay, as "https://host:port" (plain "http://" for loopback).
    ///   - authorityFile: the certificate authority to trust for it, in the system's place.
    ///   - invitation: of whoever runs the relay, where it asks for one.
    @discardableResult
    public func createAccount(
        _ handle: Handle,
        at address: String,
        authorityFile: String? = nil,
        password: Password,
        invitation: String? = nil
    ) async throws(MessengerError) -> AccountSummary {
        let relay = try relay(at: address, authorityFile: authorityFile)
        let parameters = try await relay.loginParameters(for: handle)
        let authenticator = try Authenticator(password: password, handle: handle, parameters: parameters)
        let held = Lock<ProfileTurn?>(nil)
        do throws(MessengerError) {
            return try await alone(making: true) { (messenger, store) throws(MessengerError) in
                let turn = store.turn
                held.withLock { $0 = turn }
                let (account, isNew) = try messenger.beginAccount(
                    handle,
                    relay: parameters.relay,
                    address: address,
                    authorityFile: authorityFile,
                    store
                )
                try await messenger.register(account, isNew: isNew, authenticator, invitation, at: relay, store)
                return try messenger.summary(store)
            }
        } catch {
            takeBack(held)
            throw error
        }
    }

    /// Removes what an attempt has made, unless it may have made the account. No other program had its turn since.
    private func takeBack(_ held: Lock<ProfileTurn?>) {
        var turn = held.withLock { held in
            let turn = held
            held = nil
            return turn
        }
        // As long as the store is there, its database is open.
        guard isKnownUniquelyReferenced(&turn), let turn else { return }
        do {
            guard try !ClientStore.holdsAccount(in: profile.place, during: turn) else { return }
            turn.takeBack()
        } catch {
            // What cannot be looked at stays; why the account was not made is what the person hears.
        }
    }

    /// The account that this profile makes: a new one, or that of an earlier attempt.
    private func beginAccount(
        _ handle: Handle,
        relay: RelayID,
        address: String,
        authorityFile: String?,
        _ store: ClientStore
    ) throws(MessengerError) -> (AccountState, isNew: Bool) {
        guard let existing = try store.record(.account, []) else {
            let account = try makeAccount(
                handle,
                relay: relay,
                address: address,
                authorityFile: authorityFile,
                store
            )
            return (account, true)
        }
        guard !existing.isRegistered, existing.handle == handle, existing.relay == relay else {
            throw .accountExists(existing.handle)
        }
        return (existing, false)
    }

    /// Shows the relay the account, and keeps the session that it opens.
    private func register(
        _ account: AccountState,
        isNew: Bool,
        _ authenticator: Authenticator,
        _ invitation: String?,
        at relay: RelayClient,
        _ store: ClientStore
    ) async throws(MessengerError) {
        let time = clock.seconds
        let key = ProofKey()
        let proof = SessionProof(
            .register,
            relay: account.relay,
            device: account.device,
            time: time,
            presenting: Array(authenticator.bytes),
            boundTo: key.thumbprint
        )
        let request = RegisterRequest(
            handle: account.handle,
            authenticator: authenticator.bytes,
            bundle: account.bundle,
            time: time,
            signature: try signature(of: proof.signedBytes, account, store),
            invitation: invitation
        )
        let answer: TokenAnswer
        do throws(MessengerError) {
            answer = try await relay.register(request, key)
        } catch {
            // An attempt whose answer was lost may have been the one that made it: its keys are not thrown away.
            if isNew, error.isFinal { try store.remove(.account, []) }
            throw error.ofRegistering(account.handle, isNew: isNew, invitation)
        }
        var account = account
        account.isRegistered = true
        try store.transaction { () throws(MessengerError) in
            try store.put(account, as: .account, [])
            try keep(answer, of: time, boundTo: key, store)
        }
    }

    private func makeAccount(
        _ handle: Handle,
        relay: RelayID,
        address: String,
        authorityFile: String?,
        _ store: ClientStore
    ) throws(MessengerError) -> AccountState {
        let identity = Curve25519.Signing.PrivateKey()
        let nextIdentity = Curve25519.Signing.PrivateKey()
        let commitment = IdentitySuccession.commitment(to: nextIdentity.publicKey)
        let keys = DeviceKeys()
        let id = AccountID.random()
        let record = AccountRecord(
            relay: relay,
            account: id,
            handle: handle,
            identityKey: identity.publicKey,
            nextIdentity: commitment
        )
        let device = keys.record(
            relay: relay,
            account: id,
            notAfter: UInt64(clock.seconds) + Messenger.deviceLifetime,
            succession: IdentitySuccession(since: 1, nextIdentity: commitment)
        )
        let list = DeviceList(relay: relay, account: id, number: 1, records: [device])
        do {
            let account = AccountState(
                relayAddress: address,
                authorityFile: authorityFile,
                relay: relay,
                handle: handle,
                account: id,
                device: keys.device,
                bundle: AccountBundle(
                    account: Signed(record, by: identity),
                    list: Signed(list, by: identity),
                    devices: [Signed(device, by: identity)]
                ),
                isRegistered: false
            )
            try store.transaction { () throws(MessengerError) in
                try store.put(identity.secretKey, as: .identityKey, [])
                try store.put(nextIdentity.secretKey, as: .nextIdentityKey, [])
                try store.put(keys.signing.secretKey, as: .signingKey, [])
                try store.put(keys.agreement.secretKey, as: .agreementKey, [])
                try store.put(account, as: .account, [])
                // Nobody else's word counts for this account, the relay's least of all.
                let own = AccountPin(handle: handle, account: id, identityKey: identity.publicKey, state: .compared)
                try keep(own, store)
            }
            return account
        } catch {
            throw MessengerError(error)
        }
    }
}

extension MessengerError {
    /// Whether the relay has refused, and surely made no account.
    fileprivate var isFinal: Bool {
        switch self {
        case .refused(let error): ![.unavailable, .internalError].contains(error.code)
        case .clockIsOff: true
        default: false
        }
    }

    /// The same, of an account that was to be made.
    fileprivate func ofRegistering(_ handle: Handle, isNew: Bool, _ invitation: String?) -> MessengerError {
        guard case .refused(let error) = self else { return self }
        return switch error.code {
        case .invitationRequired: invitation == nil ? .invitationRequired : .invitationNotOpen
        case .handleTaken: isNew ? .handleTaken(handle) : .handleTakenPerhapsByUs(handle)
        default: self
        }
    }
}
