import Foundation
import MildamCrypto
import MildamWire
import Testing

@testable import MildamJOSE

@Suite("RFC 7517 and 7638: JSON Web Keys and their thumbprints")
struct JSONWebKeyTests {
    private func coordinates(_ json: String) throws -> [UInt8] {
        let text = Array(json.utf8)
        return try JSONWebKey.coordinates(JSONReader.read(text.span), in: text.span)
    }

    @Test("RFC 9449, section 6.1: the key of the RFC's proofs and its thumbprint")
    func thumbprint() throws {
        let point = try P256.Signing.PublicKey(rawRepresentation: Data(coordinates(RFC9449.key)))
        #expect(JSONWebKey(point).thumbprint == RFC9449.thumbprint)
    }

    @Test func roundTrip() throws {
        let key = JSONWebKey(P256.Signing.PrivateKey().publicKey)
        #expect(try coordinates(key.json) == Array(key.publicKey.rawRepresentation))
    }

    @Test(
        "Keys that are none of ours",
        arguments: [
            (#"{"crv":"P-384","kty":"EC","x":"AA","y":"AA"}"#, JOSEError.unexpectedHeader),
            (#"{"crv":"Ed25519","kty":"OKP","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#, .unexpectedHeader),
            (#"{"kty":"oct","k":"AAAA"}"#, .unexpectedHeader),
            (RFC9449.key.replacing("}", with: #","d":"AAAA"}"#), .unexpectedHeader),
            (#"{"crv":"P-256","kty":"EC","x":"AA","y":"AA"}"#, .malformed),
            (RFC9449.key.replacing(#""y":"9"#, with: #""y":"="#), .malformed),
            (#"["P-256"]"#, .malformed),
        ]
    )
    func others(_ json: String, _ error: JOSEError) {
        #expect(throws: error) { try coordinates(json) }
    }
}
