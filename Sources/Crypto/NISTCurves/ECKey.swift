import CLibCrypto
import FoundationEssentials

/// A key of a prime curve as libcrypto uses it; freed, and its private part wiped, when the last owner goes.
@safe
final class ECKey: @unchecked Sendable {  // an EVP_PKEY is not changed after it was made; its count is atomic
    let handle: OpaquePointer
    /// 0x04 ‖ X ‖ Y.
    let uncompressed: Data
    /// 0x02 or 0x03 ‖ X.
    let compressed: Data
    let domain: CurveDomain
    /// The public key of a private one, by itself: who keeps it keeps nothing of the private one.
    private let publicHalf: ECKey?

    /// A public key from a point's encoding.
    ///
    /// - Throws: `invalidParameter` for what is no point of the curve.
    convenience init(_ domain: CurveDomain, point encoding: Span<UInt8>) throws(CryptoKitError) {
        self.init(domain, checked: try domain.point(encoding))
    }

    private init(_ domain: CurveDomain, checked point: CurveDomain.Point) {
        self.domain = domain
        (uncompressed, compressed) = point
        unsafe handle = domain.publicKey(uncompressed)
        publicHalf = nil
    }

    /// A private key from its scalar.
    ///
    /// - Throws: `incorrectKeySize`; `invalidParameter` for a scalar that is zero, or the group's order and above.
    init(_ domain: CurveDomain, scalar: borrowing SecretBytes) throws(CryptoKitError) {
        guard scalar.count == domain.size else { throw .incorrectKeySize }
        let point = try domain.publicPoint(of: scalar.span)
        self.domain = domain
        (uncompressed, compressed) = point
        unsafe handle = scalar.withUnsafeBytes { unsafe ECKey.make(domain, point.uncompressed, scalar: $0) }
        publicHalf = ECKey(domain, checked: point)
    }

    deinit {
        unsafe EVP_PKEY_free(handle)
    }

    /// The key without a private part.
    var publicKey: ECKey { publicHalf ?? self }

    /// A context for one operation with this key; the caller frees it.
    func context() -> OpaquePointer {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, handle, nil) else {
            LibCrypto.unavailable("a context for \(domain.name)")
        }
        return unsafe context
    }

    /// libcrypto's key of a checked point and its checked scalar.
    private static func make(
        _ domain: CurveDomain,
        _ point: Data,
        scalar: UnsafeRawBufferPointer
    ) -> OpaquePointer {
        let builder = unsafe OSSL_PARAM_BLD_new()
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        let number = unsafe BN_secure_new()
        var key: OpaquePointer?
        defer {
            unsafe BN_clear_free(number)
            unsafe EVP_PKEY_CTX_free(context)
            unsafe OSSL_PARAM_BLD_free(builder)
        }
        var built =
            unsafe OSSL_PARAM_BLD_push_utf8_string(
                builder,
                ("group" as StaticString).cString,
                domain.name.cString,
                0
            ) == 1
        unsafe point.withUnsafeBytes { point in
            let pushed = unsafe OSSL_PARAM_BLD_push_octet_string(
                builder,
                ("pub" as StaticString).cString,
                point.baseAddress,
                point.count
            )
            built =
                unsafe built && pushed == 1 && BN_bin2bn(scalar.octets, Int32(scalar.count), number) != nil
                && OSSL_PARAM_BLD_push_BN_pad(builder, ("priv" as StaticString).cString, number, domain.size) == 1
            let parameters = unsafe built ? OSSL_PARAM_BLD_to_param(builder) : nil
            built =
                unsafe built && EVP_PKEY_fromdata_init(context) == 1
                && EVP_PKEY_fromdata(context, &key, MILDAM_PKEY_KEYPAIR, parameters) == 1
            unsafe OSSL_PARAM_free(parameters)  // the scalar lies in its secure part, which is wiped
        }
        guard built, let key = unsafe key else { LibCrypto.unavailable("a key of \(domain.name)") }
        return unsafe key
    }
}
