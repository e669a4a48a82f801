import Foundation
import MildamCrypto
import MildamIdentity
import MildamOTP
import MildamRelayAPI
import MildamStorage
import MildamTransport
import Testing

@testable import MildamRelay

extension TestRelay {
    /// Changes the store as the relay's own operations do.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout Facts, Int64) throws(Missing) -> Result<Value, APIError>
    ) async -> Result<Value, APIError> {
        await withCheckedContinuation { continuation in
            server.parts.commits.perform(Doing(body: body), for: .relay) { continuation.resume(returning: $0) }
        }
    }

    /// Looks into the store.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any RelayReads) throws(StorageError) -> Value
    ) async throws -> Value {
        let result: Result<Value, APIError> = await withCheckedContinuation { continuation in
            server.parts.reads.perform(for: .relay) { reader throws(StorageError) in
                .success(try body(reader))
            } then: {
                continuation.resume(returning: $0)
            }
        }
        return try result.get()
    }
}

extension Person {
    /// The same account on another device, of which the relay is told as linking will.
    func onAnotherDevice() async throws -> Person {
        var other = self
        other.keys = DeviceKeys()
        let (account, device, key) = (account, other.device, other.keys.signing.publicKey.rawRepresentation)
        let result: Result<Void, APIError> = await relay.change { facts, _ in
            facts.put(DeviceFact(key: [UInt8](key)), at: MailboxAddress(account: account, device: device))
            return .success(())
        }
        try result.get()
        try await other.logIn()
        return other
    }

    /// Logs in, and has the session from here on.
    mutating func logIn(otp: String? = nil, recoveryCode: String? = nil) async throws {
        tokens = try await login(otp: otp, recoveryCode: recoveryCode).value()
    }

    /// Tries to log in.
    func login(
        otp: String? = nil,
        recoveryCode: String? = nil,
        authenticator: Data? = nil
    ) async throws -> HTTPResponse {
        try await relay.ask(loginRequest(authenticator: authenticator, otp: otp, recoveryCode: recoveryCode))
    }

    /// What the account's owner proves.
    func proof(
        _ purpose: DeviceProof.Purpose,
        presenting new: Data = Data(),
        authenticator: Data? = nil,
        time: Int64? = nil,
        keys other: DeviceKeys? = nil,
        otp: String? = nil,
        recoveryCode: String? = nil
    ) -> AccountProof {
        let (time, authenticator) = (time ?? relay.now, authenticator ?? self.authenticator)
        let proof = DeviceProof(
            purpose,
            relay: relay.server.relay,
            device: device,
            time: time,
            presenting: [UInt8](authenticator + new)
        )
        return AccountProof(
            authenticator: authenticator,
            time: time,
            signature: (other ?? keys).signing.signature(for: proof.signedBytes),
            otp: otp,
            recoveryCode: recoveryCode
        )
    }

    /// What deletes the account: its owner's proof, and its end.
    ///
    /// - Parameters:
    ///   - other: another account, whose end it is.
    ///   - place: another relay, on which that was.
    ///   - key: what signs it in the place of the account's own identity key.
    func deletion(
        _ proof: AccountProof? = nil,
        of other: AccountID? = nil,
        on place: RelayID? = nil,
        signedBy key: Curve25519.Signing.PrivateKey? = nil
    ) -> DeletionRequest {
        let closing = AccountClosing(relay: place ?? relay.server.relay, account: other ?? account)
        return DeletionRequest(proof: proof ?? self.proof(.deletion), closing: Signed(closing, by: key ?? identity))
    }

    /// Takes a second factor and confirms it.
    ///
    /// - Returns: the token, and the recovery codes.
    func takeSecondFactor() async throws -> (token: OneTimePassword, recovery: [String]) {
        let secret: SecondFactorSecret = try await ask(Routes.takeSecondFactor.at(), proof(.secondFactor)).value()
        let token = try OneTimePassword(secret: SymmetricKey(data: secret.secret))
        let confirmation = ConfirmSecondFactorRequest(otp: token.code(at: UInt64(relay.now)))
        let codes: RecoveryCodes = try await ask(Routes.confirmSecondFactor.at(), confirmation).value()
        return (token, codes.codes)
    }

    /// The lines of the account's log, the newest first.
    func log() async throws -> [AuditEntry] {
        try await ask(.get, Routes.accountLog.path).value(AuditLog.self).entries
    }
}
