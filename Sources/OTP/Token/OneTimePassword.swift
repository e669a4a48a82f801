import MildamCrypto

/// A token: the secret that one-time codes are made from, how they are made, and whose they are.
///
/// HOTP (RFC 4226) counts, TOTP (RFC 6238) goes by the clock, and Steam Guard is a TOTP that writes its codes in an
/// alphabet of its own. Copies share one secret, which is wiped when the last of them goes.
public struct OneTimePassword: Equatable, Sendable {
    /// How many digits a code may have.
    public static let digitCounts = 6...10
    /// How many bytes a secret may have.
    public static let secretByteCounts = 1...512
    /// How many seconds a code may stand: up to a day.
    public static let periods = 1...86_400
    /// The most bytes in UTF-8 of an issuer, and of an account.
    public static let maximumNameByteCount = 255

    /// The secret, called the key in RFC 4226.
    public let secret: SymmetricKey
    /// What the code depends on beside the secret.
    public let kind: Kind
    /// The hash function under HMAC.
    public let algorithm: Algorithm
    /// How many characters a code has.
    public let digits: Int
    /// Who gave the token out; empty where nobody said.
    public let issuer: String
    /// Whose account it is at the issuer; empty where nobody said.
    public let account: String

    /// A token of the given values. White space around the names goes.
    ///
    /// - Parameters:
    ///   - secret: 1 to 512 bytes.
    ///   - digits: 6 to 10; `nil` for what is usual, which is 6. Steam Guard has 5 and no other number.
    ///   - issuer: up to 255 bytes in UTF-8.
    ///   - account: up to 255 bytes in UTF-8.
    /// - Throws: `outOfRange` for a secret, number of digits or period beyond its range; `tooLong` for a name;
    ///   `invalid(.algorithm)` for Steam Guard with another hash than SHA-1.
    public init(
        secret: SymmetricKey,
        kind: Kind = .totp(period: 30),
        algorithm: Algorithm = .sha1,
        digits: Int? = nil,
        issuer: String = "",
        account: String = ""
    ) throws(TokenError) {
        guard OneTimePassword.secretByteCounts.contains(secret.bitCount / 8) else { throw .outOfRange(.secret) }
        switch kind {
        case .totp(let period):
            guard OneTimePassword.periods.contains(period) else { throw .outOfRange(.period) }
            self.digits = digits ?? 6
        case .hotp: self.digits = digits ?? 6
        case .steam:
            guard algorithm == .sha1 else { throw .invalid(.algorithm) }
            self.digits = digits ?? Kind.steamDigits
        }
        let counts = kind == .steam ? Kind.steamDigits...Kind.steamDigits : OneTimePassword.digitCounts
        guard counts.contains(self.digits) else { throw .outOfRange(.digits) }
        self.secret = secret
        self.kind = kind
        self.algorithm = algorithm
        self.issuer = try OneTimePassword.name(issuer, .issuer)
        self.account = try OneTimePassword.name(account, .account)
    }

    /// Whether the secret has fewer than the 128 bits that RFC 4226 demands (section 4, R6). Many tokens have 80.
    public var hasShortSecret: Bool { secret.bitCount < 128 }

    /// The token after its counter was used once (RFC 4226, section 7.2).
    ///
    /// - Returns: `nil` for a token that does not count, or whose counter is at its end.
    public func advanced() -> OneTimePassword? {
        guard case .hotp(let counter) = kind, counter < UInt64.max else { return nil }
        return OneTimePassword(self, counter: counter + 1)
    }

    /// The token with a counter that is not behind that of another one with the same secret, where both count: a code that
    /// was used is not made again.
    public func counting(from other: OneTimePassword) -> OneTimePassword {
        guard secret == other.secret, case .hotp(let own) = kind, case .hotp(let counter) = other.kind, counter > own
        else { return self }
        return OneTimePassword(self, counter: counter)
    }

    private init(_ other: OneTimePassword, counter: UInt64) {
        secret = other.secret
        kind = .hotp(counter: counter)
        algorithm = other.algorithm
        digits = other.digits
        issuer = other.issuer
        account = other.account
    }

    private static func name(_ text: String, _ field: TokenField) throws(TokenError) -> String {
        let name = text.trimmed
        guard name.utf8.count <= maximumNameByteCount else { throw .tooLong(field) }
        return name
    }
}

extension OneTimePassword: CustomStringConvertible, CustomReflectable {
    /// What kind of token it is, and nothing of its secret, its names or its codes.
    public var description: String { "OneTimePassword (\(kind), \(algorithm.rawValue), \(digits) digits)" }

    /// Empty: a dump shows nothing of the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
