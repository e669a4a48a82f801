import FoundationEssentials

// The keys that HPKE takes: those of each curve, and those whose KEM is known at run time.

extension NISTPublicKey: HPKEDiffieHellmanPublicKey where Use == ECDH<Curve> {
    /// The key, with its KEM beside it.
    public var hpkeKey: HPKE.PublicKey { HPKE.PublicKey(Curve.domain.kem, [UInt8](key.uncompressed), .nist(key)) }

    /// A key from 0x04 ‖ X ‖ Y: 65, 97 or 133 bytes.
    ///
    /// - Throws: `inconsistentCiphersuiteAndKey` for another curve's KEM; `invalidPublicKey`.
    public init(_ serialization: some ContiguousBytes, kem: HPKE.KEM) throws(HPKE.Errors) {
        guard kem == Curve.domain.kem else { throw .inconsistentCiphersuiteAndKey }
        do throws(CryptoKitError) {
            try self.init(x963Representation: serialization)
        } catch {
            throw .invalidPublicKey
        }
    }
}

extension NISTPrivateKey: HPKEDiffieHellmanPrivateKey where Use == ECDH<Curve> {
    /// The key, with its KEM beside it.
    public var hpkeKey: HPKE.PrivateKey { HPKE.PrivateKey(Curve.domain.kem, key, storage) }
}

extension Curve25519.KeyAgreement.PublicKey: HPKEDiffieHellmanPublicKey {
    /// The key, with its KEM beside it.
    public var hpkeKey: HPKE.PublicKey {
        HPKE.PublicKey(.Curve25519_HKDF_SHA256, [UInt8](rawRepresentation), .curve25519(self))
    }

    /// A key from its 32 bytes.
    ///
    /// - Throws: `inconsistentCiphersuiteAndKey` for another curve's KEM; `invalidPublicKey`.
    public init(_ serialization: some ContiguousBytes, kem: HPKE.KEM) throws(HPKE.Errors) {
        guard kem == .Curve25519_HKDF_SHA256 else { throw .inconsistentCiphersuiteAndKey }
        do throws(CryptoKitError) {
            try self.init(rawRepresentation: serialization)
        } catch {
            throw .invalidPublicKey
        }
    }
}

extension Curve25519.KeyAgreement.PrivateKey: HPKEDiffieHellmanPrivateKey {
    /// The key, with its KEM beside it.
    public var hpkeKey: HPKE.PrivateKey { HPKE.PrivateKey(self) }
}

extension Curve448.KeyAgreement.PublicKey: HPKEDiffieHellmanPublicKey {
    /// The key, with its KEM beside it.
    public var hpkeKey: HPKE.PublicKey {
        HPKE.PublicKey(.Curve448_HKDF_SHA512, [UInt8](rawRepresentation), .curve448(self))
    }

    /// A key from its 56 bytes.
    ///
    /// - Throws: `inconsistentCiphersuiteAndKey` for another curve's KEM; `invalidPublicKey`.
    public init(_ serialization: some ContiguousBytes, kem: HPKE.KEM) throws(HPKE.Errors) {
        guard kem == .Curve448_HKDF_SHA512 else { throw .inconsistentCiphersuiteAndKey }
        do throws(CryptoKitError) {
            try self.init(rawRepresentation: serialization)
        } catch {
            throw .invalidPublicKey
        }
    }
}

extension Curve448.KeyAgreement.PrivateKey: HPKEDiffieHellmanPrivateKey {
    /// The key, with its KEM beside it.
    public var hpkeKey: HPKE.PrivateKey { HPKE.PrivateKey(self) }
}

extension HPKE.PublicKey: HPKEDiffieHellmanPublicKey {
    /// The key itself.
    public var hpkeKey: HPKE.PublicKey { self }

    /// A key as it was sent.
    ///
    /// - Throws: `invalidPublicKey`.
    public init(_ serialization: some ContiguousBytes, kem: HPKE.KEM) throws(HPKE.Errors) {
        try self.init(kem: kem, serialized: serialization)
    }
}

extension HPKE.PrivateKey: HPKEDiffieHellmanPrivateKey {
    /// The key itself.
    public var hpkeKey: HPKE.PrivateKey { self }
}
