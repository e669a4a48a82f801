import FoundationEssentials

/// A public key that HPKE encapsulates to: that of a curve, or one whose KEM is known at run time only.
public protocol HPKEDiffieHellmanPublicKey: Sendable {
    /// The key, with its KEM beside it.
    var hpkeKey: HPKE.PublicKey { get }

    /// A key as it was sent (RFC 9180, section 7.1.1).
    ///
    /// - Throws: `inconsistentCiphersuiteAndKey` for a KEM that this is no key of; `invalidPublicKey`.
    init(_ serialization: some ContiguousBytes, kem: HPKE.KEM) throws(HPKE.Errors)
}

extension HPKEDiffieHellmanPublicKey {
    /// The key as it is sent (RFC 9180, section 7.1.1).
    ///
    /// - Throws: `inconsistentCiphersuiteAndKey` for a KEM that this is no key of.
    public func hpkeRepresentation(kem: HPKE.KEM) throws(HPKE.Errors) -> Data {
        let key = hpkeKey
        guard key.kem == kem else { throw .inconsistentCiphersuiteAndKey }
        return Data(key.serialized)
    }
}

/// A private key that HPKE opens with, or shows a sender by.
public protocol HPKEDiffieHellmanPrivateKey: Sendable {
    /// Its public key.
    associatedtype PublicKey: HPKEDiffieHellmanPublicKey

    /// The public key that belongs to it.
    var publicKey: PublicKey { get }

    /// The key, with its KEM beside it.
    var hpkeKey: HPKE.PrivateKey { get }
}
