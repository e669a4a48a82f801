/// Why a token is refused.
public enum JOSEError: Error, Equatable, Sendable {
    /// Not three parts of base64url, or not the JSON it should be.
    case malformed
    /// An algorithm other than EdDSA, a type other than the one expected, or a critical extension.
    case unexpectedHeader
    /// Signed with a key that is not known, or no longer.
    case unknownKey
    /// The signature does not verify.
    case badSignature
    /// Past its time.
    case expired
    /// Issued by, or meant for, somebody else.
    case notForUs
    /// The payload cannot be written as JSON.
    case unwritable
}
