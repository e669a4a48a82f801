/// What proposals would make of a group, if they may (RFC 9420, sections 12.1 to 12.3).
extension PublicGroup {
    /// The group's public part after these proposals.
    ///
    /// - Parameters:
    ///   - linking: what the key of another group's epoch is used for, in a group's first commit only.
    ///   - sending: whether they are one's own, or one commits them.
    func evolve(
        _ resolved: [ResolvedProposal],
        by committer: ProposalList.Committer,
        linking: ResumptionPSKUsage? = nil,
        sending: Bool = false,
        _ environment: GroupEnvironment
    ) throws(MLSError) -> Evolution {
        let list = try ProposalList(resolved, by: committer)
        try checkKinds(resolved, list)
        try check(list, linking)
        let evolution = try Evolution(list, to: tree, context.extensions)
        let check = leafCheck(evolution.extensions, environment, sending: sending)
        _ = try inParallel(list.adds.count) { (place) throws(MLSError) in try check.check(list.adds[place]) }
        for (index, leaf) in list.updates {
            let old = try required(.updateIsFromMember, tree[index])
            try check.check(leaf, at: index, from: .update(of: old))
        }
        try checkClients(evolution, environment)
        if let extensions = list.groupContextExtensions { try self.check(extensions, evolution, check) }
        return evolution
    }

    /// What leaves are held against.
    func leafCheck(
        _ extensions: Extensions,
        _ environment: GroupEnvironment,
        sending: Bool = false
    ) -> LeafNodeCheck {
        LeafNodeCheck(
            suite: suite,
            group: context.groupID,
            extensions: extensions,
            environment: environment,
            isSending: sending
        )
    }

    /// Kinds of proposals that not everybody knows by the RFC: those know them who are to follow, which is not whom the commit
    /// removes, nor whom it adds.
    private func checkKinds(_ resolved: [ResolvedProposal], _ list: ProposalList) throws(MLSError) {
        let types = resolved.map(\.proposal.type).filter { !$0.isDefault }
        guard !types.isEmpty else { return }
        let gone = Set(list.gone)
        for index in tree.members where !gone.contains(index) {
            guard let leaf = tree[index] else { continue }
            try require(.proposalIsSupportedByAll, types.allSatisfy { leaf.capabilities.supports($0) })
        }
    }

    private func check(_ list: ProposalList, _ linking: ResumptionPSKUsage?) throws(MLSError) {
        for id in list.presharedKeys {
            try require(.presharedKeyNonceHasSize, id.nonce.count == suite.secretSize)
            if case .resumption(let usage, _, _) = id.key {
                // The others belong to a group's first commit, which nobody receives.
                try require(.resumptionKeyIsForApplication, usage == .application || usage == linking)
            }
        }
        if let kemOutput = list.externalInit {
            // Whoever follows without secrets would go where no member can.
            try require(.externalInitIsValid, suite.isValid(HPKEPublicKey(kemOutput)))
        }
        if let reInit = list.reInit {
            try require(.reInitVersionIsNotLower, reInit.version.rawValue >= context.version.rawValue)
            try require(.reInitExtensionsAreDistinct, reInit.extensions.areDistinct)
        }
    }

    /// No client comes in twice.
    private func checkClients(_ evolution: Evolution, _ environment: GroupEnvironment) throws(MLSError) {
        guard !evolution.added.isEmpty else { return }
        let tree = evolution.tree
        func client(_ index: LeafIndex) -> [UInt8]? { tree.client(of: index, environment.authentication) }
        let names = Set(evolution.added.compactMap(client))
        try require(.addsAreDistinctClients, names.count == evolution.added.count)
        let newcomers = Set(evolution.added)
        let others = tree.members.lazy.filter { !newcomers.contains($0) }.compactMap(client)
        try require(.addIsNewClient, !others.contains { names.contains($0) })
    }

    /// Extensions that the group is to have: everybody who stays has to be able to follow.
    private func check(
        _ extensions: Extensions,
        _ evolution: Evolution,
        _ check: LeafNodeCheck
    ) throws(MLSError) {
        try require(.groupExtensionsAreDistinct, extensions.areDistinct)
        for index in evolution.tree.members {
            guard let leaf = evolution.tree[index] else { continue }
            try check.checkGroupExtensions(leaf.capabilities)
        }
        try PublicGroup.checkExternalSenders(extensions, check.environment)
    }

    /// Whether those who may propose from outside are who they say.
    static func checkExternalSenders(_ extensions: Extensions, _ environment: GroupEnvironment) throws(MLSError) {
        let senders: [ExternalSender]
        do {
            senders = try extensions.read(.externalSenders, as: ExternalSenders.self)?.list ?? []
        } catch {
            throw .malformed(error)
        }
        for sender in senders {
            let isValid = environment.authentication.isValid(sender.credential, signatureKey: sender.signatureKey)
            guard isValid else { throw .credentialRefused }
        }
    }
}
