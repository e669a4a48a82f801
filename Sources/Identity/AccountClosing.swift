import MildamWire

/// An account is no more: signed by its identity key (H29).
///
///     struct {
///         uint8 version = 1;
///         opaque relay[16];
///         opaque account[16];
///     } AccountClosing;
public struct AccountClosing: Signable, Hashable {
    /// "mildam/1 account closing".
    public static let label = Label("account closing")

    /// The relay that it lived on.
    public let relay: RelayID
    /// The account.
    public let account: AccountID

    /// Says it.
    public init(relay: RelayID, account: AccountID) {
        self.relay = relay
        self.account = account
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        relay.encode(into: &writer)
        account.encode(into: &writer)
    }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        relay = try RelayID(from: &reader)
        account = try AccountID(from: &reader)
    }
}
