import FoundationEssentials

/// The forms in which keys of a prime curve come.
extension ECKey {
    /// A public key from a point's encoding of one given size.
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
    convenience init(_ domain: CurveDomain, point: some ContiguousBytes, size: Int) throws(CryptoKitError) {
        let encoding = unsafe point.withUnsafeBytes { unsafe Array($0) }
        guard encoding.count == size else { throw .incorrectKeySize }
        try self.init(domain, encoding: encoding)
    }

    /// A public key from X ‖ Y.
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
    convenience init(_ domain: CurveDomain, raw: some ContiguousBytes) throws(CryptoKitError) {
        let coordinates = unsafe raw.withUnsafeBytes { unsafe Array($0) }
        guard coordinates.count == 2 * domain.size else { throw .incorrectKeySize }
        try self.init(domain, encoding: [4] + coordinates)
    }

    private convenience init(_ domain: CurveDomain, encoding: [UInt8]) throws(CryptoKitError) {
        try self.init(domain, point: encoding.span)
    }

    /// A private key from its scalar.
    convenience init(_ domain: CurveDomain, scalar: SecretStorage) throws(CryptoKitError) {
        try self.init(domain, scalar: scalar.bytes)
    }

    /// A private key from 0x04 ‖ X ‖ Y ‖ scalar.
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` when the point is not the scalar's.
    static func pair(
        _ domain: CurveDomain,
        x963 whole: consuming SecretBytes
    ) throws(CryptoKitError) -> (ECKey, SecretStorage) {
        let pointSize = domain.uncompressedSize
        guard whole.count == pointSize + domain.size else { throw .incorrectKeySize }
        let scalar = unsafe whole.withUnsafeBytes { whole in
            unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: whole[pointSize...]))
        }
        let storage = SecretStorage(scalar)
        let key = try ECKey(domain, scalar: storage)
        let point = unsafe whole.withUnsafeBytes { unsafe Data($0[..<pointSize]) }
        guard key.uncompressed == point else { throw .invalidParameter }
        return (key, storage)
    }

    /// A random private key: scalars of the order's length are drawn until one is in range (FIPS 186-5, appendix A.2.2).
    static func random(_ domain: CurveDomain) -> (ECKey, SecretStorage) {
        while true {
            let scalar = unsafe SecretBytes(count: domain.size) { scalar in
                unsafe SecureRandom.fill(scalar)
                unsafe scalar[0] &= domain.firstByteMask
            }
            let storage = SecretStorage(scalar)
            // Of P-256, one in 2³² is out of range; of the others, fewer.
            if let key = try? ECKey(domain, scalar: storage) { return (key, storage) }
        }
    }
}
