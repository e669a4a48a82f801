import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI

/// What was found to be right of a login or an owner's proof, and has to hold still when it is acted upon.
struct CheckedLogin: Sendable {
    let address: MailboxAddress
    let verifier: SaltedVerifier
    /// The device's key.
    let key: Curve25519.Signing.PublicKey
}

/// Whether a registration, a login or a refresh is what it says. Pure.
enum LoginCheck {
    /// What stands in for an account that is not there, so that it costs the same work.
    private static let nobody = (
        verifier: SaltedVerifier(of: Data(count: SaltedVerifier.authenticatorSize)),
        key: Curve25519.Signing.PrivateKey().publicKey
    )

    /// What is refused whatever of handle, authenticator, device and signature is wrong.
    static let wrong = APIError(.wrongCredentials, "the handle, the password or the device is wrong")
    /// What is refused when a proof is not the device's, or not of now.
    static let notTheDevice = APIError(.wrongCredentials, "the device's signature or its clock is wrong")

    /// The device that logs in.
    ///
    /// - Parameters:
    ///   - thumbprint: of the key that the session is to be bound to; empty for none.
    ///   - admit: is asked, with the account, once it is certain that its own device asks, and before anything is said of
    ///     the authenticator: nobody else can use up the account's guesses, or learn of them that it exists.
    /// - Returns: `wrong_credentials` whatever is wrong: no such handle, no such device, authenticator, signature, clock.
    static func check(
        _ grant: LoginGrant,
        _ assertion: DeviceAssertion,
        boundTo thumbprint: String,
        against row: LoginRow?,
        relay: RelayID,
        at now: Int64,
        admit: (AccountID) throws(APIError) -> Void
    ) -> Result<CheckedLogin, APIError> {
        let proof = SessionProof(
            .login,
            relay: relay,
            device: assertion.device,
            time: assertion.time,
            presenting: [UInt8](grant.authenticator),
            boundTo: thumbprint
        )
        return check(
            [grant.authenticator],
            assertion.signature,
            proof.signedBytes,
            assertion.time,
            against: row,
            at: now,
            admit: admit
        )
    }

    /// The account's owner, on the device that asks for a change of the account.
    ///
    /// - Parameters:
    ///   - new: the authenticator that is to be the next, where there is one. It is as good as the present one: it is the
    ///     present one when the same request comes again, after an answer that was lost.
    ///   - admit: as for a login.
    /// - Returns: `wrong_credentials` whatever is wrong.
    static func check(
        _ request: AccountProof,
        for purpose: DeviceProof.Purpose,
        presenting new: Data = Data(),
        by device: DeviceID,
        against row: LoginRow?,
        relay: RelayID,
        at now: Int64,
        admit: (AccountID) throws(APIError) -> Void
    ) -> Result<CheckedLogin, APIError> {
        let proof = DeviceProof(
            purpose,
            relay: relay,
            device: device,
            time: request.time,
            presenting: [UInt8](request.authenticator + new)
        )
        return check(
            new.isEmpty ? [request.authenticator] : [request.authenticator, new],
            request.signature,
            proof.signedBytes,
            request.time,
            against: row,
            at: now,
            admit: admit
        )
    }

    private static func check(
        _ authenticators: [Data],
        _ signature: Data,
        _ proof: [UInt8],
        _ time: Int64,
        against row: LoginRow?,
        at now: Int64,
        admit: (AccountID) throws(APIError) -> Void
    ) -> Result<CheckedLogin, APIError> {
        let isSigned = (row?.device?.key ?? nobody.key).isValidSignature(signature, for: proof)
        let verifier = row?.verifier ?? nobody.verifier
        // Each is looked at, whichever it is.
        let isKnown = authenticators.map(verifier.accepts).contains(true)
        guard isSigned, let row, let device = row.device, isTimely(time, at: now) else { return .failure(wrong) }
        do throws(APIError) {
            try admit(row.account)
        } catch {
            return .failure(error)
        }
        guard isKnown else { return .failure(wrong) }
        let address = MailboxAddress(account: row.account, device: device.id)
        return .success(CheckedLogin(address: address, verifier: row.verifier, key: device.key))
    }

    /// Whether the device asks that the records are about: they are public, and whoever shows them is not yet it.
    ///
    /// - Throws: `wrong_credentials`.
    static func check(
        _ request: RegisterRequest,
        by device: DeviceRecord,
        boundTo thumbprint: String,
        relay: RelayID,
        at now: Int64
    ) throws(APIError) {
        let proof = SessionProof(
            .register,
            relay: relay,
            device: device.device,
            time: request.time,
            presenting: [UInt8](request.authenticator),
            boundTo: thumbprint
        )
        guard device.signatureKey.isValidSignature(request.signature, for: proof.signedBytes),
            isTimely(request.time, at: now)
        else { throw notTheDevice }
    }

    /// Whether the session's own device asks. A signature that is not its own does nothing to the session.
    ///
    /// - Parameter thumbprint: of the key that the request shows; empty for none.
    static func check(
        _ token: RefreshToken,
        _ assertion: DeviceAssertion,
        boundTo thumbprint: String,
        against row: SessionRow?,
        relay: RelayID,
        at now: Int64
    ) -> Result<Void, APIError> {
        guard let row else { return .failure(.sessionEnded) }
        let proof = SessionProof(
            .refresh,
            relay: relay,
            device: row.address.device,
            time: assertion.time,
            presenting: token.secret,
            boundTo: thumbprint
        )
        guard assertion.device == row.address.device,
            row.key.isValidSignature(assertion.signature, for: proof.signedBytes), isTimely(assertion.time, at: now)
        else {
            return .failure(notTheDevice)
        }
        return .success(())
    }

    /// Whether the two clocks agree well enough.
    static func isTimely(_ time: Int64, at now: Int64) -> Bool {
        let (difference, isAbsurd) = time.subtractingReportingOverflow(now)
        return !isAbsurd && difference.magnitude <= UInt64(DeviceProof.tolerance)
    }
}
