import FoundationEssentials

/// The forms in which keys of P-256 come.
extension P256Key {
    /// A public key from a point's encoding of one given size.
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
    convenience init(point: some ContiguousBytes, size: Int) throws(CryptoKitError) {
        let encoding = unsafe point.withUnsafeBytes { unsafe Array($0) }
        guard encoding.count == size else { throw .incorrectKeySize }
        try self.init(encoding: encoding)
    }

    /// A public key from X ‖ Y.
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` for what is no point of the curve.
    convenience init(raw: some ContiguousBytes) throws(CryptoKitError) {
        let coordinates = unsafe raw.withUnsafeBytes { unsafe Array($0) }
        guard coordinates.count == 2 * P256Curve.size else { throw .incorrectKeySize }
        try self.init(encoding: [4] + coordinates)
    }

    private convenience init(encoding: [UInt8]) throws(CryptoKitError) {
        try self.init(point: encoding.span)
    }

    /// A private key from its scalar.
    convenience init(scalar: SecretStorage) throws(CryptoKitError) {
        try self.init(scalar: scalar.bytes)
    }

    /// A private key from 0x04 ‖ X ‖ Y ‖ scalar.
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` when the point is not the scalar's.
    static func pair(x963 whole: consuming SecretBytes) throws(CryptoKitError) -> (P256Key, SecretStorage) {
        guard whole.count == 65 + P256Curve.size else { throw .incorrectKeySize }
        let scalar = unsafe whole.withUnsafeBytes { whole in
            unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: whole[65...]))
        }
        let storage = SecretStorage(scalar)
        let key = try P256Key(scalar: storage)
        let point = unsafe whole.withUnsafeBytes { unsafe Data($0[..<65]) }
        guard key.uncompressed == point else { throw .invalidParameter }
        return (key, storage)
    }

    /// A random private key: scalars are drawn until one is in range (FIPS 186-5, appendix A.2.2).
    static func random() -> (P256Key, SecretStorage) {
        while true {
            let storage = SecretStorage(SecretBytes.random(count: P256Curve.size))
            // One in 2³² is out of range.
            if let key = try? P256Key(scalar: storage) { return (key, storage) }
        }
    }
}
