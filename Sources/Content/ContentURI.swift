import MildamIdentity

/// The URIs that go into a ``ContentID``. They are not sent: whoever reads a message knows who said it, and where.
public enum ContentURI {
    /// `mimi://RELAY/u/ACCOUNT`.
    public static func account(_ account: AccountID, on relay: RelayID) -> String { "mimi://\(relay)/u/\(account)" }

    /// `mimi://RELAY/r/ROOM`.
    public static func room(_ room: RoomID, on relay: RelayID) -> String { "mimi://\(relay)/r/\(room)" }

    /// `mildam:blob/BLOB`: where the ciphertext of a file lies.
    public static func blob(_ blob: BlobID) -> String { blobPrefix + blob.description }

    /// The blob that a URI names; `nil` for any other URI.
    static func blob(in uri: String) -> BlobID? {
        guard uri.hasPrefix(blobPrefix) else { return nil }
        return try? BlobID(uri.dropFirst(blobPrefix.count))
    }

    /// How the URI of a blob begins.
    static let blobPrefix = "mildam:blob/"
}
