import MildamCrypto

/// What a foreign description of a token says of it. What it does not say is as usual: SHA-1, six digits, 30 seconds.
package struct TokenFields {
    /// What kind of token it is.
    package enum TokenType: String {
        case totp
        case hotp
        case steam

        /// The type that a foreign text names.
        package init(foreign text: String) throws(TokenError) {
            let name = text.trimmed.lowercased()
            switch name {
            case "motp": throw .unsupported(.motp)
            case "yandex", "yaotp": throw .unsupported(.yandex)
            default: break
            }
            guard let type = TokenType(rawValue: name) else { throw .invalid(.type) }
            self = type
        }
    }

    package let secret: SymmetricKey
    package var names: TokenNames
    package var type = TokenType.totp
    package var algorithm: OneTimePassword.Algorithm?
    package var digits: UInt64?
    package var period: UInt64?
    package var counter: UInt64?

    package init(secret: SymmetricKey, names: TokenNames) {
        self.secret = secret
        self.names = names
    }

    /// The token.
    ///
    /// - Throws: `missing(.counter)` where it counts and the counter is not there; what the token refuses. A period that
    ///   is not Steam Guard's own is refused for it; a number of digits is not looked at.
    package func token() throws(TokenError) -> OneTimePassword {
        var digits: Int?
        if let given = self.digits, type != .steam { digits = Int(clamping: given) }
        return try OneTimePassword(
            secret: secret,
            kind: try kind(),
            algorithm: algorithm ?? .sha1,
            digits: digits,
            issuer: names.issuer,
            account: names.account
        )
    }

    private func kind() throws(TokenError) -> OneTimePassword.Kind {
        switch type {
        case .totp: return .totp(period: period.map { Int(clamping: $0) } ?? OneTimePassword.Kind.defaultPeriod)
        case .hotp:
            guard let counter else { throw .missing(.counter) }
            return .hotp(counter: counter)
        case .steam:
            guard period ?? UInt64(OneTimePassword.Kind.steamPeriod) == OneTimePassword.Kind.steamPeriod else {
                throw .outOfRange(.period)
            }
            return .steam
        }
    }
}
