import FoundationEssentials
import MildamCrypto
import MildamJOSE
import MildamWire

extension FuzzTarget {
    /// Access tokens. The first byte says what is done: a token as it comes, or any claims under a good signature.
    static let jws = FuzzTarget(
        name: "jws",
        source: .network,
        seeds: {
            [
                [0] + Array(genuineToken.utf8),
                [1] + Array(#"{"aud":"r","device":"d","exp":400,"iat":100,"iss":"r","sid":"s","sub":"a"}"#.utf8),
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = input.dropFirst()
            guard first != 0 else {
                let text = String(decoding: rest, as: UTF8.self)
                let accepted = verify(text) { keyID in keyID == "k" ? FixedKeys.identity.publicKey : nil }
                if accepted != nil { mustHold(text == genuineToken, "only what was signed is believed") }
                return
            }
            let header = #"{"alg":"EdDSA","kid":"k","typ":"at+jwt"}"#
            let signed = Base64.url.encode(Array(header.utf8)) + "." + Base64.url.encode(Array(rest))
            let signature = FixedKeys.identity.signature(for: Array(signed.utf8))
            guard
                let token = verify(
                    signed + "." + Base64.url.encode(signature),
                    key: { _ in FixedKeys.identity.publicKey }
                )
            else { return }
            planted(token.exp != 400)
            mustHold(
                token.iss == "r" && token.aud == "r" && token.exp > now,
                "a token that is believed is for us, and lives"
            )
        }
    )

    private static let now: Int64 = 200
    private static let genuineToken = must { () throws(JOSEError) in
        try AccessToken(relay: "r", account: "a", device: "d", session: "s", at: 100)
            .signed(keyID: "k", by: FixedKeys.identity)
    }

    private static func verify(_ text: String, key: (String) -> Curve25519.Signing.PublicKey?) -> AccessToken? {
        try? AccessToken(verifying: text, relay: "r", at: now, key: key)
    }
}
