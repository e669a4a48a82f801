import MildamCrypto
import MildamIdentity
import MildamWire

/// What a device signs to begin a session or to go on with one: the relay, itself, the time, the secret that it presents
/// (by SHA-256), and the key that the session is bound to.
///
/// ```
/// struct {
///     opaque relay[16];
///     opaque device[16];
///     uint64 time;
///     opaque presented_sha256[32];
///     opaque thumbprint<43..43>;      // of the key that proves possession (RFC 7638), in base64url
/// } SessionProof;
/// ```
public struct SessionProof: WireEncodable, Sendable {
    /// What the proof is for; a proof for one is none for the other.
    public enum Purpose: Sendable, CaseIterable {
        /// Registering the account whose first device this is; what is presented is the authenticator.
        case register
        /// Logging in; what is presented is the authenticator.
        case login
        /// Refreshing; what is presented is the refresh token.
        case refresh

        var label: Label {
            switch self {
            case .register: Label("session registration proof")
            case .login: Label("session login proof")
            case .refresh: Label("session refresh proof")
            }
        }
    }

    private let purpose: Purpose
    private let relay: RelayID
    private let device: DeviceID
    private let time: Int64
    private let presentedDigest: [UInt8]
    private let thumbprint: String

    /// What is to be signed, or was.
    ///
    /// - Parameters:
    ///   - time: seconds since 1970.
    ///   - secret: what is presented.
    ///   - thumbprint: of the key that the session is bound to.
    public init(
        _ purpose: Purpose,
        relay: RelayID,
        device: DeviceID,
        time: Int64,
        presenting secret: [UInt8],
        boundTo thumbprint: String
    ) {
        self.purpose = purpose
        self.relay = relay
        self.device = device
        self.time = time
        presentedDigest = Array(SHA256.hash(data: secret))
        self.thumbprint = thumbprint
    }

    /// The bytes under the signature.
    public var signedBytes: [UInt8] { purpose.label.over(self) }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        relay.encode(into: &writer)
        device.encode(into: &writer)
        writer.integer(UInt64(bitPattern: time))
        writer.fixed(presentedDigest)
        writer.text(UInt8.self, thumbprint)
    }
}
