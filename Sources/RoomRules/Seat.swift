import MildamIdentity
import MildamWire

/// A place for an account that has no leaf: 52 bytes (H2).
///
///     struct {
///         opaque account[16];
///         opaque identity_key[32];
///         uint32 rotation;
///     } Seat;
public struct Seat: Hashable, Sendable, WireEncodable, WireDecodable {
    /// Whose it is.
    public let account: AccountID
    /// The key that devices of the account are signed with.
    public let identity: RoomIdentity

    /// A seat.
    public init(account: AccountID, identity: RoomIdentity) {
        self.account = account
        self.identity = identity
    }

    /// Reads a seat.
    public init(from reader: inout WireReader) throws(WireError) {
        account = try AccountID(from: &reader)
        identity = try RoomIdentity(from: &reader)
    }

    /// Appends the seat.
    public func encode(into writer: inout WireWriter) {
        account.encode(into: &writer)
        identity.encode(into: &writer)
    }
}
