import FoundationEssentials
import MildamClientCore
import MildamClientStore
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage

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
    /// How many messages and files wait to be sent.
    public var unsent: Int
    /// Whether giving this device new keys was interrupted.
    public var isRenewing: Bool
}

extension Messenger {
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
                let question = try messenger.question(
                    .login,
                    presenting: Array(grant.authenticator),
                    boundTo: key,
                    account,
                    store
                ) { .login(grant, $0) }
                answer = try await question.answer()
            } catch {
                throw error.ofWhatWasTyped
            }
            try store.transaction { () throws(MessengerError) in
                try messenger.keep(answer, of: asked, boundTo: key, store)
            }
        }
    }

    /// Ends the session: here in any case, and at the relay where it can be told.
    public func logOut() async throws(MessengerError) -> LoggedOut {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            guard try store.record(.session, []) != nil else { return .before }
            var answer = LoggedOut.everywhere
            do throws(MessengerError) {
                try await messenger.relay(account).logOut(try await messenger.access(account, store))
            } catch .notLoggedIn {
                // The relay has ended it already.
            } catch {
                answer = .hereOnly(error)
            }
            try messenger.endSession(store)
            try store.forgetDeleted()
            return answer
        }
    }

    /// The profile's account.
    public func accountSummary() async throws(MessengerError) -> AccountSummary {
        try await alone { (messenger, store) throws(MessengerError) in try messenger.summary(store) }
    }

    // MARK: Parts

    /// What a person sees of it.
    func summary(_ store: ClientStore) throws(MessengerError) -> AccountSummary {
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
            unsent: try unsent(store),
            isRenewing: try store.record(.renewal, []) != nil
        )
    }

    /// How many messages and files wait to be sent.
    func unsent(_ store: ClientStore) throws(MessengerError) -> Int {
        let rooms: [RoomCore]
        do throws(StorageError) { rooms = try store.rooms.stored().rooms } catch { throw .storage(error) }
        let waiting = rooms.flatMap(\.intents).count { if case .say = $0.wish { true } else { false } }
        return try waiting + store.records(.sendingFile).count
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
