import CLibCrypto
import FoundationEssentials

/// The domain parameters of a curve (FIPS 186-5, section 6.1.1) in libcrypto, made once per process: what its points and
/// scalars are. `NISTCurve` types name theirs.
@safe
public struct CurveDomain: @unchecked Sendable {  // EC_GROUP and EVP_PKEY are not changed after they were made
    private let group: OpaquePointer
    /// A key that has parameters and nothing else. To copy it and give it a point takes a quarter of the time in which one
    /// is made by name.
    private let blankKey: OpaquePointer
    /// Its name, NIST's and libcrypto's.
    let name: StaticString
    /// The size of a coordinate and of a scalar in bytes.
    let size: Int
    /// The bits that a scalar's first byte can have: the order of P-521 ends within it.
    let firstByteMask: UInt8
    /// The content of its OBJECT IDENTIFIER in DER (RFC 5480, section 2.1.1.1).
    let objectIdentifier: [UInt8]
    /// The KEM of HPKE over it.
    let kem: HPKE.KEM

    /// The size of 0x04 ‖ X ‖ Y.
    var uncompressedSize: Int { 1 + 2 * size }
    /// The size of 0x02 or 0x03 ‖ X.
    var compressedSize: Int { 1 + size }

    /// A point in both its forms.
    typealias Point = (uncompressed: Data, compressed: Data)

    private init(_ name: StaticString, _ identifier: Int32, _ objectIdentifier: [UInt8], _ kem: HPKE.KEM) {
        guard let group = unsafe EC_GROUP_new_by_curve_name(identifier) else {
            LibCrypto.unavailable("the curve \(name)")
        }
        unsafe self.group = group
        unsafe blankKey = CurveDomain.blankKey(name)
        self.name = name
        self.objectIdentifier = objectIdentifier
        self.kem = kem
        // Of these curves, coordinates and scalars have as many bits.
        let bits = Int(unsafe EC_GROUP_order_bits(group))
        size = (bits + 7) / 8
        firstByteMask = 0xff >> (size * 8 - bits)
    }

    /// 1.2.840.10045.3.1.7.
    static let p256 = CurveDomain(
        "P-256",
        NID_X9_62_prime256v1,
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07],
        .P256_HKDF_SHA256
    )
    /// 1.3.132.0.34.
    static let p384 = CurveDomain("P-384", NID_secp384r1, [0x2B, 0x81, 0x04, 0x00, 0x22], .P384_HKDF_SHA384)
    /// 1.3.132.0.35.
    static let p521 = CurveDomain("P-521", NID_secp521r1, [0x2B, 0x81, 0x04, 0x00, 0x23], .P521_HKDF_SHA512)

    /// The point of an encoding (SEC 1, section 2.3.4): uncompressed or compressed.
    ///
    /// - Throws: `invalidParameter` for what is no point of the curve, or not in one of these two forms.
    func point(_ encoding: Span<UInt8>) throws(CryptoKitError) -> Point {
        // libcrypto would take the point at infinity, and X9.62's hybrid forms 0x06 and 0x07.
        let isKnownForm =
            switch encoding.count {
            case uncompressedSize: encoding[0] == 4
            case compressedSize: encoding[0] == 2 || encoding[0] == 3
            default: false
            }
        guard isKnownForm else { throw .invalidParameter }
        guard let point = unsafe EC_POINT_new(group) else { LibCrypto.unavailable("a point of \(name)") }
        defer { unsafe EC_POINT_free(point) }
        let decoded = unsafe encoding.withUnsafeBytes { encoding in
            unsafe EC_POINT_oct2point(group, point, encoding.octets, encoding.count, nil) == 1
        }
        guard decoded else {
            _ = LibCrypto.lastError()
            throw .invalidParameter
        }
        return unsafe forms(of: point)
    }

    /// libcrypto's key of a checked point; the caller frees it.
    func publicKey(_ point: Data) -> OpaquePointer {
        guard let key = unsafe EVP_PKEY_dup(blankKey) else { LibCrypto.unavailable("a key of \(name)") }
        let made = unsafe point.withUnsafeBytes { point in
            unsafe EVP_PKEY_set1_encoded_public_key(key, point.octets, point.count) == 1
        }
        guard made else { LibCrypto.unavailable("a key of \(name)") }
        return unsafe key
    }

    private static func blankKey(_ name: StaticString) -> OpaquePointer {
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        var parameters = unsafe [OSSL_PARAM.text("group", name), OSSL_PARAM_construct_end()]
        let made = unsafe parameters.withUnsafeMutableBufferPointer { parameters in
            unsafe EVP_PKEY_fromdata_init(context) == 1
                && EVP_PKEY_fromdata(context, &key, MILDAM_PKEY_PARAMETERS, parameters.baseAddress) == 1
        }
        guard made, let key = unsafe key else { LibCrypto.unavailable("the curve \(name)") }
        return unsafe key
    }

    /// The public point of a scalar.
    ///
    /// - Throws: `invalidParameter` for a scalar that is zero, or the group's order and above.
    func publicPoint(of scalar: Span<UInt8>) throws(CryptoKitError) -> Point {
        guard let point = unsafe EC_POINT_new(group),
            let number = unsafe BN_secure_new()
        else { LibCrypto.unavailable("a point of \(name)") }
        defer {
            unsafe EC_POINT_free(point)
            unsafe BN_clear_free(number)
        }
        unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
        let read = unsafe scalar.withUnsafeBytes { scalar in
            unsafe BN_bin2bn(scalar.octets, Int32(scalar.count), number) != nil
        }
        guard read else { LibCrypto.unavailable("a scalar of \(name)") }
        guard unsafe BN_is_zero(number) == 0, unsafe BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
            throw .invalidParameter
        }
        defer { SecretMemory.wipeStack() }  // multiplying on P-521 may leave the key there
        guard unsafe EC_POINT_mul(group, point, number, nil, nil, nil) == 1 else { throw LibCrypto.lastError() }
        return unsafe forms(of: point)
    }

    private func forms(of point: OpaquePointer) -> Point {
        unsafe (
            encode(point, POINT_CONVERSION_UNCOMPRESSED, uncompressedSize),
            encode(point, POINT_CONVERSION_COMPRESSED, compressedSize)
        )
    }

    private func encode(_ point: OpaquePointer, _ form: point_conversion_form_t, _ size: Int) -> Data {
        var encoding = Data(count: size)
        let written = unsafe encoding.withUnsafeMutableBytes { encoding in
            unsafe EC_POINT_point2oct(group, point, form, encoding.octets, size, nil)
        }
        guard written == size else { LibCrypto.unavailable("a point of \(name)") }
        return encoding
    }
}
