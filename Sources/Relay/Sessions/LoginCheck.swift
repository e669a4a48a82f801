import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI

/// Whether a registration, a login or a refresh is what it says. Pure.
enum LoginCheck {
    /// What stands in for an account that is not there, so that it costs the same work.
    private static let nobody = (
        verifier: SaltedVerifier(of: Data(count: SaltedVerifier.authenticatorSize)),
        key: Curve25519.Signing.PrivateKey().publicKey
    )

    private static let wrong = APIError(.wrongCredentials, "the handle, the password or the device is wrong")
    /// What is refused when a proof is not the device's, or not of now.
    static let notTheDevice = APIError(.wrongCredentials, "the device's signature or its clock is wrong")

    /// The device that logs in.
    ///
    /// - Returns: `wrong_credentials` whatever is wrong: no such handle, no such device, authenticator, signature, clock.
    static func check(
        _ request: LoginRequest,
        against row: LoginRow?,
        relay: RelayID,
        at now: Int64
    ) -> Result<MailboxAddress, APIError> {
        let proof = DeviceProof(
            .login,
            relay: relay,
            device: request.device,
            time: request.time,
            presenting: [UInt8](request.authenticator)
        )
        let isSigned = (row?.key ?? nobody.key).isValidSignature(request.signature, for: proof.signedBytes)
        let isKnown = (row?.verifier ?? nobody.verifier).accepts(request.authenticator)
        guard isSigned, isKnown, let row, isTimely(request.time, at: now) else { return .failure(wrong) }
        return .success(MailboxAddress(account: row.account, device: request.device))
    }

    /// Whether the device asks that the records are about: they are public, and whoever shows them is not yet it.
    ///
    /// - Throws: `wrong_credentials`.
    static func check(
        _ request: RegisterRequest,
        by device: DeviceRecord,
        relay: RelayID,
        at now: Int64
    ) throws(APIError) {
        let proof = DeviceProof(
            .register,
            relay: relay,
            device: device.device,
            time: request.time,
            presenting: [UInt8](request.authenticator)
        )
        guard device.signatureKey.isValidSignature(request.signature, for: proof.signedBytes),
            isTimely(request.time, at: now)
        else { throw notTheDevice }
    }

    /// Whether the session's own device asks. A signature that is not its own does nothing to the session.
    static func check(
        _ request: RefreshRequest,
        against row: SessionRow?,
        relay: RelayID,
        at now: Int64
    ) -> Result<Void, APIError> {
        guard let row else { return .failure(.sessionEnded) }
        let proof = DeviceProof(
            .refresh,
            relay: relay,
            device: row.address.device,
            time: request.time,
            presenting: [UInt8](request.refresh)
        )
        guard row.key.isValidSignature(request.signature, for: proof.signedBytes), isTimely(request.time, at: now)
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
