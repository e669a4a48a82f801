import CLibCrypto

/// The digits of a public key, which were looked at.
struct RSANumbers: Sendable {
    /// The modulus, without a zero before it.
    let modulus: [UInt8]
    /// The public exponent.
    let publicExponent: [UInt8]

    /// - Throws: as `RSA.PublicKey`.
    init(modulus: Span<UInt8>, publicExponent: Span<UInt8>) throws(CryptoKitError) {
        let digits = try RSA.digits(of: modulus)
        let bits = digits.count * 8 - modulus[digits.lowerBound].leadingZeroBitCount
        guard RSA.modulusSizes.contains(bits) else { throw .incorrectKeySize }
        let exponent = try RSA.digits(of: publicExponent)
        guard modulus[digits.upperBound - 1] & 1 == 1, exponent.count <= 4 else { throw .invalidParameter }
        let value = exponent.reduce(UInt32(0)) { $0 << 8 | UInt32(publicExponent[$1]) }
        guard value & 1 == 1, (3...UInt32(Int32.max)).contains(value) else { throw .invalidParameter }
        self.modulus = digits.map { modulus[$0] }
        self.publicExponent = exponent.map { publicExponent[$0] }
    }
}

/// An RSA key as libcrypto uses it; freed, and its private part wiped, when the last owner goes.
@safe
final class RSAKey: @unchecked Sendable {  // an EVP_PKEY is not changed after it was made; its count is atomic
    let numbers: RSANumbers
    private let handle: OpaquePointer

    /// A public key.
    ///
    /// - Throws: libcrypto's error.
    init(_ numbers: RSANumbers) throws(CryptoKitError) {
        self.numbers = numbers
        unsafe handle = try RSAKey.make(numbers, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// A private key.
    ///
    /// - Parameter privateExponent: its digits, without a zero before them.
    /// - Throws: libcrypto's error.
    init(_ numbers: RSANumbers, privateExponent: Span<UInt8>) throws(CryptoKitError) {
        self.numbers = numbers
        unsafe handle = try privateExponent.withUnsafeBytes { (digits) throws(CryptoKitError) in
            try unsafe RSAKey.make(numbers, digits)
        }
    }

    deinit {
        unsafe EVP_PKEY_free(handle)
    }

    /// Begins an operation with OAEP, and does it.
    ///
    /// - Parameters:
    ///   - begin: `EVP_PKEY_encrypt_init_ex` or `EVP_PKEY_decrypt_init_ex`.
    ///   - operation: gets a context that was begun.
    /// - Returns: whether both were done.
    func run(
        _ label: [UInt8],
        _ begin: (OpaquePointer?, UnsafePointer<OSSL_PARAM>?) -> Int32,
        _ operation: (OpaquePointer) -> Bool
    ) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, handle, nil) else {
            LibCrypto.unavailable("a context for RSA")
        }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            SecretMemory.wipeStack()
        }
        return unsafe label.withUnsafeBytes { label in
            var parameters = unsafe [
                OSSL_PARAM.text("digest", "SHA2-256"), OSSL_PARAM.text("pad-mode", "oaep"),
                OSSL_PARAM.text("mgf1-digest", "SHA2-256"),
            ]
            // Of no bytes there is no place that libcrypto would take.
            if unsafe !label.isEmpty { unsafe parameters.append(OSSL_PARAM.octets("oaep-label", label)) }
            unsafe parameters.append(OSSL_PARAM_construct_end())
            return unsafe parameters.withUnsafeBufferPointer { unsafe begin(context, $0.baseAddress) == 1 }
                && operation(context)
        }
    }

    /// libcrypto's key of these numbers; without a private exponent a public one.
    private static func make(
        _ numbers: RSANumbers,
        _ privateExponent: UnsafeRawBufferPointer
    ) throws(CryptoKitError) -> OpaquePointer {
        let builder = unsafe OSSL_PARAM_BLD_new()
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
        let (modulus, exponent, secret) = unsafe (BN_new(), BN_new(), BN_secure_new())
        var key: OpaquePointer?
        defer {
            unsafe BN_free(modulus)
            unsafe BN_free(exponent)
            unsafe BN_clear_free(secret)
            unsafe EVP_PKEY_CTX_free(context)
            unsafe OSSL_PARAM_BLD_free(builder)
        }
        var isBuilt = unsafe numbers.modulus.withUnsafeBytes { unsafe push($0, "n", modulus, builder) }
        isBuilt = unsafe isBuilt && numbers.publicExponent.withUnsafeBytes { unsafe push($0, "e", exponent, builder) }
        if privateExponent.count > 0 { isBuilt = unsafe isBuilt && push(privateExponent, "d", secret, builder) }
        let parameters = unsafe isBuilt ? OSSL_PARAM_BLD_to_param(builder) : nil
        isBuilt =
            unsafe isBuilt && EVP_PKEY_fromdata_init(context) == 1
            && EVP_PKEY_fromdata(context, &key, MILDAM_PKEY_KEYPAIR, parameters) == 1
        unsafe OSSL_PARAM_free(parameters)  // the exponent lies in its secure part, which is wiped
        guard isBuilt, let key = unsafe key else { throw LibCrypto.lastError() }
        return unsafe key
    }

    private static func push(
        _ digits: UnsafeRawBufferPointer,
        _ name: StaticString,
        _ number: OpaquePointer?,
        _ builder: OpaquePointer?
    ) -> Bool {
        unsafe BN_bin2bn(digits.octets, Int32(clamping: digits.count), number) != nil
            && OSSL_PARAM_BLD_push_BN(builder, name.cString, number) == 1
    }
}
