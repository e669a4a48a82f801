import Foundation
import MildamCrypto
import MildamWire
import Testing

@testable import MildamJOSE

/// The key of RFC 8037, appendix A.1, and what is signed with it.
enum Signer {
    static let key = must {
        try Curve25519.Signing.PrivateKey(
            rawRepresentation: Base64.url.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A")
        )
    }

    /// A token of any header and payload, rightly signed.
    static func token(_ header: String, _ payload: String = #"{"text":"hello"}"#) -> String {
        let signed = Base64.url.encode(Array(header.utf8)) + "." + Base64.url.encode(Array(payload.utf8))
        return signed + "." + Base64.url.encode(key.signature(for: Array(signed.utf8)))
    }

    private static func must<Value>(_ make: () throws -> Value) -> Value {
        do { return try make() } catch { preconditionFailure("the RFC's key is wrong: \(error)") }
    }
}

struct Note: Codable, Equatable {
    var text: String
}

@Suite("RFC 8037, appendix A: Ed25519")
struct RFC8037Tests {
    private let signingInput = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
    private let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"

    @Test("A.1 and A.2: the key")
    func key() {
        #expect(
            Base64.url.encode(Array(Signer.key.publicKey.rawRepresentation))
                == "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
        )
    }

    @Test("A.4 and A.5: signing and verifying")
    func signing() throws {
        #expect(Base64.url.encode(Array(Signer.key.signature(for: Array(signingInput.utf8)))) == signature)
        #expect(
            Signer.key.publicKey.isValidSignature(
                try Base64.url.decode(signature),
                for: Array(signingInput.utf8)
            )
        )
    }

    @Test("The RFC's own token has no typ, no kid and no JSON: it is refused")
    func itsToken() {
        #expect(throws: JOSEError.malformed) {
            try JWS.verify("\(signingInput).\(signature)", type: "at+jwt", as: Note.self) { _ in Signer.key.publicKey }
        }
    }
}

@Suite("RFC 7515, section 7.1: compact serialisation")
struct JWSTests {
    private let header = #"{"alg":"EdDSA","kid":"k1","typ":"note"}"#

    private func verify(_ token: String) throws(JOSEError) -> Note {
        try JWS.verify(token, type: "note") { $0 == "k1" ? Signer.key.publicKey : nil }
    }

    @Test func roundTrip() throws {
        let token = try JWS.sign(Note(text: "hello"), type: "note", keyID: "k1", by: Signer.key)
        #expect(token == Signer.token(header))
        #expect(try verify(token) == Note(text: "hello"))
    }

    @Test(
        "Headers that are not believed",
        arguments: [
            #"{"alg":"none","kid":"k1","typ":"note"}"#, #"{"alg":"HS256","kid":"k1","typ":"note"}"#,
            #"{"alg":"ES256","kid":"k1","typ":"note"}"#, #"{"alg":"eddsa","kid":"k1","typ":"note"}"#,
            #"{"alg":"Ed25519","kid":"k1","typ":"note"}"#, #"{"alg":"","kid":"k1","typ":"note"}"#,
            #"{"alg":"EdDSA","kid":"k1","typ":"at+jwt"}"#, #"{"alg":"EdDSA","kid":"k1","typ":"NOTE"}"#,
            #"{"alg":"EdDSA","kid":"k1","typ":"note","crit":["exp"]}"#,
            #"{"alg":"EdDSA","kid":"k1","typ":"note","crit":[]}"#,
        ]
    )
    func header(_ header: String) {
        #expect(throws: JOSEError.unexpectedHeader) { try verify(Signer.token(header)) }
    }

    @Test(
        "Headers that are none",
        arguments: [
            "", "{}", "[]", "null", "{", #"{"alg":"EdDSA","typ":"note"}"#, #"{"alg":"EdDSA","kid":"k1"}"#,
            #"{"kid":"k1","typ":"note"}"#, #"{"alg":1,"kid":"k1","typ":"note"}"#,
            #"{"alg":"EdDSA","kid":null,"typ":"note"}"#, #"{"alg":"EdDSA","kid":"k1","typ":"note","crit":1}"#,
        ]
    )
    func noHeader(_ header: String) {
        #expect(throws: JOSEError.malformed) { try verify(Signer.token(header)) }
    }

    @Test("A header with much beyond ASCII is not read, however it is written", arguments: ["\u{301}", #"\u0301"#])
    func foreignHeader(_ mark: String) throws {
        func header(_ count: Int) -> String {
            #"{"alg":"EdDSA","kid":"k1","typ":"note","\#(String(repeating: mark, count: count))":1}"#
        }
        // Each mark is two bytes as it is, and one escape.
        let most = mark.utf8.count == 2 ? 32 : 64
        #expect(throws: Never.self) { try verify(Signer.token(header(most))) }
        #expect(throws: JOSEError.malformed) { try verify(Signer.token(header(most + 1))) }
    }

    @Test("A token beyond ASCII is none")
    func foreignToken() {
        #expect(throws: JOSEError.malformed) { try verify(String(repeating: "\u{301}", count: 2000)) }
    }

    @Test("alg none with no signature, and HS256 keyed with the public key")
    func classics() {
        func part(_ text: String) -> String { Base64.url.encode(Array(text.utf8)) }
        let payload = part(#"{"text":"hello"}"#)
        #expect(throws: JOSEError.unexpectedHeader) {
            try verify(part(#"{"alg":"none","kid":"k1","typ":"note"}"#) + "." + payload + ".")
        }
        let signed = part(#"{"alg":"HS256","kid":"k1","typ":"note"}"#) + "." + payload
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(signed.utf8),
            using: SymmetricKey(data: Signer.key.publicKey.rawRepresentation)
        )
        #expect(throws: JOSEError.unexpectedHeader) { try verify(signed + "." + Base64.url.encode(Array(code))) }
    }

    @Test func anotherKeysToken() throws {
        #expect(throws: JOSEError.unknownKey) {
            try verify(JWS.sign(Note(text: "hello"), type: "note", keyID: "k2", by: Signer.key))
        }
        #expect(throws: JOSEError.badSignature) {
            let stranger = Curve25519.Signing.PrivateKey()
            _ = try verify(JWS.sign(Note(text: "hello"), type: "note", keyID: "k1", by: stranger))
        }
    }

    @Test func everyCharacterCounts() {
        let token = Signer.token(header)
        for (index, character) in token.enumerated() {
            var altered = Array(token)
            altered[index] = character == "A" ? "B" : "A"
            #expect(throws: JOSEError.self, "character \(index)") { try verify(String(altered)) }
        }
        for count in 0..<token.count {
            #expect(throws: JOSEError.self, "cut at \(count)") { try verify(String(token.prefix(count))) }
        }
    }

    @Test func threePartsOfStrictBase64url() {
        let token = Signer.token(header)
        let parts = token.split(separator: ".").map(String.init)
        let signature = parts[2]
        // 64 bytes leave four unused bits in the last of 86 characters: A, Q, g or w; the next letter is the same bytes.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = alphabet.firstIndex(of: signature.last ?? "A") ?? 0
        let spelledOtherwise = signature.dropLast() + String(alphabet[last ^ 1])
        for wrong in [
            "", ".", "..", "...", "a.b", token + ".", "." + token, token + ".a", token + "=", token + "\n", " " + token,
            token.replacingOccurrences(of: ".", with: "。"), parts[0] + "=." + parts[1] + "." + signature,
            parts[0] + "." + parts[1] + "." + spelledOtherwise, parts[0] + "." + parts[1] + "." + signature + "==",
            parts[0] + "." + parts[1] + "." + signature.dropLast() + "+",
        ] {
            #expect(throws: JOSEError.malformed, "\(wrong)") { try verify(wrong) }
        }
    }

    @Test("Signed, but not what it should be", arguments: ["", "[]", "null", "{}", #"{"text":1}"#, "{"])
    func payload(_ payload: String) {
        #expect(throws: JOSEError.malformed) { try verify(Signer.token(header, payload)) }
    }

    @Test func nothingBeyondTheLongest() {
        func token(_ length: Int) -> String {
            Signer.token(header, #"{"text":"\#(String(repeating: "a", count: length))"}"#)
        }
        let overhead = token(0).utf8.count
        let fits = (JWS.maximumSize - overhead) * 3 / 4 - 3
        #expect(token(fits).utf8.count <= JWS.maximumSize)
        #expect(throws: Never.self) { try verify(token(fits)) }
        #expect(throws: JOSEError.malformed) { try verify(token(fits + 8)) }
        #expect(throws: JOSEError.malformed) { try verify(String(repeating: ".", count: 1 << 20)) }
    }

    /// The signature is looked at before the payload: what a stranger wrote is never parsed.
    @Test func theSignatureComesBeforeThePayload() {
        let parts = Signer.token(header, "{").split(separator: ".")
        let unsigned = parts[0] + "." + parts[1] + "." + Base64.url.encode([UInt8](repeating: 0, count: 64))
        #expect(throws: JOSEError.badSignature) { try verify(String(unsigned)) }
    }
}
