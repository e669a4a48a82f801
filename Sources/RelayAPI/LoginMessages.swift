import FoundationEssentials
import MildamIdentity

/// Who this relay is: the answer of `GET /v1/relay`.
public struct RelayDescription: Codable, Sendable {
    /// The relay's id, which clients pin.
    public var relay: RelayID
    /// The software's version.
    public var version: String
    /// Who may make an account.
    public var registration: RegistrationMode

    /// Makes a description.
    public init(relay: RelayID, version: String, registration: RegistrationMode) {
        self.relay = relay
        self.version = version
        self.registration = registration
    }
}

/// Who may make an account at a relay.
public enum RegistrationMode: String, Codable, Sendable, CaseIterable {
    /// Anybody.
    case open
    /// Whoever has an invitation of the operator's.
    case invite
    /// Nobody.
    case closed
}

/// How to derive the authenticator: the answer of `GET /v1/login/HANDLE`, alike for handles that exist and that do not.
public struct LoginParameters: Codable, Sendable {
    /// The relay's id.
    public var relay: RelayID
    /// HMAC-SHA-256(relay salt key, handle), 32 bytes.
    public var salt: Data
    /// Argon2id memory in KiB.
    public var memory: Int
    /// Argon2id passes.
    public var passes: Int

    /// Makes parameters.
    public init(relay: RelayID, salt: Data, memory: Int, passes: Int) {
        self.relay = relay
        self.salt = salt
        self.memory = memory
        self.passes = passes
    }
}

/// The body of `POST /v1/accounts`.
public struct RegisterRequest: Codable, Sendable {
    /// The handle.
    public var handle: Handle
    /// The authenticator, 32 bytes.
    public var authenticator: Data
    /// The account's records, with exactly one device.
    public var bundle: AccountBundle
    /// When, in seconds since 1970, by the client's clock; refused when more than 10 minutes off.
    public var time: Int64
    /// The device's signature over ``SessionProof``, 64 bytes: the bundle is public, and whoever repeats it is not yet
    /// the device.
    public var signature: Data
    /// The operator's invitation, as it was handed out, where the relay asks for one.
    public var invitation: String?

    /// Makes a request.
    public init(
        handle: Handle,
        authenticator: Data,
        bundle: AccountBundle,
        time: Int64,
        signature: Data,
        invitation: String? = nil
    ) {
        self.handle = handle
        self.authenticator = authenticator
        self.bundle = bundle
        self.time = time
        self.signature = signature
        self.invitation = invitation
    }
}

/// The body of `PUT /v1/accounts/HANDLE/devices`: the calling device takes new keys. The same request again is answered
/// alike.
public struct RenewDeviceRequest: Codable, Sendable {
    /// The account's records with the next list; the list before it is among the earlier ones.
    public var bundle: AccountBundle
    /// When, in seconds since 1970, by the client's clock; refused when more than 10 minutes off.
    public var time: Int64
    /// The signature over ``DeviceProof`` by the device's new key, 64 bytes.
    public var signature: Data
    /// The signature over the same by the device's key on the list before, 64 bytes.
    public var earlierSignature: Data

    /// Makes a request.
    public init(bundle: AccountBundle, time: Int64, signature: Data, earlierSignature: Data) {
        self.bundle = bundle
        self.time = time
        self.signature = signature
        self.earlierSignature = earlierSignature
    }
}
