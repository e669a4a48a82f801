extension OneTimePassword {
    /// What a code depends on beside the secret.
    public enum Kind: Hashable, Sendable {
        /// The time: a code stands for `period` seconds, counted from 1970 (RFC 6238; its T0 is 0).
        case totp(period: Int)
        /// A counter: the one of the next code (RFC 4226).
        case hotp(counter: UInt64)
        /// The time in steps of 30 seconds, written in Steam Guard's alphabet. No standard describes it.
        case steam

        package static let steamPeriod = 30
        package static let steamDigits = 5
        package static let defaultPeriod = 30

        /// How long a code stands, in seconds; `nil` for one that is counted.
        public var period: Int? {
            switch self {
            case .totp(let period): period
            case .hotp: nil
            case .steam: Kind.steamPeriod
            }
        }
    }

    /// The hash function under HMAC (RFC 6238, section 1.2). The raw values are those of the Key Uri Format.
    public enum Algorithm: String, CaseIterable, Sendable {
        /// SHA-1: the default, and the only one that many programs know. HMAC does not suffer from its collisions.
        case sha1 = "SHA1"
        /// SHA-256.
        case sha256 = "SHA256"
        /// SHA-512.
        case sha512 = "SHA512"
    }
}

extension OneTimePassword.Kind: CustomStringConvertible {
    /// "TOTP, 30 s", "HOTP" or "Steam". A counter is not told.
    public var description: String {
        switch self {
        case .totp(let period): "TOTP, \(period) s"
        case .hotp: "HOTP"
        case .steam: "Steam"
        }
    }
}

extension OneTimePassword.Algorithm {
    /// The algorithm that a foreign text names: `SHA1`, `sha-256`, `HmacSHA256`, `Algorithm.SHA512`.
    ///
    /// - Throws: `unsupported` for a hash that has a name, and that codes are not made with here; `invalid` for a text
    ///   that names none.
    package init(foreign text: String) throws(TokenError) {
        var name = text.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        for prefix in ["ALGORITHM", "HMAC"] where name.hasPrefix(prefix) { name.removeFirst(prefix.count) }
        switch name {
        case "SHA1": self = .sha1
        case "SHA256": self = .sha256
        case "SHA512": self = .sha512
        case "MD5": throw .unsupported(.md5)
        case "SHA224": throw .unsupported(.sha224)
        case "SHA384": throw .unsupported(.sha384)
        default: throw .invalid(.algorithm)
        }
    }
}
