import MildamWire

/// Why a commit was made, and what its committer had seen: its `authenticated_data`, 16 KiB at most (H8).
///
///     struct { uint64 number; opaque running_hash[32]; } Seen;
///     struct {
///         uint8 version = 1;
///         optional<Seen> seen;
///         Evidence evidence<V>;
///     } CommitReason;
public struct CommitReason: Sendable, WireEncodable, WireDecodable {
    /// A number of the room, and the running hash of everything up to it (H16).
    public struct Seen: Hashable, Sendable, WireEncodable, WireDecodable {
        /// The size of the hash, in bytes.
        public static let hashSize = 32

        /// The number.
        public let number: UInt64
        /// The running hash, 32 bytes.
        public let hash: [UInt8]

        /// A point of a room's history.
        ///
        /// - Precondition: the hash has 32 bytes.
        public init(number: UInt64, hash: [UInt8]) {
            precondition(hash.count == Seen.hashSize, "a running hash")
            self.number = number
            self.hash = hash
        }

        /// Reads a point.
        public init(from reader: inout WireReader) throws(WireError) {
            number = try reader.integer()
            hash = try reader.fixed(Seen.hashSize)
        }

        /// Appends the point.
        public func encode(into writer: inout WireWriter) {
            writer.integer(number)
            writer.fixed(hash)
        }
    }

    /// How far the committer had seen the room; nothing before it could (H16).
    public let seen: Seen?
    /// What justifies the commit.
    public let evidence: [Evidence]

    /// A reason.
    public init(seen: Seen? = nil, evidence: [Evidence] = []) {
        self.seen = seen
        self.evidence = evidence
    }

    /// Reads a reason.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        seen = try reader.optional(Seen.self)
        evidence = try reader.vector(of: Evidence.self)
    }

    /// Appends the reason.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        writer.optional(seen)
        writer.vector(of: evidence)
    }
}
