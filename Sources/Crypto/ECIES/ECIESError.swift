/// Why an ECIES packet was not made, not read or not opened.
public enum ECIESError: Error, Equatable, Sendable {
    /// Fewer bytes than the ephemeral public key and the tag have, which is `minimum` on this curve.
    case tooShort(minimum: Int)
    /// A message above `ECIES.maximumMessageByteCount`.
    case tooLong
    /// It does not begin with 0x04 ‖ X ‖ Y of a point of this curve.
    case invalidPoint
    /// The tag is not that of the packet under this key. AES-GCM cannot tell why: another key, other parameters, or a
    /// packet that was changed. Nothing was released.
    case authenticationFailure
    /// A key agreement gave another number of bytes than the curve's x-coordinates have, which is `expected`.
    case incorrectSharedSecretSize(expected: Int)
    /// The cryptographic library refused.
    case cryptography(CryptoKitError)
}

extension ECIESError: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .tooShort(let minimum):
            "this is no ECIES packet for a key of this curve, or it is damaged: the shortest has \(minimum) bytes"
        case .tooLong: "an ECIES message can have \(ECIES.maximumMessageByteCount) bytes at most"
        case .invalidPoint:
            "this is no ECIES packet for a key of this curve, or it is damaged: it does not begin with a point of it"
        case .authenticationFailure:
            "the packet was sealed to another key or with another hash or IV, or it is damaged: the format cannot tell which"
        case .incorrectSharedSecretSize(let expected): "a key agreement on this curve gives \(expected) bytes"
        case .cryptography(let error): "the cryptographic library refused: \(error)"
        }
    }
}
