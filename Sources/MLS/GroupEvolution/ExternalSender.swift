import MildamWire

/// One who may propose from outside; the extension of the group's context is a list of them (RFC 9420, section 12.1.8.1).
///
///     struct {
///         SignaturePublicKey signature_key;
///         Credential credential;
///     } ExternalSender;
public struct ExternalSender: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The key that their proposals are signed with.
    public var signatureKey: SignaturePublicKey
    /// Who they are.
    public var credential: Credential

    /// A sender of this key and credential.
    public init(signatureKey: SignaturePublicKey, credential: Credential) {
        self.signatureKey = signatureKey
        self.credential = credential
    }

    /// Reads one.
    public init(from reader: inout WireReader) throws(WireError) {
        signatureKey = try SignaturePublicKey(from: &reader)
        credential = try Credential(from: &reader)
    }

    /// Appends them.
    public func encode(into writer: inout WireWriter) {
        signatureKey.encode(into: &writer)
        credential.encode(into: &writer)
    }
}

/// Those who may propose from outside: `ExternalSender external_senders<V>`.
public struct ExternalSenders: Hashable, Sendable, WireEncodable, WireDecodable {
    /// They are named by their place in this list.
    public var list: [ExternalSender]

    /// These senders.
    public init(_ list: [ExternalSender]) { self.list = list }

    /// Reads the list.
    public init(from reader: inout WireReader) throws(WireError) { list = try reader.vector(of: ExternalSender.self) }

    /// Appends the list.
    public func encode(into writer: inout WireWriter) { writer.vector(of: list) }
}
