import MildamIdentity
import MildamWire

/// A place for an account that has no leaf: 84 bytes (H2).
///
///     struct {
///         opaque account[16];
///         RoomIdentity identity;
///     } Seat;
public struct Seat: Hashable, Sendable, WireEncodable, WireDecodable {
    /// Whose it is.
    public let account: AccountID
    /// The identity that devices of the account are held against, and what follows it.
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
