import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI

/// What a person sees of the profile's account.
public struct AccountSummary: Codable, Sendable {
    /// The handle.
    public var handle: Handle
    /// Where the relay is.
    public var relayAddress: String
    /// The relay's id.
    public var relay: RelayID
    /// The account's id.
    public var account: AccountID
    /// This device's id.
    public var device: DeviceID
    /// What others compare.
    public var fingerprint: String
    /// Whether a session is open.
    public var isLoggedIn: Bool
    /// How many messages wait to be sent.
    public var unsent: Int
    /// Whether giving this device new keys was interrupted.
    public var isRenewing: Bool
}

extension Messenger {
    /// How long a device record is believed, in seconds: five years.
    static let deviceLifetime: UInt64 = 5 * 365 * 86_400

    /// Makes an account: an identity key, this device's keys, and their records at the relay.
    ///
    /// The keys are on the disk before the relay hears of them; when the answer is lost, the same call finishes the work.
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
        try await alone(making: true) { (messenger, store) throws(MessengerError) in
            let relay = try messenger.relay(at: address, authorityFile: authorityFile)
            let parameters = try await relay.loginParameters(for: handle)
            var account: AccountState
            var isNew = false
            if let existing = try store.record(.account, []) {
                guard !existing.isRegistered, existing.handle == handle, existing.relay == parameters.relay else {
                    throw .accountExists(existing.handle)
                }
                account = existing
            } else {
                isNew = true
                account = try messenger.makeAccount(
                    handle,
                    relay: parameters.relay,
                    address: address,
                    authorityFile: authorityFile,
                    store
                )
            }
            let authenticator = try Authenticator(password: password, handle: handle, parameters: parameters)
            let time = messenger.clock.seconds
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
                handle: handle,
                authenticator: authenticator.bytes,
                bundle: account.bundle,
                time: time,
                signature: try messenger.signature(of: proof.signedBytes, account, store),
                invitation: invitation
            )
            let answer: TokenAnswer
            do throws(MessengerError) {
                answer = try await relay.register(request, key)
            } catch .refused(let error) where error.code == .invitationRequired {
                // Nothing was made, and no handle looked at: the next attempt begins anew.
                if isNew { try store.remove(.account, []) }
                throw invitation == nil ? .invitationRequired : .invitationNotOpen
            } catch .refused(let error) where error.code == .handleTaken {
                // An attempt whose answer was lost may have been the one that took it: its keys are not thrown away.
                guard !isNew else {
                    try store.remove(.account, [])
                    throw .handleTaken(handle)
                }
                throw .handleTakenPerhapsByUs(handle)
            }
            account.isRegistered = true
            try store.transaction { () throws(MessengerError) in
                try store.put(account, as: .account, [])
                try messenger.keep(answer, of: time, boundTo: key, store)
            }
            return try messenger.summary(store)
        }
    }

    /// Opens a new session for this device.
    ///
    /// - Parameter code: of the second factor, where the account has one.
    public func logIn(password: Password, code: SecondFactorCode? = nil) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let relay = try messenger.relay(account)
            let parameters = try await relay.loginParameters(for: account.handle)
            guard parameters.relay == account.relay else { throw .otherRelay(parameters.relay) }
            let authenticator = try Authenticator(
                password: password,
                handle: account.handle,
                parameters: parameters
            )
            let grant = LoginGrant(
                handle: account.handle,
                authenticator: authenticator.bytes,
                code: code?.otp,
                recoveryCode: code?.recoveryCode
            )
            let key = ProofKey()
            let asked = messenger.clock.seconds
            let answer: TokenAnswer
            do throws(MessengerError) {
                answer = try await messenger.tokens(
                    .login,
                    presenting: Array(grant.authenticator),
                    boundTo: key,
                    account,
                    store
                ) { .login(grant, $0) }
            } catch {
                throw error.ofWhatWasTyped
            }
            try store.transaction { () throws(MessengerError) in
                try messenger.keep(answer, of: asked, boundTo: key, store)
            }
        }
    }

    /// Ends the session here and, if it can be reached, at the relay.
    public func logOut() async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            guard try store.record(.session, []) != nil else { return }
            var failure: MessengerError?
            do throws(MessengerError) {
                try await messenger.relay(account).logOut(try await messenger.access(account, store))
            } catch .notLoggedIn {
                // The relay has ended it already.
            } catch {
                failure = error
            }
            try messenger.endSession(store)
            try store.forgetDeleted()
            if let failure { throw failure }
        }
    }

    /// The profile's account.
    public func accountSummary() async throws(MessengerError) -> AccountSummary {
        try await alone { (messenger, store) throws(MessengerError) in try messenger.summary(store) }
    }

    // MARK: Parts

    private func makeAccount(
        _ handle: Handle,
        relay: RelayID,
        address: String,
        authorityFile: String?,
        _ store: ClientStore
    ) throws(MessengerError) -> AccountState {
        let identity = Curve25519.Signing.PrivateKey()
        let keys = DeviceKeys()
        let id = AccountID.random()
        let record = AccountRecord(relay: relay, account: id, handle: handle, identityKey: identity.publicKey)
        let device = keys.record(
            relay: relay,
            account: id,
            notAfter: UInt64(clock.seconds) + Messenger.deviceLifetime
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

    private func summary(_ store: ClientStore) throws(MessengerError) -> AccountSummary {
        let account = try account(store)
        let own = try ownRecord(account)
        return AccountSummary(
            handle: account.handle,
            relayAddress: account.relayAddress,
            relay: account.relay,
            account: account.account,
            device: account.device,
            fingerprint: own.fingerprint.description,
            isLoggedIn: try store.record(.session, []) != nil,
            unsent: try store.outbox().count,
            isRenewing: try store.record(.renewal, []) != nil
        )
    }

    /// This account's own record, as it was registered.
    func ownRecord(_ account: AccountState) throws(MessengerError) -> AccountRecord {
        try ownAccount(account).record
    }

    /// This account's own records, as the relay took them last.
    func ownAccount(_ account: AccountState) throws(MessengerError) -> VerifiedAccount {
        do {
            return try account.bundle.verified(for: account.handle, on: account.relay, pin: nil, at: clock.seconds)
        } catch {
            throw .identity(error)
        }
    }
}

extension Curve25519.Signing.PrivateKey {
    /// The 32 bytes, for sealing them away.
    var secretKey: SymmetricKey {
        var bytes = rawRepresentation
        defer { bytes.wipe() }
        return SymmetricKey(data: bytes)
    }
}

extension Curve25519.KeyAgreement.PrivateKey {
    /// The 32 bytes, for sealing them away.
    var secretKey: SymmetricKey {
        var bytes = rawRepresentation
        defer { bytes.wipe() }
        return SymmetricKey(data: bytes)
    }
}
