import MildamCrypto
import MildamIdentity
import MildamWire

/// An account that a person brought into a room, as members tell each other of it.
///
/// ```
/// struct { opaque account[16]; opaque handle<3..32>; opaque identity_key[32]; } Member;
/// ```
public struct Member: Sendable, Equatable {
    /// The account.
    public let account: AccountID
    /// The name it was invited under.
    public let handle: Handle
    /// Its identity key, as the inviting client had pinned it. Whoever is told of it has somebody's word for it.
    public let identityKey: Curve25519.Signing.PublicKey

    /// Makes a member.
    public init(account: AccountID, handle: Handle, identityKey: Curve25519.Signing.PublicKey) {
        self.account = account
        self.handle = handle
        self.identityKey = identityKey
    }

    /// The member that a verified account is.
    public init(_ record: AccountRecord) {
        self.init(account: record.account, handle: record.handle, identityKey: record.identityKey)
    }

    /// What is remembered of somebody known from another member's word only: it is no pin.
    public var pin: AccountPin {
        AccountPin(handle: handle, account: account, identityKey: identityKey, state: .told)
    }
}

extension Member: WireEncodable, WireDecodable {
    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        account.encode(into: &writer)
        handle.encode(into: &writer)
        writer.fixed(identityKey.rawRepresentation)
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        account = try AccountID(from: &reader)
        handle = try Handle(from: &reader)
        let bytes = try reader.fixed(32)
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else {
            throw .invalidValue(field: "identity key")
        }
        identityKey = key
    }
}
