import MildamCrypto
import MildamWire

/// One of the small pieces that a group's state is stored in (RFC 9420, section 14).
public struct StateRecord: Sendable {
    /// What it is called; a group has one record of a name.
    public let name: Name
    /// What it says: mostly secrets. A ratchet with all keys that it may keep is the largest one of a usual size, of some 12
    /// KiB; most have fewer than 300 bytes.
    public let content: SymmetricKey

    /// A record as it was stored.
    public init(name: Name, content: SymmetricKey) {
        self.name = name
        self.content = content
    }

    /// The name of a record.
    public struct Name: Hashable, Sendable {
        let part: StatePart

        init(_ part: StatePart) { self.part = part }

        /// How long the record may be read.
        public var term: Term { part.term }
    }

    /// How long a record may be read. A store that has a key for each term, and throws it away when the term ends, has nothing
    /// left of what has ended.
    public enum Term: Hashable, Sendable {
        /// As long as one is in the group.
        case group
        /// Until the epoch is over: what the next one follows from is among it.
        case epoch(UInt64)
        /// Until no late messages of the epoch are read any more: their keys.
        case lateMessages(UInt64)
    }
}

extension StateRecord.Name: WireEncodable, WireDecodable {
    /// Reads a name.
    public init(from reader: inout WireReader) throws(WireError) { part = try StatePart(from: &reader) }

    /// Appends the name, of at most 160 bytes.
    public func encode(into writer: inout WireWriter) { part.encode(into: &writer) }
}

extension StateRecord.Term: WireEncodable, WireDecodable {
    /// Reads a term.
    public init(from reader: inout WireReader) throws(WireError) {
        let kind = try reader.integer(UInt8.self)
        let epoch = try reader.integer(UInt64.self)
        switch kind {
        case 0: self = .group
        case 1: self = .epoch(epoch)
        case 2: self = .lateMessages(epoch)
        default: throw .invalidValue(field: "term")
        }
    }

    /// Appends the term: its kind, and its epoch's number.
    public func encode(into writer: inout WireWriter) {
        switch self {
        case .group:
            writer.integer(UInt8(0))
            writer.integer(UInt64(0))
        case .epoch(let epoch):
            writer.integer(UInt8(1))
            writer.integer(epoch)
        case .lateMessages(let epoch):
            writer.integer(UInt8(2))
            writer.integer(epoch)
        }
    }
}

/// What of a group's state a record holds.
enum StatePart: Hashable, Sendable {
    /// The suite, one's own place, and the key that one signs with.
    case member
    /// The group's context, its confirmation tag, and what became of the group.
    case context
    /// A leaf of the tree.
    case leaf(LeafIndex)
    /// A parent of the tree.
    case parent(NodeIndex)
    /// An epoch's secrets, the private keys of one's own path, and the resumption keys that are kept.
    case epoch(UInt64)
    /// A proposal, by its place among those of its epoch.
    case proposal(UInt64, UInt32)
    /// The private keys of a leaf that was proposed.
    case proposedKey(UInt64, HPKEPublicKey)
    /// A proposal of one's own, as it was sent: by the hash of the message.
    case sentProposal(UInt64, [UInt8])
    /// What late messages of an epoch are read with, but for their keys.
    case pastEpoch(UInt64)
    /// A leaf of that time that was another one in the epoch after it.
    case pastLeaf(UInt64, LeafIndex)
    /// A secret of an epoch's secret tree.
    case treeSecret(UInt64, NodeIndex)
    /// A sender's ratchet.
    case ratchet(UInt64, SecretTree.RatchetID)
    /// A commit of one's own that leads to this epoch, and what the group is after it.
    case staged(UInt64)

    var epoch: UInt64? {
        switch self {
        case .member, .context, .leaf, .parent: nil
        case .epoch(let epoch), .proposal(let epoch, _), .proposedKey(let epoch, _), .sentProposal(let epoch, _),
            .pastEpoch(let epoch), .pastLeaf(let epoch, _), .treeSecret(let epoch, _), .ratchet(let epoch, _),
            .staged(let epoch):
            epoch
        }
    }

    var term: StateRecord.Term {
        switch self {
        case .member, .context, .leaf, .parent: .group
        case .epoch(let epoch), .proposal(let epoch, _), .proposedKey(let epoch, _), .sentProposal(let epoch, _),
            .staged(let epoch):
            .epoch(epoch)
        case .pastEpoch(let epoch), .pastLeaf(let epoch, _), .treeSecret(let epoch, _), .ratchet(let epoch, _):
            .lateMessages(epoch)
        }
    }
}

extension StatePart: WireEncodable, WireDecodable {
    private var kind: UInt8 {
        switch self {
        case .member: 1
        case .context: 2
        case .leaf: 3
        case .parent: 4
        case .epoch: 5
        case .proposal: 6
        case .proposedKey: 7
        case .sentProposal: 8
        case .pastEpoch: 9
        case .pastLeaf: 10
        case .treeSecret: 11
        case .ratchet: 12
        case .staged: 13
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        let kind = try reader.integer(UInt8.self)
        switch kind {
        case 1: self = .member
        case 2: self = .context
        case 3: self = .leaf(try LeafIndex(from: &reader))
        case 4: self = .parent(try NodeIndex(ofParentFrom: &reader))
        default:
            let epoch = try reader.integer(UInt64.self)
            switch kind {
            case 5: self = .epoch(epoch)
            case 6: self = .proposal(epoch, try reader.integer())
            case 7: self = .proposedKey(epoch, try HPKEPublicKey(from: &reader))
            case 8: self = .sentProposal(epoch, try reader.vector())
            case 9: self = .pastEpoch(epoch)
            case 10: self = .pastLeaf(epoch, try LeafIndex(from: &reader))
            case 11: self = .treeSecret(epoch, try NodeIndex(from: &reader))
            case 12: self = .ratchet(epoch, try SecretTree.RatchetID(from: &reader))
            case 13: self = .staged(epoch)
            default: throw .invalidValue(field: "kind")
            }
        }
    }

    func encode(into writer: inout WireWriter) {
        writer.integer(kind)
        if let epoch { writer.integer(epoch) }
        switch self {
        case .member, .context, .epoch, .pastEpoch, .staged: break
        case .leaf(let leaf), .pastLeaf(_, let leaf): leaf.encode(into: &writer)
        case .parent(let node), .treeSecret(_, let node): node.encode(into: &writer)
        case .proposal(_, let place): writer.integer(place)
        case .proposedKey(_, let key): key.encode(into: &writer)
        case .sentProposal(_, let digest): writer.vector(digest)
        case .ratchet(_, let ratchet): ratchet.encode(into: &writer)
        }
    }
}

extension NodeIndex: WireEncodable, WireDecodable {
    init(from reader: inout WireReader) throws(WireError) { self.init(Int(try reader.integer(UInt32.self))) }

    /// Reads the place of a node that is no leaf.
    init(ofParentFrom reader: inout WireReader) throws(WireError) {
        try self.init(from: &reader)
        guard !isLeaf else { throw .invalidValue(field: "node") }
    }

    func encode(into writer: inout WireWriter) { writer.integer(UInt32(rawValue)) }
}

extension SecretTree.RatchetID: WireEncodable, WireDecodable {
    init(from reader: inout WireReader) throws(WireError) {
        let leaf = try LeafIndex(from: &reader)
        switch try reader.integer(UInt8.self) {
        case 0: self.init(leaf, isHandshake: false)
        case 1: self.init(leaf, isHandshake: true)
        default: throw .invalidValue(field: "ratchet")
        }
    }

    func encode(into writer: inout WireWriter) {
        leaf.encode(into: &writer)
        writer.integer(UInt8(isHandshake ? 1 : 0))
    }
}
