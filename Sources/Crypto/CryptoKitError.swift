/// What can go wrong in a cryptographic operation. The cases are CryptoKit's.
public enum CryptoKitError: Error, Equatable, Sendable {
    /// The key has a size that the algorithm does not take.
    case incorrectKeySize
    /// A nonce, tag, salt, box or representation has a size that the algorithm does not take.
    case incorrectParameterSize
    /// The tag or signature does not belong to the data, the key and the authenticated data. Nothing was released.
    case authenticationFailure
    /// The C library refused for a reason of its own; `error` is the low 32 bits of libcrypto's code, or libsodium's.
    case underlyingCoreCryptoError(error: Int32)
    /// A key could not be wrapped.
    case wrapFailure
    /// A wrapped key could not be unwrapped.
    case unwrapFailure
    /// A value is out of its range: a point off the curve, a scalar of zero, a low-order public key, malformed DER, a
    /// wrong padding.
    case invalidParameter
}
