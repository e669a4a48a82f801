import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI

/// What the account's owner alone may do, and what they may see.
extension Messenger {
    /// The account's sessions, one for each device that is logged in.
    public func sessions() async throws(MessengerError) -> [SessionDescription] {
        try await asked { (relay, access) throws(MessengerError) in try await relay.sessions(access).sessions }
    }

    /// Ends a session of the account.
    public func endSession(_ session: SessionID) async throws(MessengerError) {
        try await asked { (relay, access) throws(MessengerError) in try await relay.endSession(session, access) }
    }

    /// Ends every session of the account but this one.
    public func endOtherSessions() async throws(MessengerError) {
        try await asked { (relay, access) throws(MessengerError) in try await relay.endOtherSessions(access) }
    }

    /// What happened to the account, the newest first.
    public func accountLog() async throws(MessengerError) -> [AuditEntry] {
        try await asked { (relay, access) throws(MessengerError) in try await relay.accountLog(access).entries }
    }

    /// Changes the password; every other session ends.
    ///
    /// - Parameter code: of the second factor, where the account has one.
    public func changePassword(
        _ password: Password,
        to new: Password,
        code: SecondFactorCode?
    ) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let next = try await messenger.authenticator(new, account)
            let proof = try await messenger.ownerProof(.password, password, presenting: next, code, account, store)
            let request = PasswordRequest(proof: proof, authenticator: next)
            try await messenger.owning(account, store) { (relay, access) throws(MessengerError) in
                try await relay.changePassword(request, access)
            }
        }
    }

    /// Deletes the account at the relay, and ends the session here. What is in the profile stays readable.
    public func deleteAccount(_ password: Password, code: SecondFactorCode?) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            guard let secret = try store.key(.identityKey, []),
                let identity = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret)
            else { throw .stateDamaged("the account's identity key is missing") }
            let proof = try await messenger.ownerProof(.deletion, password, code, account, store)
            let closing = AccountClosing(relay: account.relay, account: account.account)
            let request = DeletionRequest(proof: proof, closing: Signed(closing, by: identity))
            try await messenger.owning(account, store) { (relay, access) throws(MessengerError) in
                try await relay.deleteAccount(request, access)
            }
            try messenger.endSession(store)
            try store.forgetDeleted()
        }
    }

    // MARK: The second factor

    /// Whether logging in takes a code.
    public func secondFactor() async throws(MessengerError) -> SecondFactorState {
        try await asked { (relay, access) throws(MessengerError) in try await relay.secondFactor(access) }
    }

    /// Asks for a secret to make codes from. It counts once it is confirmed with a code.
    public func takeSecondFactor(_ password: Password) async throws(MessengerError) -> SecondFactorSecret {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let proof = try await messenger.ownerProof(.secondFactor, password, nil, account, store)
            return try await messenger.owning(account, store) { (relay, access) throws(MessengerError) in
                try await relay.takeSecondFactor(proof, access)
            }
        }
    }

    /// Confirms the second factor with a code.
    ///
    /// - Returns: recovery codes, which are shown this once.
    public func confirmSecondFactor(_ code: String) async throws(MessengerError) -> [String] {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            return try await messenger.owning(account, store) { (relay, access) throws(MessengerError) in
                try await relay.confirmSecondFactor(ConfirmSecondFactorRequest(otp: code), access).codes
            }
        }
    }

    /// Removes the second factor.
    public func removeSecondFactor(_ password: Password, code: SecondFactorCode) async throws(MessengerError) {
        try await alone { (messenger, store) throws(MessengerError) in
            let account = try messenger.account(store)
            let proof = try await messenger.ownerProof(.secondFactorRemoval, password, code, account, store)
            try await messenger.owning(account, store) { (relay, access) throws(MessengerError) in
                try await relay.removeSecondFactor(proof, access)
            }
        }
    }

    // MARK: Parts

    /// Asks the relay, while the profile is nobody's.
    private func asked<Answer: Sendable>(
        _ call: @Sendable (RelayClient, RelayAccess) async throws(MessengerError) -> Answer
    ) async throws(MessengerError) -> Answer {
        try await RelayDoor(self, clock: clock).ask(call)
    }

    /// Calls the relay as the account's owner: what is refused there is about what the person typed.
    private func owning<Result>(
        _ account: AccountState,
        _ store: ClientStore,
        _ call: (RelayClient, RelayAccess) async throws(MessengerError) -> sending Result
    ) async throws(MessengerError) -> sending Result {
        do throws(MessengerError) {
            return try await authorized(account, store, call)
        } catch {
            throw error.ofWhatWasTyped
        }
    }

    private func authenticator(_ password: Password, _ account: AccountState) async throws(MessengerError) -> Data {
        let parameters = try await relay(account).loginParameters(for: account.handle)
        guard parameters.relay == account.relay else { throw .otherRelay(parameters.relay) }
        return try Authenticator(password: password, handle: account.handle, parameters: parameters).bytes
    }

    private func ownerProof(
        _ purpose: DeviceProof.Purpose,
        _ password: Password,
        presenting new: Data = Data(),
        _ code: SecondFactorCode?,
        _ account: AccountState,
        _ store: ClientStore
    ) async throws(MessengerError) -> AccountProof {
        let authenticator = try await authenticator(password, account)
        let time = clock.seconds
        let proof = DeviceProof(
            purpose,
            relay: account.relay,
            device: account.device,
            time: time,
            presenting: Array(authenticator + new)
        )
        return AccountProof(
            authenticator: authenticator,
            time: time,
            signature: try signature(of: proof.signedBytes, account, store),
            otp: code?.otp,
            recoveryCode: code?.recoveryCode
        )
    }
}
