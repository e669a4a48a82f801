import FoundationEssentials
import MildamCrypto
import MildamWire

/// A proof of possession that its key has yet to sign (RFC 9449, section 4.2). The key may be one that never leaves a chip,
/// so that signing is left to whoever has it.
public struct DPoPDraft: Sendable {
    /// What is signed.
    public let signingInput: String

    private struct Claims: Encodable {
        var ath: String?
        var htm: String
        var htu: String
        var iat: Int64
        var jti: String
        var nonce: String?
    }

    /// A proof for one request.
    ///
    /// - Parameters:
    ///   - method: as it stands in the request.
    ///   - url: where the request goes; a query and a fragment are left out of the proof.
    ///   - accessToken: what the request carries, if it carries one.
    ///   - nonce: what the server asked for in `DPoP-Nonce`.
    ///   - identifier: something that no other proof of this key has; 16 random bytes in base64url will do.
    ///   - now: seconds since 1970.
    ///   - key: the key that will sign.
    /// - Throws: `malformed` for an address that is none; `unwritable`.
    public init(
        method: String,
        url: String,
        accessToken: String? = nil,
        nonce: String? = nil,
        identifier: String,
        at now: Int64,
        key: JSONWebKey
    ) throws(JOSEError) {
        guard let target = ProofURL(url) else { throw .malformed }
        let claims = Claims(
            ath: accessToken.map(DPoPProof.digest),
            htm: method,
            htu: target.text,
            iat: now,
            jti: identifier,
            nonce: nonce
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let payload = try? encoder.encode(claims) else { throw .unwritable }
        let header = #"{"alg":"ES256","jwk":\#(key.json),"typ":"\#(DPoPProof.type)"}"#
        signingInput = Base64.url.encode(Array(header.utf8)) + "." + Base64.url.encode(payload)
    }

    /// What the key has to sign: ECDSA with SHA-256.
    public var digest: SHA256Digest { SHA256.hash(data: Array(signingInput.utf8)) }

    /// The proof, for the `DPoP` field.
    public func signed(_ signature: P256.Signing.ECDSASignature) -> String {
        signingInput + "." + Base64.url.encode(signature.rawRepresentation)
    }
}
