import MildamWire

/// A kind of proposal (RFC 9420, section 17.4). Any number can be read.
public struct ProposalType: WireNumber {
    /// The number in IANA's registry "MLS Proposal Types".
    public let rawValue: UInt16

    /// The type of this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Somebody is to come in.
    public static let add = ProposalType(rawValue: 0x0001)
    /// The sender has a new leaf.
    public static let update = ProposalType(rawValue: 0x0002)
    /// Somebody is to go.
    public static let remove = ProposalType(rawValue: 0x0003)
    /// A pre-shared key goes into the key schedule.
    public static let psk = ProposalType(rawValue: 0x0004)
    /// The group is to be made anew.
    public static let reinit = ProposalType(rawValue: 0x0005)
    /// The sender comes in from outside.
    public static let externalInit = ProposalType(rawValue: 0x0006)
    /// The group's extensions are to be others.
    public static let groupContextExtensions = ProposalType(rawValue: 0x0007)
    /// The sender is to go, by the next commit whosever it is (draft-ietf-mls-extensions).
    public static let selfRemove = ProposalType(rawValue: 0x000A)

    /// Whether everybody knows it, so that nobody lists it (RFC 9420, section 7.2).
    public var isDefault: Bool { (0x0001...0x0007).contains(rawValue) }

    /// Whether one who is not a member may send it (RFC 9420, section 12.1.8).
    public var isForExternalSenders: Bool {
        [.add, .remove, .psk, .reinit, .groupContextExtensions].contains(self)
    }

    /// Whether a commit that covers it needs a path (RFC 9420, section 12.4).
    public var requiresPath: Bool { ![.add, .psk, .reinit].contains(self) }
}
