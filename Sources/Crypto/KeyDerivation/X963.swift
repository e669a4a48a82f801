import CLibCrypto

/// The KDF of ANSI X9.63 (SEC 1, section 3.6.1), libcrypto's.
enum X963 {
    /// Derives as many bytes as `output` takes, which are not none.
    static func derive(
        _ secret: UnsafeRawBufferPointer,
        _ info: UnsafeRawBufferPointer,
        _ algorithm: DigestAlgorithm,
        into output: UnsafeMutableRawBufferPointer
    ) {
        let context = unsafe EVP_KDF_CTX_new(X963.mechanism.handle)
        defer { unsafe EVP_KDF_CTX_free(context) }
        let parameters = unsafe [
            OSSL_PARAM.text("digest", algorithm.name), OSSL_PARAM.octets("secret", secret),
            OSSL_PARAM.octets("info", info), OSSL_PARAM_construct_end(),
        ]
        guard unsafe EVP_KDF_derive(context, output.octets, output.count, parameters) == 1 else {
            LibCrypto.unavailable("the KDF of X9.63")
        }
    }

    @safe
    private struct Mechanism: @unchecked Sendable {  // libcrypto's fetched algorithms are immutable
        let handle: OpaquePointer
    }

    private static let mechanism = unsafe Mechanism(
        handle: LibCrypto.fetch("X963KDF") { unsafe EVP_KDF_fetch(nil, $0, nil) }
    )
}
