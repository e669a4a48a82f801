import MildamIdentity

/// People whom a profile meets, and the links by which somebody meets it. The relay is asked, and nobody waits for it but who
/// called.
public protocol ContactService: Sendable {
    /// Meets somebody by their handle.
    ///
    /// - Throws: `unknown-account`, `identity-changed`; a ``RoomFault``.
    func addContact(_ handle: Handle) async throws(RoomFault) -> MetContact

    /// Meets who made a link.
    ///
    /// - Throws: `link-of-another-relay`, `link-ran-out`, `link-differs`; as ``addContact(_:)``.
    func addContact(by link: InviteLink) async throws(RoomFault) -> MetContact

    /// Believes the key that somebody has now, where it has the fingerprint that a person was told.
    ///
    /// - Throws: `other-fingerprint`; as ``addContact(_:)``.
    func accept(_ handle: Handle, fingerprint: String) async throws(RoomFault) -> ContactSummary

    /// Makes a link that is open for so many days.
    ///
    /// - Returns: the link, and the number by which it can be taken back.
    /// - Throws: a ``RoomFault``.
    func makeLink(days: Int64) async throws(RoomFault) -> (link: InviteLink, number: Int64)

    /// Takes a link back, or all of them where none is named.
    ///
    /// - Returns: how many were taken back.
    /// - Throws: `unknown-link`; a ``RoomFault``.
    func revokeLink(_ number: Int64?) async throws(RoomFault) -> Int
}

/// Somebody whom the profile has met.
public struct MetContact: Sendable {
    /// Who it is.
    public var contact: ContactSummary
    /// What the relay would not be told, of them or of others.
    public var refused: [RefusedStanding]

    /// Somebody who was met.
    public init(contact: ContactSummary, refused: [RefusedStanding]) {
        self.contact = contact
        self.refused = refused
    }
}
