import FoundationEssentials

/// Whether logging in takes a code: the answer of `GET /v1/account/second-factor`.
public struct SecondFactorState: Codable, Sendable, Equatable {
    /// Whether it does. A second factor that was not confirmed yet asks for nothing.
    public var isActive: Bool
    /// How many recovery codes were not used yet.
    public var recoveryCodes: Int

    /// Makes a state.
    public init(isActive: Bool, recoveryCodes: Int) {
        self.isActive = isActive
        self.recoveryCodes = recoveryCodes
    }
}

/// A secret to make codes from, which waits to be confirmed: the answer of `POST /v1/account/second-factor`. It is shown
/// this once.
public struct SecondFactorSecret: Codable, Sendable {
    /// The secret, 20 bytes: codes of six digits for 30 seconds, by SHA-1 (RFC 6238).
    public var secret: Data
    /// The same as an `otpauth://` URI.
    public var uri: String

    /// Makes an answer.
    public init(secret: Data, uri: String) {
        self.secret = secret
        self.uri = uri
    }
}

/// A code of the secret that waits: the body of `PUT /v1/account/second-factor`.
public struct ConfirmSecondFactorRequest: Codable, Sendable {
    /// Six digits.
    public var otp: String

    /// Makes a request.
    public init(otp: String) {
        self.otp = otp
    }
}

/// What stands in for codes when they are lost, each once: the answer of `PUT /v1/account/second-factor`. They are shown
/// this once.
public struct RecoveryCodes: Codable, Sendable {
    /// Ten codes of 80 bits each: four groups of four characters of base32. Case and what stands between the groups
    /// do not matter.
    public var codes: [String]

    /// Makes an answer.
    public init(codes: [String]) {
        self.codes = codes
    }
}
