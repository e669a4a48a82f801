import MildamCrypto

extension OneTimePassword {
    /// A token of nothing but a secret in base32, as people are told it: six digits each half minute, by SHA-1.
    ///
    /// Case, spaces, dashes and padding mean nothing.
    ///
    /// - Parameter text: up to 4,096 bytes.
    /// - Throws: `tooLong`, `invalid(.secret)`, `outOfRange(.secret)`; `tooLong` for a name of more than 255 bytes.
    public init(base32 text: Span<UInt8>, issuer: String = "", account: String = "") throws(TokenError) {
        guard text.count <= OneTimePassword.maximumURIByteCount else { throw .tooLong(.secret) }
        guard let secret = Base32Secret.decode(text) else { throw .invalid(.secret) }
        try self.init(secret: SymmetricKey(secret), issuer: issuer, account: account)
    }
}
