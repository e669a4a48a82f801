import FoundationEssentials
import MildamIdentity
import MildamWire

/// A link as it is shown with a commit: 48 bytes.
///
///     struct {
///         opaque account[16];
///         opaque secret[32];
///     } ShownLink;
extension ShownLink: WireEncodable, WireDecodable {
    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        let account = try AccountID(from: &reader)
        let secret = try reader.fixed(Limits.linkSecret)
        self.init(account: account, secret: Data(secret))
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        account.encode(into: &writer)
        writer.fixed(secret)
    }
}
