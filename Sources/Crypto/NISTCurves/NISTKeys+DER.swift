import FoundationEssentials

extension NISTPublicKey {
    /// A key from a SubjectPublicKeyInfo in DER (RFC 5480, section 2): what stands in "PUBLIC KEY" of a PEM file.
    ///
    /// - Throws: `invalidParameter` for anything else, a key of another curve, and what is no point of this one.
    public init(derRepresentation: Span<UInt8>) throws(CryptoKitError) {
        key = try ECKey(Curve.domain, subjectPublicKeyInfo: derRepresentation)
    }

    /// The SubjectPublicKeyInfo in DER (RFC 5480, section 2): 91, 120 or 158 bytes.
    public var derRepresentation: Data { key.subjectPublicKeyInfo }
}

extension NISTPrivateKey {
    /// A key from a PrivateKeyInfo (PKCS #8; RFC 5958, section 2) or an ECPrivateKey (RFC 5915, section 3) in DER: what
    /// stands in "PRIVATE KEY" or "EC PRIVATE KEY" of a PEM file. The scalar is copied.
    ///
    /// - Throws: `invalidParameter` for anything else, a key of another curve, and a public key in it that is not the
    ///   scalar's.
    public init(derRepresentation: Span<UInt8>) throws(CryptoKitError) {
        (key, storage) = try ECKey.pair(Curve.domain, der: derRepresentation)
    }
}
