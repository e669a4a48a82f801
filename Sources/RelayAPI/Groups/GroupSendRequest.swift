import MildamIdentity
import MildamWire

/// The body of `POST /v1/rooms/ROOM/group/messages`: something for the log of a room that is an MLS group.
///
///     enum { application(1), proposal(2), commit(3), linked_commit(4), (255) } GroupContentKind;
///     struct {
///         uint8 version = 1;
///         opaque id[16];
///         uint32 generation;
///         uint64 epoch;
///         uint64 seen;                       // the last number that the sender has
///         GroupContentKind kind;
///         opaque message<V>;                 // an MLSMessage, 1 byte to 256 KiB
///         select (GroupSendRequest.kind) {
///             case application:
///                 BlobID blobs<V>;           // those that it tells of, ascending, 64 at most
///             case proposal: struct {};
///             case commit:
///                 opaque group_info<V>;      // GroupInfo of the next epoch, 128 KiB at most
///                 opaque welcome<V>;         // an MLSMessage with the Welcome, 256 KiB at most; empty for none
///             case linked_commit:
///                 opaque group_info<V>;
///                 opaque welcome<V>;         // both as of a commit
///                 ShownLink links<V>;        // of those who come in, ascending by account, 1 to 100
///         };
///     } GroupSendRequest;
public struct GroupSendRequest: Hashable, Sendable {
    /// What is sent.
    public enum Content: Hashable, Sendable {
        /// Something said: an MLSMessage with a PrivateMessage.
        case application([UInt8])
        /// A proposal that stands alone: an MLSMessage with a PublicMessage.
        case proposal([UInt8])
        /// A commit, the GroupInfo of the epoch that it begins, and the Welcome of those who come in; empty for none.
        case commit([UInt8], groupInfo: [UInt8], welcome: [UInt8])
    }

    /// The id that the device chose; a retry has the same.
    public let id: MessageID
    /// Which of the room's groups it is for.
    public let generation: UInt32
    /// The group's epoch that it is sealed in.
    public let epoch: UInt64
    /// The last number that the sender has of the room: where its epoch is over, the refusal brings what is behind it.
    public let seen: UInt64
    /// What is sent.
    public let content: Content
    /// The blobs that something said tells of, ascending: they get its number. None with anything else.
    public let blobs: [BlobID]
    /// The links of accounts that come in by a commit, ascending by account: they are used up. None with anything else.
    public let links: [ShownLink]

    /// Makes a request.
    public init(
        id: MessageID,
        generation: UInt32,
        epoch: UInt64,
        seen: UInt64,
        content: Content,
        blobs: [BlobID] = [],
        links: [ShownLink] = []
    ) {
        self.id = id
        self.generation = generation
        self.epoch = epoch
        self.seen = seen
        self.content = content
        self.blobs = blobs
        self.links = links
    }

    /// The message as the log keeps it: an MLSMessage, encoded.
    public var message: [UInt8] {
        switch content {
        case .application(let message), .proposal(let message), .commit(let message, _, _): message
        }
    }

    /// What it is stored as.
    public var kind: MessageKind {
        switch content {
        case .application: .application
        case .proposal: .proposal
        case .commit: .commit
        }
    }
}

extension GroupSendRequest: WireEncodable, WireDecodable {
    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        id = try MessageID(from: &reader)
        generation = try reader.integer()
        epoch = try reader.number("epoch")
        seen = try reader.number("seen")
        let kind = try reader.integer(UInt8.self)
        let message = try reader.vector(in: 1...Limits.message)
        blobs = kind == 1 ? try Self.blobs(from: &reader) : []
        switch kind {
        case 1: content = .application(message)
        case 2: content = .proposal(message)
        case 3, 4:
            let groupInfo = try reader.vector(in: 1...Limits.groupInfo)
            content = .commit(message, groupInfo: groupInfo, welcome: try reader.vector(in: 0...Limits.welcome))
        default: throw .invalidValue(field: "kind")
        }
        links = kind == 4 ? try Self.links(from: &reader) : []
    }

    private static func links(from reader: inout WireReader) throws(WireError) -> [ShownLink] {
        var entries = try reader.nested()
        var links: [ShownLink] = []
        while entries.remaining > 0 {
            guard links.count < Limits.shownLinks else { throw .lengthOutOfRange(links.count + 1) }
            let link = try ShownLink(from: &entries)
            guard links.last.map({ $0.account < link.account }) ?? true else { throw .invalidValue(field: "links") }
            links.append(link)
        }
        // A commit without any is of the other kind.
        guard !links.isEmpty else { throw .lengthOutOfRange(0) }
        return links
    }

    private static func blobs(from reader: inout WireReader) throws(WireError) -> [BlobID] {
        var entries = try reader.nested()
        var blobs: [BlobID] = []
        while entries.remaining > 0 {
            guard blobs.count < Limits.namedBlobs else { throw .lengthOutOfRange(blobs.count + 1) }
            let blob = try BlobID(from: &entries)
            guard blobs.last.map({ $0 < blob }) ?? true else { throw .invalidValue(field: "blobs") }
            blobs.append(blob)
        }
        return blobs
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        id.encode(into: &writer)
        writer.integer(generation)
        writer.integer(epoch)
        writer.integer(seen)
        switch content {
        case .application(let message):
            writer.integer(UInt8(1))
            writer.vector(message)
            writer.vector(of: blobs)
        case .proposal(let message):
            writer.integer(UInt8(2))
            writer.vector(message)
        case .commit(let message, let groupInfo, let welcome):
            writer.integer(UInt8(links.isEmpty ? 3 : 4))
            writer.vector(message)
            writer.vector(groupInfo)
            writer.vector(welcome)
            if !links.isEmpty { writer.vector(of: links) }
        }
    }
}
