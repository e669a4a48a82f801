/// How a commit is made.
public struct CommitOptions: Sendable {
    /// Proposals that come with it, beside those that were received.
    public var proposals: [Proposal] = []
    /// Which of those that were received are committed, in their order; all, unless named.
    public var received: Set<ProposalRef>?
    /// Whether there is a path where none is required.
    public var forcesPath = true
    /// How it is sent.
    public var framing = Group.Framing.privateMessage
    /// What is said openly, and signed.
    public var authenticatedData: [UInt8] = []
    /// What is to be new in one's leaf; only with a path.
    public var leafChange = LeafChange()
    /// Whether new members get the tree with their Welcome.
    public var sendsTree = true
    /// Whether a GroupInfo of the epoch that it leads to goes with it, for those who join from outside: with the key for that,
    /// and without the tree.
    public var sendsGroupInfo = false
    /// What those who join by the Welcome are told besides: in its GroupInfo, which nobody else can read.
    public var groupInfoExtensions = Extensions()
    /// What is said besides in the GroupInfo for those who join from outside, which whoever keeps it can read.
    public var openGroupInfoExtensions = Extensions()

    /// The defaults.
    public init() {}
}

/// A commit that was made, and what goes with it.
public struct CommitMessages: Sendable {
    /// For the members.
    public let commit: MLSMessage
    /// For those who come in by it; to be sent when the commit was ordered, and not before.
    public let welcome: MLSMessage?
    /// For those who join from outside when the commit was ordered; `nil` where none was asked for.
    public let groupInfo: MLSMessage?
}
