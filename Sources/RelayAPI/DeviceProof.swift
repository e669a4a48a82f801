import MildamCrypto
import MildamIdentity
import MildamWire

/// What a device signs to renew its keys or to change its account: the relay, itself, the time, and the secret it presents (by SHA-256).
///
/// ```
/// struct {
///     opaque relay[16];
///     opaque device[16];
///     uint64 time;
///     opaque presented_sha256[32];
/// } DeviceProof;
/// ```
public struct DeviceProof: WireEncodable, Sendable {
    /// What the proof is for; a proof for one is none for the other.
    public enum Purpose: Sendable {
        /// Taking new keys; what is presented is the next device list's digest.
        case renewal
        /// Changing the password; what is presented is the authenticator, and behind it the new one.
        case password
        /// Deleting the account; what is presented is the authenticator.
        case deletion
        /// Taking a second factor; what is presented is the authenticator.
        case secondFactor
        /// Removing the second factor; what is presented is the authenticator.
        case secondFactorRemoval

        var label: Label {
            switch self {
            case .renewal: Label("renewal proof")
            case .password: Label("password proof")
            case .deletion: Label("deletion proof")
            case .secondFactor: Label("second factor proof")
            case .secondFactorRemoval: Label("second factor removal proof")
            }
        }
    }

    private let purpose: Purpose
    private let relay: RelayID
    private let device: DeviceID
    private let time: Int64
    private let presentedDigest: [UInt8]

    /// The largest difference between the two clocks that is borne, in seconds.
    public static let tolerance: Int64 = 600

    /// What is to be signed, or was.
    public init(_ purpose: Purpose, relay: RelayID, device: DeviceID, time: Int64, presenting secret: [UInt8]) {
        self.purpose = purpose
        self.relay = relay
        self.device = device
        self.time = time
        presentedDigest = Array(SHA256.hash(data: secret))
    }

    /// The bytes under the signature.
    public var signedBytes: [UInt8] { purpose.label.over(self) }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        relay.encode(into: &writer)
        device.encode(into: &writer)
        writer.integer(UInt64(bitPattern: time))
        writer.fixed(presentedDigest)
    }
}
