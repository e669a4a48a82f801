import MildamWire

/// A message's content, and what it belongs to (RFC 9420, section 6).
///
///     struct {
///         opaque group_id<V>;
///         uint64 epoch;
///         Sender sender;
///         opaque authenticated_data<V>;
///         ContentType content_type;
///         select (FramedContent.content_type) { … };
///     } FramedContent;
public struct FramedContent: Hashable, Sendable, WireEncodable, WireDecodable {
    /// What a message carries.
    public enum Body: Hashable, Sendable {
        /// Something of the application's.
        case application([UInt8])
        /// A proposal.
        case proposal(Proposal)
        /// A commit.
        indirect case commit(Commit)

        /// What kind it is.
        public var type: ContentType {
            switch self {
            case .application: .application
            case .proposal: .proposal
            case .commit: .commit
            }
        }

        /// The proposal, where it is one.
        var proposal: Proposal? { if case .proposal(let proposal) = self { proposal } else { nil } }

        /// The commit, where it is one.
        var commit: Commit? { if case .commit(let commit) = self { commit } else { nil } }

        init(_ type: ContentType, from reader: inout WireReader) throws(WireError) {
            switch type {
            case .application: self = .application(try reader.vector())
            case .proposal: self = .proposal(try Proposal(from: &reader))
            case .commit: self = .commit(try Commit(from: &reader))
            }
        }

        /// Appends the content without its kind.
        func encode(into writer: inout WireWriter) {
            switch self {
            case .application(let data): writer.vector(data)
            case .proposal(let proposal): proposal.encode(into: &writer)
            case .commit(let commit): commit.encode(into: &writer)
            }
        }
    }

    /// The group.
    public var groupID: GroupID
    /// The epoch it was sent in.
    public var epoch: UInt64
    /// Who sent it.
    public var sender: Sender
    /// What the sender says openly, and signed.
    public var authenticatedData: [UInt8]
    /// The content.
    public var body: Body

    init(groupID: GroupID, epoch: UInt64, sender: Sender, authenticatedData: [UInt8], body: Body) {
        self.groupID = groupID
        self.epoch = epoch
        self.sender = sender
        self.authenticatedData = authenticatedData
        self.body = body
    }

    /// Reads a content.
    public init(from reader: inout WireReader) throws(WireError) {
        groupID = try GroupID(from: &reader)
        epoch = try reader.integer()
        sender = try Sender(from: &reader)
        authenticatedData = try reader.vector()
        body = try Body(try ContentType(from: &reader), from: &reader)
    }

    /// Appends the content.
    public func encode(into writer: inout WireWriter) {
        groupID.encode(into: &writer)
        writer.integer(epoch)
        sender.encode(into: &writer)
        writer.vector(authenticatedData)
        body.type.encode(into: &writer)
        body.encode(into: &writer)
    }
}
