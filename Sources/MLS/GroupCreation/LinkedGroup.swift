import MildamCrypto

/// A new group that was made of another one, and the Welcome for its other members (RFC 9420, sections 11.2 and 11.3).
public struct LinkedGroup: Sendable {
    /// The group, in its first epoch.
    public let group: Group
    /// For the others; `nil` where there is nobody else.
    public let welcome: MLSMessage?

    /// Makes a group anew, as its ReInit says.
    ///
    /// - Parameters:
    ///   - old: the group whose ReInit was committed.
    ///   - bundle: one's own key package, of the new suite.
    ///   - keyPackages: those of all other members.
    ///   - environment: of the new group.
    /// - Throws: `inactive` where no ReInit was committed; an ``MLSError``.
    public init(
        reInitializing old: Group,
        with bundle: KeyPackageBundle,
        _ keyPackages: [KeyPackage],
        sendsTree: Bool = true,
        forcesPath: Bool = true,
        environment: GroupEnvironment
    ) throws(MLSError) {
        guard case .reInitialized(let reInit) = old.ending else { throw .inactive }
        try require(
            .reInitializedGroupIsAsProposed,
            bundle.keyPackage.cipherSuite == reInit.cipherSuite && reInit.version == .mls10
        )
        try self.init(
            old,
            reInit.groupID,
            reInit.extensions,
            .reinit,
            bundle,
            keyPackages,
            sendsTree,
            forcesPath,
            environment
        )
    }

    /// Makes a group of some members of another one.
    ///
    /// - Parameters:
    ///   - old: the group that they are members of.
    ///   - groupID: the new group's name; 32 random bytes, unless given.
    ///   - bundle: one's own key package, of the same suite.
    ///   - keyPackages: those of the others.
    ///   - environment: of the new group.
    /// - Throws: an ``MLSError``.
    public init(
        branching old: Group,
        _ groupID: GroupID? = nil,
        with bundle: KeyPackageBundle,
        _ keyPackages: [KeyPackage],
        extensions: Extensions = Extensions(),
        sendsTree: Bool = true,
        forcesPath: Bool = true,
        environment: GroupEnvironment
    ) throws(MLSError) {
        try require(.branchHasSameParameters, bundle.keyPackage.cipherSuite == old.suite.cipherSuite)
        try self.init(
            old,
            groupID,
            extensions,
            .branch,
            bundle,
            keyPackages,
            sendsTree,
            forcesPath,
            environment
        )
    }

    private init(
        _ old: Group,
        _ groupID: GroupID?,
        _ extensions: Extensions,
        _ usage: ResumptionPSKUsage,
        _ bundle: KeyPackageBundle,
        _ keyPackages: [KeyPackage],
        _ sendsTree: Bool,
        _ forcesPath: Bool,
        _ environment: GroupEnvironment
    ) throws(MLSError) {
        let context = old.publicGroup.context
        let key = PreSharedKeyID.Key.resumption(usage: usage, groupID: context.groupID, epoch: context.epoch)
        guard let secret = old.resumptionKey(key) else { throw .inactive }
        var linking = environment
        linking.presharedKey = { $0 == key ? secret : environment.presharedKey($0) }
        var group = try Group(creating: groupID, with: bundle, extensions: extensions, environment: linking)
        var options = CommitOptions()
        let link = group.presharedKeyID(key)
        options.proposals = keyPackages.map(Proposal.add) + [.preSharedKey(link)]
        options.sendsTree = sendsTree
        options.forcesPath = forcesPath
        let messages = try group.commit(options, linking: usage)
        try group.mergeStagedCommit()
        try group.publicGroup.checkLink(link, to: old, environment)
        group.environment = environment
        self.group = group
        welcome = messages.welcome
    }
}
