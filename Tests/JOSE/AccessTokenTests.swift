import Foundation
import MildamCrypto
import MildamWire
import Testing

@testable import MildamJOSE

@Suite("RFC 9068: the access token")
struct AccessTokenTests {
    private let token = AccessToken(relay: "relay", account: "account", device: "device", session: "session", at: 1000)

    private func verified(
        _ text: String,
        relay: String = "relay",
        at now: Int64 = 1000
    ) throws(JOSEError) -> AccessToken {
        try AccessToken(verifying: text, relay: relay, at: now) { $0 == "k1" ? Signer.key.publicKey : nil }
    }

    private func signed(_ change: (inout AccessToken) -> Void) throws -> String {
        var changed = token
        change(&changed)
        return try changed.signed(keyID: "k1", by: Signer.key)
    }

    @Test func itsShape() throws {
        let parts = try token.signed(keyID: "k1", by: Signer.key).split(separator: ".")
        #expect(
            String(decoding: try Base64.url.decode(parts[0]), as: UTF8.self)
                == #"{"alg":"EdDSA","kid":"k1","typ":"at+jwt"}"#
        )
        #expect(
            String(decoding: try Base64.url.decode(parts[1]), as: UTF8.self)
                == #"{"aud":"relay","device":"device","exp":1300,"iat":1000,"iss":"relay","sid":"session","#
                + #""sub":"account"}"#
        )
        #expect(AccessToken.lifetime == 300)
    }

    @Test func itLives300Seconds() throws {
        let text = try token.signed(keyID: "k1", by: Signer.key)
        #expect(try verified(text) == token)
        #expect(try verified(text, at: 1299) == token)
        #expect(throws: JOSEError.expired) { try verified(text, at: 1300) }
        #expect(throws: JOSEError.expired) { try verified(text, at: .max) }
    }

    @Test func forThisRelayOnly() throws {
        #expect(throws: JOSEError.notForUs) { try verified(token.signed(keyID: "k1", by: Signer.key), relay: "other") }
        #expect(throws: JOSEError.notForUs) { try verified(signed { $0.iss = "other" }) }
        #expect(throws: JOSEError.notForUs) { try verified(signed { $0.aud = "other" }) }
    }

    @Test("Lifetimes that none is issued with", arguments: [(1000, 1301), (1400, 1300), (.min, .max), (-1, .max)])
    func lifetime(_ issued: Int64, _ expires: Int64) throws {
        let text = try signed {
            $0.iat = issued
            $0.exp = expires
        }
        #expect(throws: JOSEError.expired) { try verified(text) }
    }

    @Test func aTokenOfAnotherTypeOrKey() throws {
        let other = try JWS.sign(token, type: "JWT", keyID: "k1", by: Signer.key)
        #expect(throws: JOSEError.unexpectedHeader) { try verified(other) }
        #expect(throws: JOSEError.unknownKey) { try verified(token.signed(keyID: "k2", by: Signer.key)) }
    }

    @Test("A claim is missing or of another type", arguments: ["iss", "aud", "sub", "device", "sid", "iat", "exp"])
    func claim(_ name: String) throws {
        var claims: [String: Any] = [
            "iss": "relay", "aud": "relay", "sub": "a", "device": "d", "sid": "s", "iat": 1000, "exp": 1300,
        ]
        for wrong: Any? in [nil, NSNull(), ["relay"], true] {
            claims[name] = wrong
            let payload = String(decoding: try JSONSerialization.data(withJSONObject: claims), as: UTF8.self)
            let text = Signer.token(#"{"alg":"EdDSA","kid":"k1","typ":"at+jwt"}"#, payload)
            #expect(throws: JOSEError.malformed) { try verified(text) }
        }
    }
}
