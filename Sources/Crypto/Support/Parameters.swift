import CLibCrypto

/// libcrypto's parameters. The names are those of `openssl/core_names.h`.
extension OSSL_PARAM {
    /// A text.
    static func text(_ name: StaticString, _ value: StaticString) -> OSSL_PARAM {
        unsafe OSSL_PARAM_construct_utf8_string(name.cString, UnsafeMutablePointer(mutating: value.cString), 0)
    }

    /// Bytes, which must stay where they are until the parameter was used. libcrypto reads them only.
    static func octets(_ name: StaticString, _ value: UnsafeRawBufferPointer) -> OSSL_PARAM {
        unsafe OSSL_PARAM_construct_octet_string(
            name.cString,
            UnsafeMutableRawPointer(mutating: value.baseAddress),
            value.count
        )
    }

    /// Where libcrypto is to write bytes, as many as the buffer takes.
    static func output(_ name: StaticString, _ target: UnsafeMutableRawBufferPointer) -> OSSL_PARAM {
        unsafe OSSL_PARAM(
            key: name.cString,
            data_type: UInt32(OSSL_PARAM_OCTET_STRING),
            data: target.baseAddress,
            data_size: target.count,
            return_size: -1  // OSSL_PARAM_UNMODIFIED, a macro that Swift does not import
        )
    }
}
