import FoundationEssentials

/// That the account's owner asks, and not only somebody with an access token: the body of what changes the account as a
/// whole (`POST /v1/account/deletion`, `POST /v1/account/second-factor` and its `removal`), and part of a new password.
public struct AccountProof: Codable, Sendable {
    /// The authenticator, 32 bytes.
    public var authenticator: Data
    /// When, in seconds since 1970, by the client's clock; refused when more than 10 minutes off.
    public var time: Int64
    /// The calling device's signature over ``DeviceProof``, of the purpose that goes with the route, 64 bytes.
    public var signature: Data
    /// The second factor's code, six digits, where the account has one.
    public var otp: String?
    /// A recovery code in its place.
    public var recoveryCode: String?

    /// Makes a proof.
    public init(
        authenticator: Data,
        time: Int64,
        signature: Data,
        otp: String? = nil,
        recoveryCode: String? = nil
    ) {
        self.authenticator = authenticator
        self.time = time
        self.signature = signature
        self.otp = otp
        self.recoveryCode = recoveryCode
    }
}

/// The body of `PUT /v1/account/password`. The same request again is answered alike.
public struct PasswordRequest: Codable, Sendable {
    /// That it is the owner, by the password as it was so far; the device signs both authenticators.
    public var proof: AccountProof
    /// The authenticator of the new password, 32 bytes.
    public var authenticator: Data

    /// Makes a request.
    public init(proof: AccountProof, authenticator: Data) {
        self.proof = proof
        self.authenticator = authenticator
    }
}
