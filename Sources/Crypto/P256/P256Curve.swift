import CLibCrypto
import FoundationEssentials
import Glibc

/// Points and scalars of P-256 in libcrypto's hands.
@safe
struct P256Curve: @unchecked Sendable {  // an EC_GROUP is not changed after it was made
    private let group: OpaquePointer

    static let shared = P256Curve()
    /// The size of a coordinate and of a scalar in bytes.
    static let size = 32

    private init() {
        guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
            LibCrypto.unavailable("the curve P-256")
        }
        unsafe self.group = group
    }

    /// The point of an encoding (SEC 1, section 2.3.4) in both forms: 65 bytes, and 33 compressed.
    ///
    /// - Throws: `invalidParameter` for what is no point of the curve, the point at infinity among it.
    func point(
        _ encoding: Span<UInt8>
    ) throws(CryptoKitError) -> (uncompressed: Data, compressed: Data) {
        guard let point = unsafe EC_POINT_new(group) else { LibCrypto.unavailable("a point of P-256") }
        defer { unsafe EC_POINT_free(point) }
        let decoded = unsafe encoding.withUnsafeBytes { encoding in
            unsafe EC_POINT_oct2point(group, point, encoding.octets, encoding.count, nil) == 1
        }
        guard decoded, unsafe EC_POINT_is_at_infinity(group, point) == 0
        else {
            _ = LibCrypto.lastError()
            throw .invalidParameter
        }
        return unsafe (encode(point, POINT_CONVERSION_UNCOMPRESSED, 65), encode(point, POINT_CONVERSION_COMPRESSED, 33))
    }

    /// The public point of a scalar, in both forms.
    ///
    /// - Throws: `invalidParameter` for a scalar that is zero, or the group's order and above.
    func publicPoint(
        of scalar: Span<UInt8>
    ) throws(CryptoKitError) -> (uncompressed: Data, compressed: Data) {
        guard let point = unsafe EC_POINT_new(group),
            let number = unsafe BN_secure_new()
        else { LibCrypto.unavailable("a point of P-256") }
        defer {
            unsafe EC_POINT_free(point)
            unsafe BN_clear_free(number)
        }
        unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
        let read = unsafe scalar.withUnsafeBytes { scalar in
            unsafe BN_bin2bn(scalar.octets, Int32(scalar.count), number) != nil
        }
        guard read else {
            LibCrypto.unavailable("a scalar of P-256")
        }
        guard unsafe BN_is_zero(number) == 0, unsafe BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
            throw .invalidParameter
        }
        guard unsafe EC_POINT_mul(group, point, number, nil, nil, nil) == 1 else { throw LibCrypto.lastError() }
        return unsafe (encode(point, POINT_CONVERSION_UNCOMPRESSED, 65), encode(point, POINT_CONVERSION_COMPRESSED, 33))
    }

    private func encode(_ point: OpaquePointer, _ form: point_conversion_form_t, _ size: Int) -> Data {
        var encoding = Data(count: size)
        let written = unsafe encoding.withUnsafeMutableBytes { encoding in
            unsafe EC_POINT_point2oct(group, point, form, encoding.octets, size, nil)
        }
        guard written == size else { LibCrypto.unavailable("a point of P-256") }
        return encoding
    }
}
