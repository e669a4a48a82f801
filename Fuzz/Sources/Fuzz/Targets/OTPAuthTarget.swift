import MildamOTP

extension FuzzTarget {
    /// `otpauth://` URIs: what is read has one spelling, and makes codes that it knows as its own.
    static let otpauth = FuzzTarget(
        name: "otpauth",
        source: .file,
        seeds: {
            [
                "otpauth://totp/Example:alice@google.com?secret=JBSWY3DPEHPK3PXP&issuer=Example",
                "otpauth://totp/ACME%20Co:j?secret=HXDMVJECJJWSRB3H&issuer=ACME%20Co&algorithm=SHA512&digits=8&period=60",
                "otpauth://hotp/a:b:c?secret=jbsw+y3dp&counter=18446744073709551615&issuer=C++",
                "OTPAUTH://steam/Steam:me?secret=AA==&encoder=steam",
            ].map { Array($0.utf8) }
        },
        take: { input in
            guard let token = try? OneTimePassword(uri: input.span) else { return }
            planted(token.algorithm == .sha512 && token.kind != .totp(period: 60))
            mustHold(isStable(token), "a token that was read is written and read as the same")
            let code = token.code(at: 1_000_000)
            mustHold(code.utf8.count == token.digits, "a code has as many characters as it should")
            mustHold(token.matches(code, at: 1_000_000, window: 0) != nil, "a token knows its own code")
        }
    )
}
