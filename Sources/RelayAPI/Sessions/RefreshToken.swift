import FoundationEssentials
import MildamIdentity
import MildamWire

/// A refresh token of the relay's: the session, and 32 bytes that are worth it. To everybody but the relay the text is
/// opaque: `SESSION.BYTES` in base32 and base64url, 70 characters.
public struct RefreshToken: Sendable, Equatable {
    /// The session.
    public let session: SessionID
    /// 32 bytes.
    public let secret: [UInt8]

    /// A token of a session.
    public init(session: SessionID, secret: [UInt8]) {
        self.session = session
        self.secret = secret
    }

    /// The text.
    public var text: String { "\(session).\(Base64.url.encode(secret))" }

    /// Reads a text.
    ///
    /// - Throws: `WireError.invalidText`; `WireError.lengthOutOfRange`.
    public init(text: String) throws(WireError) {
        guard text.utf8.count == 70 else { throw .lengthOutOfRange(text.utf8.count) }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .invalidText }
        session = try SessionID(parts[0])
        secret = try Base64.url.decode(parts[1])
        guard secret.count == 32 else { throw .lengthOutOfRange(secret.count) }
    }
}

extension RefreshToken: CustomStringConvertible, CustomReflectable {
    /// The session alone.
    public var description: String { "RefreshToken(\(session))" }

    /// The session alone.
    public var customMirror: Mirror { Mirror(self, children: ["session": session]) }
}
