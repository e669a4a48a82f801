import FoundationEssentials
import MildamCrypto
import MildamWire

/// Nonces that tell when they were given out (RFC 9449, section 8). They are not stored: whoever has the key knows its own.
///
/// ```
/// struct { uint64 time; opaque code[16]; } Nonce;   // code = HMAC-SHA256(key, time)[0..<16]; base64url, 32 characters
/// ```
public struct DPoPNonces: Sendable {
    private let key: SymmetricKey

    /// How many seconds a nonce is good for.
    public static let lifetime: Int64 = 60
    /// How many seconds the clock of another verifier with the same key may be ahead.
    static let tolerance: Int64 = 5

    /// The nonces of a key, which all verifiers behind one address share.
    public init(key: SymmetricKey) {
        self.key = key
    }

    /// The nonce of this second.
    public func nonce(at now: Int64) -> String {
        Base64.url.encode(bytes(UInt64(bitPattern: now)))
    }

    /// Whether this is a nonce that was given out in the last minute.
    public func accepts(_ nonce: String, at now: Int64) -> Bool {
        guard nonce.utf8.count == 32, let given = try? Base64.url.decode(nonce) else { return false }
        let time = given.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        guard constantTimeEquals(bytes(time), given) else { return false }
        let (age, overflow) = now.subtractingReportingOverflow(Int64(bitPattern: time))
        return !overflow && (-Self.tolerance...Self.lifetime).contains(age)
    }

    private func bytes(_ time: UInt64) -> [UInt8] {
        let encoded = unsafe withUnsafeBytes(of: time.bigEndian) { unsafe Array($0) }
        return encoded + HMAC<SHA256>.authenticationCode(for: encoded, using: key).prefix(16)
    }
}
