import MildamOTP

/// Whether a token that was read is written and read as the same.
func isStable(_ token: OneTimePassword) -> Bool {
    let uri = token.uriBytes
    return (try? OneTimePassword(uri: uri.span)) == token
}
