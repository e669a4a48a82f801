import FoundationEssentials
import MildamCrypto
import MildamWire

/// The compact serialisation of a JSON Web Signature (RFC 7515, section 7.1) with EdDSA over Ed25519 (RFC 8037), and no other algorithm.
public enum JWS {
    /// The longest token that is looked at, in bytes.
    public static let maximumSize = 4096

    /// The header of the tokens made here.
    struct Header: Codable, Equatable {
        var alg: String
        var typ: String
        var kid: String
        /// Extensions that must be understood (RFC 7515, section 4.1.11); none is.
        var crit: [String]?
    }

    /// Signs a payload.
    ///
    /// - Parameters:
    ///   - type: the `typ` header, as in `at+jwt`.
    ///   - keyID: the `kid` header.
    public static func sign(
        _ payload: some Encodable,
        type: String,
        keyID: String,
        by key: Curve25519.Signing.PrivateKey
    ) throws(JOSEError) -> String {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let header = try encoder.encode(Header(alg: "EdDSA", typ: type, kid: keyID))
            let signed = Base64.url.encode(header) + "." + Base64.url.encode(try encoder.encode(payload))
            return signed + "." + Base64.url.encode(key.signature(for: Array(signed.utf8)))
        } catch {
            throw .unwritable
        }
    }

    /// Verifies a token and reads its payload, in this order: shape, header, signature, JSON.
    ///
    /// - Parameter key: the key of a `kid`, or `nil` when there is none.
    public static func verify<Payload: Decodable>(
        _ token: String,
        type: String,
        as payload: Payload.Type = Payload.self,
        key: (String) -> Curve25519.Signing.PublicKey?
    ) throws(JOSEError) -> Payload {
        // Beyond ASCII there is nothing in a token; characters of any length are not to be compared.
        guard token.utf8.count <= maximumSize, token.utf8.allSatisfy({ $0 < 0x80 }) else { throw .malformed }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed }
        let header: Header
        let signature: [UInt8]
        do {
            let json = try Base64.url.decode(parts[0])
            guard json.span.isNearlyASCII else { throw JOSEError.malformed }
            header = try JSONDecoder().decode(Header.self, from: Data(json))
            signature = try Base64.url.decode(parts[2])
        } catch {
            throw .malformed
        }
        guard header.alg == "EdDSA", header.typ == type, header.crit == nil else { throw .unexpectedHeader }
        guard let key = key(header.kid) else { throw .unknownKey }
        guard key.isValidSignature(signature, for: Array((parts[0] + "." + parts[1]).utf8)) else {
            throw .badSignature
        }
        do {
            return try JSONDecoder().decode(Payload.self, from: Data(Base64.url.decode(parts[1])))
        } catch {
            throw .malformed
        }
    }
}
