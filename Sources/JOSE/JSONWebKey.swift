import FoundationEssentials
import MildamCrypto
import MildamWire

/// A public key of P-256 for signatures, as a JSON Web Key (RFC 7517; RFC 7518, section 6.2).
public struct JSONWebKey: Hashable, Sendable {
    /// The key.
    public let publicKey: P256.Signing.PublicKey

    /// A key to be written.
    public init(_ publicKey: P256.Signing.PublicKey) {
        self.publicKey = publicKey
    }

    /// The required members in the order of their names and without spaces, as the thumbprint has them.
    public var json: String {
        let coordinates = publicKey.rawRepresentation
        let (x, y) = (Base64.url.encode(coordinates.prefix(32)), Base64.url.encode(coordinates.suffix(32)))
        return #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
    }

    /// SHA-256 of ``json`` in base64url, 43 characters (RFC 7638, section 3): the `jkt` of RFC 9449.
    public var thumbprint: String { Base64.url.encode(Array(SHA256.hash(data: Array(json.utf8)))) }
}

extension JSONWebKey {
    /// The coordinates, X ‖ Y, 64 bytes: they are no key until they are found to be a point.
    ///
    /// - Throws: `malformed`; `unexpectedHeader` for another kind of key, and for one with a private part.
    static func coordinates(_ node: JSONNode, in text: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        func member(_ name: String) -> String? { node[name]?.string(in: text) }
        guard node.members != nil else { throw .malformed }
        guard member("kty") == "EC", member("crv") == "P-256", node["d"] == nil else { throw .unexpectedHeader }
        guard let x = member("x").flatMap({ try? Base64.url.decode($0) }), x.count == 32,
            let y = member("y").flatMap({ try? Base64.url.decode($0) }), y.count == 32
        else { throw .malformed }
        return x + y
    }
}
