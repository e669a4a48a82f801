import MildamWire

/// A GroupInfo of a group's present epoch, and how many accounts say that its key for joining from outside is theirs. The relay
/// cannot see which key is right: those who answered can.
///
///     struct {
///         uint32 accounts;
///         opaque external_pub[32];
///         opaque group_info<V>;      // an MLSMessage, 1 byte to 128 KiB
///     } KeptGroupInfo;
public struct KeptGroupInfo: Hashable, Sendable {
    /// How many accounts stand behind it: whoever gave it, and those who answered so.
    public let accounts: UInt32
    /// SHA-256 of its `external_pub`, 32 bytes.
    public let externalPub: [UInt8]
    /// The GroupInfo, encoded.
    public let groupInfo: [UInt8]

    /// Makes an entry.
    ///
    /// - Precondition: the digest has 32 bytes.
    public init(accounts: UInt32, externalPub: [UInt8], groupInfo: [UInt8]) {
        precondition(externalPub.count == Limits.digest, "a digest")
        self.accounts = accounts
        self.externalPub = externalPub
        self.groupInfo = groupInfo
    }
}

extension KeptGroupInfo: WireEncodable, WireDecodable {
    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        accounts = try reader.integer()
        externalPub = try reader.fixed(Limits.digest)
        groupInfo = try reader.vector(in: 1...Limits.groupInfo)
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(accounts)
        writer.fixed(externalPub)
        writer.vector(groupInfo)
    }
}
