import FoundationEssentials

/// Keys of a prime curve as other programs' files have them, in DER.
extension ECKey {
    /// id-ecPublicKey, 1.2.840.10045.2.1.
    private static let algorithm: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

    /// A public key from a SubjectPublicKeyInfo (RFC 5480, section 2).
    ///
    /// - Throws: `invalidParameter` for anything else, another curve, and what is no point of it.
    convenience init(_ domain: CurveDomain, subjectPublicKeyInfo der: Span<UInt8>) throws(CryptoKitError) {
        var whole = DERReader(der)
        var info = try whole.elements()
        try whole.finish()
        try ECKey.readAlgorithm(&info, domain)
        let point = try info.bits()
        try info.finish()
        try self.init(domain, point: point)
    }

    /// The key's point as a SubjectPublicKeyInfo (RFC 5480, section 2).
    var subjectPublicKeyInfo: Data {
        let curve = domain.objectIdentifier
        let identifiers =
            [DERReader.Tag.objectIdentifier, UInt8(ECKey.algorithm.count)] + ECKey.algorithm
            + [DERReader.Tag.objectIdentifier, UInt8(curve.count)] + curve
        let algorithm = [DERReader.Tag.sequence, UInt8(identifiers.count)] + identifiers
        let bits = ECKey.head(DERReader.Tag.bitString, 1 + uncompressed.count) + [0] + uncompressed
        return Data(ECKey.head(DERReader.Tag.sequence, algorithm.count + bits.count) + algorithm + bits)
    }

    /// A private key from a PrivateKeyInfo (PKCS #8; RFC 5958, section 2) or an ECPrivateKey (RFC 5915, section 3).
    ///
    /// - Throws: `invalidParameter` for anything else, another curve, and a public key in it that is not the scalar's.
    static func pair(_ domain: CurveDomain, der: Span<UInt8>) throws(CryptoKitError) -> (ECKey, SecretStorage) {
        var whole = DERReader(der)
        var info = try whole.elements()
        try whole.finish()
        let version = try info.content(DERReader.Tag.integer)
        guard version.count == 1 else { throw .invalidParameter }
        if info.comes(DERReader.Tag.octetString) {
            guard version[0] == 1 else { throw .invalidParameter }
            return try pair(domain, &info, isNamed: false)
        }
        guard version[0] <= 1 else { throw .invalidParameter }
        try readAlgorithm(&info, domain)
        var wrapped = DERReader(try info.content(DERReader.Tag.octetString))
        var key = try wrapped.elements()
        try wrapped.finish()
        try key.expect(DERReader.Tag.integer, [1])
        let pair = try pair(domain, &key, isNamed: true)
        if info.comes(DERReader.Tag.explicit(0)) { _ = try info.content(DERReader.Tag.explicit(0)) }  // attributes
        if version[0] == 1 { try pair.0.check(try info.bits(DERReader.Tag.implicit(1))) }
        try info.finish()
        return pair
    }

    /// What follows the version of an ECPrivateKey.
    ///
    /// - Parameter isNamed: whether the curve is known from what stands around it.
    private static func pair(
        _ domain: CurveDomain,
        _ key: inout DERReader,
        isNamed: Bool
    ) throws(CryptoKitError) -> (ECKey, SecretStorage) {
        let scalar = SecretBytes(copying: try key.content(DERReader.Tag.octetString))
        guard scalar.count == domain.size else { throw .invalidParameter }
        if !isNamed || key.comes(DERReader.Tag.explicit(0)) {
            var parameters = try key.elements(DERReader.Tag.explicit(0))
            try parameters.expect(DERReader.Tag.objectIdentifier, domain.objectIdentifier)
            try parameters.finish()
        }
        let storage = SecretStorage(scalar)
        let made = try ECKey(domain, scalar: storage)
        if key.comes(DERReader.Tag.explicit(1)) {
            var field = try key.elements(DERReader.Tag.explicit(1))
            try made.check(try field.bits())
            try field.finish()
        }
        try key.finish()
        return (made, storage)
    }

    private static func readAlgorithm(_ info: inout DERReader, _ domain: CurveDomain) throws(CryptoKitError) {
        var identifier = try info.elements()
        try identifier.expect(DERReader.Tag.objectIdentifier, algorithm)
        // Parameters that spell a curve out are refused: they may spell another one than they seem to.
        try identifier.expect(DERReader.Tag.objectIdentifier, domain.objectIdentifier)
        try identifier.finish()
    }

    /// Throws unless the point is this key's.
    private func check(_ point: Span<UInt8>) throws(CryptoKitError) {
        guard try domain.point(point).uncompressed == uncompressed else { throw .invalidParameter }
    }

    private static func head(_ tag: UInt8, _ count: Int) -> [UInt8] {
        count < 0x80 ? [tag, UInt8(count)] : [tag, 0x81, UInt8(count)]
    }
}
