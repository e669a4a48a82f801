/// Whom a file is for.
public protocol AgeRecipient: Sendable {
    /// Whether a file for this recipient can be for nobody else.
    var standsAlone: Bool { get }

    /// Wraps a file key for this recipient.
    ///
    /// - Throws: `AgeError`.
    func wrap(_ fileKey: AgeFileKey) throws(AgeError) -> [AgeStanza]
}

extension AgeRecipient {
    /// No: files have as many recipients as one likes.
    public var standsAlone: Bool { false }
}

/// Who can open a file.
public protocol AgeIdentity: Sendable {
    /// Unwraps the file key, if a stanza is for this identity. The header's MAC is checked with it afterwards.
    ///
    /// - Returns: `nil` when no stanza is.
    /// - Throws: `AgeError`; `malformedHeader` for a stanza of its type that cannot have been written by a recipient.
    func unwrap(_ header: AgeHeader) throws(AgeError) -> AgeFileKey?
}
