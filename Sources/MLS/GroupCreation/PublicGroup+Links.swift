/// Whether a new group is what it says of the one it was made of (RFC 9420, sections 11.2, 11.3 and 12.4.3.1).
extension PublicGroup {
    /// Looks at a link.
    ///
    /// - Parameter origin: the group that it leads to, where one was a member of it.
    func checkLink(
        _ id: PreSharedKeyID,
        to origin: Group?,
        _ environment: GroupEnvironment
    ) throws(MLSError) {
        guard case .resumption(let usage, let group, let epoch) = id.key, usage != .application else { return }
        try require(.groupIsMadeOfKnownOne, origin?.publicGroup.context.groupID == group)
        try require(.linkedGroupIsNew, context.epoch == 1)
        guard let origin else { return }
        let (old, new) = (Set(origin.clients(environment)), Set(clients(environment)))
        switch usage {
        case .reinit:
            let reInit = try required(
                .reInitializedGroupIsAsProposed,
                origin.publicGroup.context.epoch == epoch ? origin.ending?.reInit : nil
            )
            let made = ReInit(
                groupID: context.groupID,
                version: context.version,
                cipherSuite: context.cipherSuite,
                extensions: context.extensions
            )
            try require(.reInitializedGroupIsAsProposed, made == reInit)
            try require(.reInitializedGroupHasAllMembers, old.isSubset(of: new))
        case .branch:
            let context = origin.publicGroup.context
            try require(
                .branchHasSameParameters,
                context.version == self.context.version && context.cipherSuite == self.context.cipherSuite
            )
            try require(.branchHasSomeMembers, new.isSubset(of: old))
        case .application: break
        }
    }

    /// The clients that are members.
    func clients(_ environment: GroupEnvironment) -> [[UInt8]] {
        tree.members.compactMap { tree.client(of: $0, environment.authentication) }
    }
}

extension Group {
    func clients(_ environment: GroupEnvironment) -> [[UInt8]] { publicGroup.clients(environment) }
}
