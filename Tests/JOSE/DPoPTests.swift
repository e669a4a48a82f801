import Foundation
import MildamCrypto
import MildamWire
import Testing

@testable import MildamJOSE

@Suite("RFC 9449: proofs of possession")
struct DPoPTests {
    private static let key = P256.Signing.PrivateKey()
    private static let url = "https://relay.example/v1/rooms"
    private let nonces = DPoPNonces(key: SymmetricKey(size: .bits256))
    private let now: Int64 = 1_800_000_000

    private func proof(
        _ method: String = "GET",
        _ url: String = Self.url,
        token: String? = "token",
        nonce: String? = nil,
        identifier: String = "1",
        at time: Int64? = nil
    ) throws -> String {
        let draft = try DPoPDraft(
            method: method,
            url: url,
            accessToken: token,
            nonce: nonce,
            identifier: identifier,
            at: time ?? now,
            key: JSONWebKey(Self.key.publicKey)
        )
        return draft.signed(try Self.key.signature(for: draft.digest))
    }

    private func read(_ text: String, knowing key: JSONWebKey? = nil) throws(DPoPError) -> DPoPProof {
        try DPoPProof(verifying: Array(text.utf8).span, knowing: key)
    }

    private func request(_ token: String? = "token", needsNonce: Bool = false) -> DPoPProof.Request {
        DPoPProof.Request(
            method: "GET",
            path: "/v1/rooms",
            origins: .these(["https://relay.example", "https://other.example"]),
            accessToken: token,
            needsNonce: needsNonce
        )
    }

    // MARK: What the RFC prints

    @Test("Section 4.1: the RFC's proof, and what it is for")
    func theProofOfTheRFC() throws {
        let proof = try read(RFC9449.tokenRequest)
        #expect(proof.thumbprint == RFC9449.thumbprint && proof.identifier == "-BwC3ESc6acc2lTc")
        let request = DPoPProof.Request(
            method: "POST",
            path: "/token",
            origins: .these(["https://server.example.com"])
        )
        #expect(throws: Never.self) { try proof.check(request, at: 1_562_262_616, nonces: nonces) }
        #expect(throws: DPoPError.notOfNow) { try proof.check(request, at: now, nonces: nonces) }
    }

    @Test("Section 7.1: the digest of an access token")
    func theDigestOfTheRFC() {
        #expect(DPoPProof.digest(of: RFC9449.accessToken) == RFC9449.accessTokenDigest)
    }

    // MARK: Reading

    @Test("One with much beyond ASCII is not read")
    func foreign() throws {
        let few = try proof(identifier: String(repeating: "é", count: 32))
        #expect(throws: Never.self) { try read(few) }
        let many = try proof(identifier: String(repeating: "é", count: 65))
        #expect(throws: DPoPError.malformed) { try read(many) }
    }

    @Test func roundTrip() throws {
        let proof = try read(proof())
        #expect(proof.key.publicKey == Self.key.publicKey && proof.thumbprint == proof.key.thumbprint)
        #expect(throws: Never.self) { try proof.check(request(), at: now, nonces: nonces) }
        let again = try read(self.proof(), knowing: JSONWebKey(P256.Signing.PrivateKey().publicKey))
        #expect(again.key == proof.key, "a key that is known does not take another's place")
        #expect(try read(self.proof(), knowing: proof.key).key == proof.key)
    }

    @Test func cutAtEveryByte() throws {
        let text = try proof()
        for count in 0..<text.utf8.count {
            #expect(throws: DPoPError.self, "\(count)") { try read(String(text.prefix(count))) }
        }
    }

    @Test func oneBitFlipped() throws {
        let bytes = Array(try proof().utf8)
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(throws: DPoPError.self, "bit \(bit) of byte \(index)") {
                    try DPoPProof(verifying: changed.span)
                }
            }
        }
    }

    private func signed(_ header: String, _ payload: String) throws -> String {
        let input = Base64.url.encode(Array(header.utf8)) + "." + Base64.url.encode(Array(payload.utf8))
        let signature = try Self.key.signature(for: Array(input.utf8))
        return input + "." + Base64.url.encode(signature.rawRepresentation)
    }

    private static let jwk = JSONWebKey(key.publicKey).json
    private static let goodPayload = #"{"htm":"GET","htu":"https://relay.example/v1/rooms","iat":1800000000,"jti":"1"}"#

    @Test(
        "Headers of a proof that is rightly signed, and refused",
        arguments: [
            #"{"alg":"none","jwk":\#(jwk),"typ":"dpop+jwt"}"#, #"{"alg":"HS256","jwk":\#(jwk),"typ":"dpop+jwt"}"#,
            #"{"alg":"ES256","jwk":\#(jwk),"typ":"at+jwt"}"#, #"{"alg":"ES256","jwk":\#(jwk)}"#,
            #"{"alg":"ES256","typ":"dpop+jwt"}"#, #"{"alg":"ES256","crit":["x"],"jwk":\#(jwk),"typ":"dpop+jwt"}"#,
            #"{"alg":"ES256","crit":null,"jwk":\#(jwk),"typ":"dpop+jwt"}"#,
            #"{"alg":"ES256","alg":"ES256","jwk":\#(jwk),"typ":"dpop+jwt"}"#,
            #"{"alg":"ES256","jwk":"\#(jwk.count)","typ":"dpop+jwt"}"#, "[]", "",
        ]
    )
    func headers(_ header: String) throws {
        #expect(throws: DPoPError.malformed) { try read(signed(header, Self.goodPayload)) }
    }

    @Test(
        "Claims that are missing, or of another type",
        arguments: [
            (#""htm":"GET","#, ""), (#""htm":"GET""#, #""htm":1"#), (#""jti":"1""#, #""jti":"""#),
            (#""jti":"1""#, #""jti":1"#), (#","jti":"1""#, ""), (#""iat":1800000000,"#, ""),
            ("1800000000", #""1800000000""#), ("1800000000", "1800000000.5"), ("1800000000", "1e9"),
            ("https://relay.example/v1/rooms", "relay.example"), ("https:", "ftp:"), ("//relay", "//me@relay"),
            (#""jti""#, #""ath":1,"jti""#), (#""jti""#, #""nonce":{},"jti""#), (#""jti""#, #""iat":1800000000,"jti""#),
            (#""jti":"1""#, #""jti":"\#(String(repeating: "j", count: 257))""#),
        ]
    )
    func claims(_ there: String, _ instead: String) throws {
        let header = #"{"alg":"ES256","jwk":\#(Self.jwk),"typ":"dpop+jwt"}"#
        #expect(try read(signed(header, Self.goodPayload)).identifier == "1")
        #expect(throws: DPoPError.malformed, "\(instead)") {
            try read(signed(header, Self.goodPayload.replacing(there, with: instead)))
        }
    }

    @Test func anothersSignature() throws {
        let other = P256.Signing.PrivateKey()
        let parts = try proof().split(separator: ".")
        let input = parts[0] + "." + parts[1]
        let signature = Base64.url.encode(try other.signature(for: Array(input.utf8)).rawRepresentation)
        #expect(throws: DPoPError.badSignature) { try read(input + "." + signature) }
        let known = JSONWebKey(other.publicKey)
        #expect(throws: DPoPError.badSignature) { try read(input + "." + signature, knowing: known) }
    }

    @Test func aPointThatIsNotOnTheCurve() throws {
        let jwk =
            #"{"crv":"P-256","kty":"EC","x":"\#(Base64.url.encode(Data(count: 32)))","#
            + #""y":"\#(Base64.url.encode(Data(count: 32)))"}"#
        let text = try signed(#"{"alg":"ES256","jwk":\#(jwk),"typ":"dpop+jwt"}"#, Self.goodPayload)
        #expect(throws: DPoPError.malformed) { try read(text) }
    }

    // MARK: What it is for

    @Test func forThisRequestOnly() throws {
        #expect(throws: DPoPError.otherRequest) { try read(proof("POST")).check(request(), at: now, nonces: nonces) }
        #expect(throws: DPoPError.otherRequest) { try read(proof("get")).check(request(), at: now, nonces: nonces) }
        for url in ["https://relay.example/v1/room", "http://relay.example/v1/rooms", "https://evil.example/v1/rooms"] {
            #expect(throws: DPoPError.otherRequest) {
                try read(proof("GET", url)).check(request(), at: now, nonces: nonces)
            }
        }
        for url in ["https://other.example/v1/rooms", "HTTPS://Relay.Example:443/v1/rooms?from=3#top"] {
            #expect(throws: Never.self) { try read(proof("GET", url)).check(request(), at: now, nonces: nonces) }
        }
    }

    @Test func forThisTokenOnly() throws {
        #expect(throws: DPoPError.otherToken) { try read(proof()).check(request("other"), at: now, nonces: nonces) }
        #expect(throws: DPoPError.otherToken) { try read(proof()).check(request(nil), at: now, nonces: nonces) }
        #expect(throws: DPoPError.otherToken) {
            try read(proof(token: nil)).check(request(), at: now, nonces: nonces)
        }
    }

    @Test("60 seconds before and after, by the verifier's clock", arguments: [-60, 0, 60])
    func ofNow(_ age: Int64) throws {
        let proof = try read(proof())
        #expect(throws: Never.self) { try proof.check(request(), at: now + age, nonces: nonces) }
    }

    @Test("A second more is too much, and nothing overflows", arguments: [-61, 61, 1_000_000, .min])
    func notOfNow(_ age: Int64) throws {
        let proof = try read(proof(at: age == .min ? .min : nil))
        #expect(throws: DPoPError.notOfNow) {
            try proof.check(request(), at: age == .min ? now : now + age, nonces: nonces)
        }
    }

    // MARK: Nonces

    @Test("With a nonce of the verifier's, the sender's clock may show what it likes")
    func aNonceIsTheClock() throws {
        let nonce = nonces.nonce(at: now)
        let proof = try read(proof(nonce: nonce, at: now - 86_400))
        for age in [Int64(-5), 0, 60] {
            #expect(throws: Never.self) { try proof.check(request(needsNonce: true), at: now + age, nonces: nonces) }
        }
        for age in [Int64(-6), 61, 86_400] {
            #expect(throws: DPoPError.wrongNonce) { try proof.check(request(), at: now + age, nonces: nonces) }
        }
    }

    @Test func noncesThatAreNotTheVerifiers() throws {
        let foreign = DPoPNonces(key: SymmetricKey(size: .bits256)).nonce(at: now)
        let genuine = nonces.nonce(at: now)
        var nonces = [foreign, "", "x", genuine + "A", String(genuine.dropLast()), String(repeating: "é", count: 16)]
        for index in genuine.indices {
            let other: Character = genuine[index] == "A" ? "B" : "A"
            nonces.append(genuine[..<index] + String(other) + genuine[genuine.index(after: index)...])
        }
        for nonce in nonces {
            #expect(throws: DPoPError.wrongNonce, "\(nonce)") {
                try read(proof(nonce: nonce)).check(request(), at: now, nonces: self.nonces)
            }
        }
        #expect(throws: DPoPError.nonceNeeded) {
            try read(proof()).check(request(needsNonce: true), at: now, nonces: self.nonces)
        }
    }

    // MARK: Once

    @Test func aProofIsTakenOnce() throws {
        var memory = ProofMemory()
        let (first, second) = (try read(proof()), try read(proof(identifier: "2")))
        try memory.take(first, at: 1000)
        try memory.take(second, at: 1000)
        for now in [1000, 1119, 1120] as [Int64] {
            #expect(throws: DPoPError.repeated) { try memory.take(first, at: now) }
        }
        #expect(throws: Never.self, "it could not be shown any more") { try memory.take(first, at: 1240) }
    }

    @Test("However the halves fall, a proof is remembered for as long as it is good", arguments: [0, 1, 59, 119])
    func itIsRememberedLongEnough(_ offset: Int64) throws {
        var memory = ProofMemory()
        try memory.take(try read(proof(identifier: "before")), at: 1000)
        let text = try read(proof())
        try memory.take(text, at: 1000 + offset)
        for age in Int64(0)...ProofMemory.term {
            #expect(throws: DPoPError.repeated) { try memory.take(text, at: 1000 + offset + age) }
        }
    }

    @Test func moreThanItHolds() throws {
        var memory = ProofMemory(capacity: 3)
        for number in 0..<3 { try memory.take(try read(proof(identifier: "\(number)")), at: 1000) }
        let one = try read(proof(identifier: "more"))
        #expect(throws: DPoPError.tooMany) { try memory.take(one, at: 1119) }
        #expect(throws: Never.self) { try memory.take(one, at: 1120) }
        #expect(throws: DPoPError.repeated, "what came before is still there") {
            try memory.take(try read(proof(identifier: "0")), at: 1121)
        }
    }
}
