/// RSA encryption with OAEP (RFC 8017, section 7.1), its hash and its mask by SHA-256. libcrypto does all of the arithmetic.
public enum RSA {
    /// The sizes of a modulus that are taken, in bits.
    public static let modulusSizes = 2048...16_384

    /// What OAEP adds to a message: two hashes and two bytes.
    static let overhead = 2 * 32 + 2

    /// The digits of a positive number that is written as an ASN.1 INTEGER or an SSH mpint: the fewest bytes, the highest
    /// bit clear.
    ///
    /// - Throws: `invalidParameter` for another number, and for another way to write it.
    static func digits(of number: Span<UInt8>) throws(CryptoKitError) -> Range<Int> {
        guard number.count > 0, number[0] < 0x80 else { throw .invalidParameter }
        guard number[0] == 0 else { return 0..<number.count }
        guard number.count > 1, number[1] >= 0x80 else { throw .invalidParameter }
        return 1..<number.count
    }
}
