import MildamIdentity

/// Why an envelope or a message of a room is refused.
public enum GroupKeyError: Error, Equatable, Sendable {
    /// The bytes are not an envelope or a message.
    case malformed
    /// The signature is not the sending device's.
    case badSignature
    /// The envelope is for another device, from another device, or for another room than it should be.
    case notForUs
    /// The tag does not verify: altered on the way, or sealed under another key or for another context.
    case damaged
    /// The content is authentic, but not something this version understands.
    case unknownContent
    /// Randomness or a key agreement failed in the crypto library.
    case cryptography
}

extension GroupKeyError: CustomStringConvertible {
    /// What is wrong.
    public var description: String {
        switch self {
        case .malformed: "not a message of a room: it is cut or damaged"
        case .badSignature: "refused: the signature is not the sending device's"
        case .notForUs: "refused: made for another device or room"
        case .damaged: "refused: altered on the way, or sealed under another key"
        case .unknownContent: "made by a newer version: its content is not understood"
        case .cryptography: "the crypto library failed"
        }
    }
}
