import FoundationEssentials
import MildamCrypto
import MildamWire

/// A proof that whoever sends a request has a key (RFC 9449): its signature verified under the key that it names. That it
/// is for this request, of now and new is for ``check(_:at:nonces:)`` and ``ProofMemory``.
public struct DPoPProof: Sendable {
    /// The `typ` header.
    public static let type = "dpop+jwt"
    /// The longest proof that is looked at, in bytes.
    public static let maximumSize = 4096
    /// How many seconds a proof may be older or newer than the verifier's clock.
    public static let window: Int64 = 60

    /// The key that signed.
    public let key: JSONWebKey
    /// The thumbprint of ``key``.
    public let thumbprint: String
    /// The `jti`: what tells this proof from the key's others.
    public let identifier: String
    let claims: Claims

    /// What a proof says.
    struct Claims: Sendable {
        var method: String
        var url: ProofURL
        var issued: Int64
        var tokenDigest: String?
        var nonce: String?
    }

    /// SHA-256 of an access token in base64url, 43 characters: the `ath` claim.
    static func digest(of accessToken: String) -> String {
        Base64.url.encode(Array(SHA256.hash(data: Array(accessToken.utf8))))
    }
}

extension DPoPProof {
    /// A proof as it came: nothing in it is believed.
    struct Unverified {
        let coordinates: [UInt8]
        let identifier: String
        let claims: Claims
        private let digest: SHA256Digest
        private let signature: [UInt8]

        private static let longestIdentifier = 256

        /// Reads a proof.
        ///
        /// - Throws: `malformed`.
        init(_ text: Span<UInt8>) throws(DPoPError) {
            guard text.count <= maximumSize, let dots = Self.dots(text) else { throw .malformed }
            let (header, payload): ([UInt8], [UInt8])
            do throws(WireError) {
                header = try Base64.url.decode(ascii: text.extracting(..<dots.first))
                payload = try Base64.url.decode(ascii: text.extracting(dots.first + 1..<dots.second))
                signature = try Base64.url.decode(ascii: text.extracting((dots.second + 1)...))
            } catch {
                throw .malformed
            }
            guard header.span.isNearlyASCII, payload.span.isNearlyASCII else { throw .malformed }
            coordinates = try Self.coordinates(header.span)
            (identifier, claims) = try Self.claims(payload.span)
            guard signature.count == 64 else { throw .malformed }
            var hash = SHA256()
            unsafe text.extracting(..<dots.second).withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
            digest = hash.finalize()
        }

        /// The proof, once its signature was found to be its key's.
        ///
        /// - Parameter known: a key that was seen before; it is not read anew where it is the same.
        /// - Throws: `malformed` where the key is no point of the curve; `badSignature`.
        func verified(knowing known: JSONWebKey? = nil) throws(DPoPError) -> DPoPProof {
            let key: JSONWebKey
            if let known, known.publicKey.rawRepresentation.elementsEqual(coordinates) {
                key = known
            } else {
                guard let point = try? P256.Signing.PublicKey(rawRepresentation: coordinates) else { throw .malformed }
                key = JSONWebKey(point)
            }
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
                key.publicKey.isValidSignature(signature, for: digest)
            else { throw .badSignature }
            return DPoPProof(key: key, thumbprint: key.thumbprint, identifier: identifier, claims: claims)
        }

        /// Where the two dots are; `nil` where there are not two.
        private static func dots(_ text: Span<UInt8>) -> (first: Int, second: Int)? {
            let places = text.indices.filter { text[$0] == UInt8(ascii: ".") }
            return places.count == 2 ? (places[0], places[1]) : nil
        }

        private static func coordinates(_ header: Span<UInt8>) throws(DPoPError) -> [UInt8] {
            guard let node = try? JSONReader.read(header), node["typ"]?.string(in: header) == type,
                node["alg"]?.string(in: header) == "ES256", node.members?["crit"] == nil, let jwk = node["jwk"],
                let coordinates = try? JSONWebKey.coordinates(jwk, in: header)
            else { throw .malformed }
            return coordinates
        }

        private static func claims(_ payload: Span<UInt8>) throws(DPoPError) -> (String, Claims) {
            guard let node = try? JSONReader.read(payload), let method = node["htm"]?.string(in: payload),
                let url = node["htu"]?.string(in: payload).flatMap({ ProofURL($0) }),
                let issued = node["iat"]?.integer(in: payload), let identifier = node["jti"]?.string(in: payload),
                (1...longestIdentifier).contains(identifier.utf8.count)
            else { throw .malformed }
            let (digest, nonce) = (node["ath"]?.string(in: payload), node["nonce"]?.string(in: payload))
            guard (node["ath"] == nil) == (digest == nil), (node["nonce"] == nil) == (nonce == nil) else {
                throw .malformed
            }
            return (identifier, Claims(method: method, url: url, issued: issued, tokenDigest: digest, nonce: nonce))
        }
    }

    /// Reads a proof and verifies its signature.
    ///
    /// - Parameters:
    ///   - text: the value of the `DPoP` field.
    ///   - known: a key that this sender is known by, which saves reading it anew.
    /// - Throws: `malformed`; `badSignature`.
    public init(verifying text: Span<UInt8>, knowing known: JSONWebKey? = nil) throws(DPoPError) {
        self = try Unverified(text).verified(knowing: known)
    }
}
