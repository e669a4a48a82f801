import MildamCrypto

extension OneTimePassword {
    /// The token as an `otpauth://` URI, in google-authenticator's Key Uri Format: the secret itself, in secret memory.
    ///
    /// There is one text for each token. The label is `issuer:account`; the parameters are `secret`, `issuer` where there
    /// is one, `algorithm`, `digits`, and `period` or `counter`, all of them and in this order, as the format's example
    /// "with all optional parameters" has it, since programs differ in what they take for granted. Everything but
    /// unreserved characters is percent-encoded (RFC 3986), but for `@` in the label. Base32 has no padding. Steam tokens
    /// have the type `steam`: a program that does not know it refuses them, where it would show wrong codes for `totp`
    /// with an unknown encoder.
    public var uriBytes: SecretBytes {
        var text = SecretBuilder(capacity: 512)
        text.append("otpauth://\(typeName)/")
        // A colon before it keeps that of an account from being read as the issuer's end.
        if !issuer.isEmpty || account.utf8.contains(UInt8(ascii: ":")) {
            PercentText.encode(issuer, keeping: "@", into: &text)
            text.append(":")
        }
        PercentText.encode(account, keeping: "@", into: &text)
        text.append("?secret=")
        Base32Secret.encode(secret, into: &text)
        if !issuer.isEmpty {
            text.append("&issuer=")
            PercentText.encode(issuer, into: &text)
        }
        text.append("&algorithm=\(algorithm.rawValue)&digits=\(digits)")
        if case .hotp(let counter) = kind { text.append("&counter=\(counter)") }
        if let period = kind.period { text.append("&period=\(period)") }
        return text.finish()
    }

    /// The same text, in memory that nothing wipes.
    public var uri: String {
        let bytes = uriBytes
        return unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    private var typeName: String {
        switch kind {
        case .totp: "totp"
        case .hotp: "hotp"
        case .steam: "steam"
        }
    }
}
