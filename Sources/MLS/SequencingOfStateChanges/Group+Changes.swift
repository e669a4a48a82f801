import MildamCrypto

/// What a store has to do to hold a group (RFC 9420, section 14).
extension Group {
    /// What is different from a state of this group that is stored; all of it, where none is.
    ///
    /// A message changes one record, and at the first one of a sender twice as many more as the tree is high; a commit changes the
    /// records of its path and of those who come and go.
    ///
    /// - Parameter stored: this group as the store has it. One that went another way since, such as before it was joined anew,
    ///   is stored anew as a whole.
    public func changes(since stored: Group? = nil) -> StateChanges {
        guard let stored else { return allChanges(in: [:]) }
        guard continues(stored) else { return allChanges(in: stored.terms) }
        let before = stored.terms
        var changes = StateChanges(
            ended: before.filter { terms[$0.key] != $0.value }.keys,
            begun: terms.filter { before[$0.key] != $0.value }.keys
        )
        // Another key to sign with came by a commit.
        if stored.memberContent != memberContent { changes.store(.member, memberContent) }
        if stored.contextContent != contextContent { changes.store(.context, contextContent) }
        if stored.number != number { publicGroup.tree.note(&changes, since: stored.publicGroup.tree) }
        note(&changes, since: stored)
        return changes
    }

    /// - Parameter terms: those that there are records of.
    private func allChanges(in before: [StateRecord.Term: [UInt8]]) -> StateChanges {
        var changes = StateChanges(ended: before.keys, begun: terms.keys)
        changes.store(.member, memberContent)
        changes.store(.context, contextContent)
        publicGroup.tree.note(&changes, since: nil)
        note(&changes, since: nil)
        return changes
    }

    var number: UInt64 { publicGroup.context.epoch }

    /// Whether this is what became of an earlier state.
    private func continues(_ stored: Group) -> Bool {
        guard stored.number <= number, stored.own.leaf == own.leaf, stored.suite.cipherSuite == suite.cipherSuite else {
            return false
        }
        let then =
            stored.number == number
            ? publicGroup.contextBytes : pastEpochs.first { $0.number == stored.number }?.contextBytes
        return then.map { $0 == stored.publicGroup.contextBytes } ?? true
    }

    /// The terms that there are records of, each with the context of its epoch: of two that follow the same one, only one is
    /// ordered.
    private var terms: [StateRecord.Term: [UInt8]] {
        guard ending != .removed else { return [.group: []] }
        var terms: [StateRecord.Term: [UInt8]] = [
            .group: [], .epoch(number): publicGroup.contextBytes, .lateMessages(number): publicGroup.contextBytes,
        ]
        for past in pastEpochs { terms[.lateMessages(past.number)] = past.contextBytes }
        if let staged { terms[.epoch(number + 1)] = staged.publicGroup.contextBytes }
        return terms
    }

    private func note(_ changes: inout StateChanges, since stored: Group?) {
        guard ending != .removed else { return }
        noteEpoch(&changes, since: stored?.number == number ? stored : nil)
        notePastEpochs(&changes, since: stored)
        noteStagedCommit(&changes, since: stored)
    }

    // MARK: The epoch

    /// - Parameter stored: this epoch, as it is stored.
    private func noteEpoch(_ changes: inout StateChanges, since stored: Group?) {
        if stored == nil { changes.store(.epoch(number), epochContent) }
        noteProposals(&changes, since: stored)
        epoch.secretTree.note(&changes, number, since: stored?.epoch.secretTree)
    }

    private func noteProposals(_ changes: inout StateChanges, since stored: Group?) {
        let (known, list) = (stored?.publicGroup.proposals.list ?? [], publicGroup.proposals.list)
        for (place, entry) in list.enumerated() {
            guard place >= known.count || known[place].reference != entry.reference else { continue }
            changes.store(.proposal(number, UInt32(place)), entry.recordContent)
        }
        for place in list.count..<max(list.count, known.count) { changes.remove(.proposal(number, UInt32(place))) }
        let (keys, knownKeys) = (proposedKeys, stored?.proposedKeys ?? [:])
        for (publicKey, key) in keys where knownKeys[publicKey] == nil {
            changes.store(.proposedKey(number, publicKey), key.recordContent)
        }
        for publicKey in knownKeys.keys where keys[publicKey] == nil { changes.remove(.proposedKey(number, publicKey)) }
        let (sent, knownSent) = (sentProposals, stored?.sentProposals ?? [:])
        for (message, reference) in sent where knownSent[message] == nil {
            changes.store(.sentProposal(number, digest(message)), message.recordContent(reference))
        }
        for message in knownSent.keys where sent[message] == nil {
            changes.remove(.sentProposal(number, digest(message)))
        }
    }

    private func digest(_ message: MLSMessage) -> [UInt8] {
        let bytes = message.wireBytes
        return suite.hash.hash(bytes.span)
    }

    // MARK: Other epochs

    private func notePastEpochs(_ changes: inout StateChanges, since stored: Group?) {
        for (place, past) in pastEpochs.enumerated() {
            let known = stored?.pastEpochs.first { $0.number == past.number }
            let before = known?.secretTree ?? (stored?.number == past.number ? stored?.epoch.secretTree : nil)
            past.secretTree.note(&changes, past.number, since: before)
            guard known == nil else { continue }
            changes.store(.pastEpoch(past.number), past.recordContent)
            let next = place + 1 < pastEpochs.count ? pastEpochs[place + 1].leaves : publicGroup.tree.leaves
            for (offset, leaf) in past.leaves.enumerated() {
                guard leaf !== (offset < next.count ? next[offset] : nil) else { continue }
                changes.store(.pastLeaf(past.number, LeafIndex(offset)), leaf?.node.recordContent ?? .nothing)
            }
        }
    }

    private func noteStagedCommit(_ changes: inout StateChanges, since stored: Group?) {
        // One that was merged: its epoch has begun.
        if let stored, let merged = stored.staged, merged.publicGroup.contextBytes == publicGroup.contextBytes {
            changes.remove(.staged(number))
        }
        if let staged, staged !== stored?.staged {
            changes.store(.staged(number + 1), staged.content(after: publicGroup.tree))
        }
    }
}

extension RatchetTree {
    /// The nodes that are others than those of an earlier tree; `nil` for those that are blank now.
    func changedNodes(since stored: RatchetTree?) -> [(index: NodeIndex, node: Node?)] {
        var changed: [(index: NodeIndex, node: Node?)] = []
        for place in 0..<max(leaves.count, stored?.leaves.count ?? 0) {
            let leaf = place < leaves.count ? leaves[place] : nil
            let before = stored.flatMap { place < $0.leaves.count ? $0.leaves[place] : nil }
            if leaf !== before { changed.append((LeafIndex(place).node, (leaf?.node).map(Node.leaf))) }
        }
        for place in 0..<max(parents.count, stored?.parents.count ?? 0) {
            let parent = place < parents.count ? parents[place] : nil
            let before = stored.flatMap { place < $0.parents.count ? $0.parents[place] : nil }
            if parent !== before { changed.append((NodeIndex(2 * place + 1), (parent?.node).map(Node.parent))) }
        }
        return changed
    }

    fileprivate func note(_ changes: inout StateChanges, since stored: RatchetTree?) {
        for (index, node) in changedNodes(since: stored) {
            switch node {
            case .leaf(let leaf): changes.store(.leaf(index.leaf), leaf.recordContent)
            case .parent(let parent): changes.store(.parent(index), parent.recordContent)
            case nil: changes.remove(index.isLeaf ? .leaf(index.leaf) : .parent(index))
            }
        }
    }
}

extension SecretTree {
    /// - Parameter stored: the tree of the same epoch.
    fileprivate func note(_ changes: inout StateChanges, _ epoch: UInt64, since stored: SecretTree?) {
        for (id, ratchet) in ratchets {
            let before = stored?.ratchets[id]
            guard ratchet.generation != before?.generation || ratchet.skipped.count != before?.skipped.count else {
                continue
            }
            changes.store(.ratchet(epoch, id), ratchet.recordContent)
        }
        // A secret goes only when a ratchet grows out of it.
        guard ratchets.count != stored?.ratchets.count else { return }
        for (index, secret) in nodes where stored?.nodes[index] == nil {
            changes.store(.treeSecret(epoch, index), secret)
        }
        for index in (stored?.nodes ?? [:]).keys where nodes[index] == nil {
            changes.remove(.treeSecret(epoch, index))
        }
    }
}
