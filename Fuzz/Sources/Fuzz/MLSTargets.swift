import MildamCrypto
import MildamWire

@testable import MildamMLS

/// What MLS reads of strangers (RFC 9420).
extension FuzzTarget {
    /// Anything that goes over the wire. A group of two members takes what it read.
    static let mlsMessage = FuzzTarget(
        name: "mls-message",
        seeds: { MLSSeeds.all.messages.map(\.wireBytes) },
        take: { input in
            guard let message = oneForm(MLSMessage.self, input) else { return }
            if case .publicMessage(let message) = message { planted(message.content.epoch > 1) }
            var group = MLSSeeds.all.group
            let before = (group.publicGroup.context, group.epochAuthenticator)
            guard (try? group.process(message)) == nil else { return }
            mustHold(
                group.publicGroup.context == before.0 && group.epochAuthenticator == before.1,
                "what is refused changes nothing"
            )
        }
    )

    /// A key package, which somebody is to be added by.
    static let mlsKeyPackage = FuzzTarget(
        name: "mls-key-package",
        seeds: { [MLSSeeds.all.bundle.keyPackage.wireBytes] },
        take: { input in
            guard let keyPackage = oneForm(KeyPackage.self, input) else { return }
            planted(keyPackage.cipherSuite != .x25519AES128)
            guard isAdded(keyPackage) else { return }
            let changed = try? KeyPackage(wireBytes: withOneBitFlipped(input))
            mustHold(changed.map(isAdded) != true, "a key package that was changed adds nobody")
        }
    )

    /// A Welcome, and what is in it.
    static let mlsWelcome = FuzzTarget(
        name: "mls-welcome",
        seeds: { [[0] + MLSSeeds.all.welcome.wireBytes, [1] + MLSSeeds.all.secrets] },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            if first == 0 {
                guard let welcome = oneForm(Welcome.self, rest) else { return }
                planted(welcome.cipherSuite != .x25519AES128)
                let seeds = MLSSeeds.all
                let joined = try? Group(
                    joining: welcome,
                    with: seeds.bundle,
                    environment: MLSSeeds.environment,
                    isKnown: { _ in false }
                )
                // What is there for others is not looked at.
                mustHold(
                    joined.map { $0.epochAuthenticator == seeds.epochAuthenticator } ?? true,
                    "a Welcome leads to one group"
                )
            } else if let secrets = try? GroupSecrets(encoded: SymmetricKey(data: rest)) {
                let again = unsafe secrets.encoded.withUnsafeBytes { unsafe Array($0) }
                mustHold(again == rest, "secrets that were read are written as they were")
            }
        }
    )

    /// A GroupInfo, which somebody joins by from outside.
    static let mlsGroupInfo = FuzzTarget(
        name: "mls-group-info",
        seeds: { [MLSSeeds.all.info.wireBytes] },
        take: { input in
            guard let info = oneForm(GroupInfo.self, input) else { return }
            planted(info.groupContext.epoch != 1)
            guard isFollowed(info) else { return }
            let changed = try? GroupInfo(wireBytes: withOneBitFlipped(input))
            mustHold(changed.map(isFollowed) != true, "a GroupInfo that was changed is followed by nobody")
        }
    )

    /// The records that a group is stored in: each with its name before it, and the length of both.
    static let mlsStoredState = FuzzTarget(
        name: "mls-stored-state",
        seeds: { [joined(MLSSeeds.all.group), joined(MLSSeeds.all.waiting)] },
        take: { input in
            guard let list = try? Records(wireBytes: input).list else { return }
            planted(list.count > 3 && list.contains { $0.name.term == .lateMessages(1) })
            guard let group = try? Group(restoring: list, environment: MLSSeeds.environment) else { return }
            let again = try? Group(restoring: group.changes().stored, environment: MLSSeeds.environment)
            mustHold(again != nil, "a group that was restored can be stored again")
            var talking = group
            _ = try? talking.protect([1])
            talking.discardStagedCommit()
            _ = try? talking.commit()
            for message in MLSSeeds.all.messages { _ = try? talking.process(message) }
        }
    )

    /// A ratchet tree.
    static let mlsRatchetTree = FuzzTarget(
        name: "mls-ratchet-tree",
        seeds: { [MLSSeeds.all.group.ratchetTree] },
        take: { input in
            guard let nodes = oneForm(RatchetTree.Nodes.self, input),
                var tree = try? RatchetTree(nodes.list, MLSSeeds.all.group.suite)
            else { return }
            planted(tree.signatureKeys.keys != MLSSeeds.all.group.publicGroup.tree.signatureKeys.keys)
            mustHold(RatchetTree.Nodes(tree.nodes).wireBytes == input, "a tree that was read is written as it was")
            _ = tree.rootHash()
            _ = tree.areParentHashesValid()
            for leaf in tree.members { _ = tree.filteredDirectPath(of: leaf) }
            tree.truncate()
            let leaf = tree.add(MLSSeeds.all.bundle.keyPackage.leafNode)
            mustHold(tree[leaf] != nil, "there is always room for one more")
        }
    )
}

/// `Record records<V>`, each of which has its name and its content as vectors.
private struct Records: WireDecodable {
    let list: [StateRecord]

    init(from reader: inout WireReader) throws(WireError) {
        var list: [StateRecord] = []
        while reader.remaining > 0 {
            let name = try StateRecord.Name(wireBytes: try reader.vector())
            list.append(StateRecord(name: name, content: SymmetricKey(data: try reader.vector())))
        }
        self.list = list
    }
}

private func joined(_ group: Group) -> [UInt8] {
    var writer = WireWriter()
    for record in group.changes().stored {
        writer.vector(record.name.wireBytes)
        unsafe record.content.withUnsafeBytes { unsafe writer.vector($0) }
    }
    return writer.bytes
}

/// Whether a member of a group adds somebody by this key package.
private func isAdded(_ keyPackage: KeyPackage) -> Bool {
    var group = MLSSeeds.all.group
    var options = CommitOptions()
    options.proposals = [.add(keyPackage)]
    return (try? group.commit(options)) != nil
}

/// Whether somebody joins by this GroupInfo from outside.
private func isFollowed(_ info: GroupInfo) -> Bool {
    (try? ExternalJoin(info, with: MLSSeeds.all.bundle, environment: MLSSeeds.environment)) != nil
}

/// The input with one of its bits changed; which, follows from the input.
private func withOneBitFlipped(_ input: [UInt8]) -> [UInt8] {
    var changed = input
    let place = input.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % (8 * input.count)
    changed[place / 8] ^= 1 << (place % 8)
    return changed
}

/// A group of two, and one who is to come in.
private struct MLSSeeds: Sendable {
    let group: Group
    /// A member who waits for a commit to be ordered.
    let waiting: Group
    let bundle: KeyPackageBundle
    let welcome: Welcome
    let info: GroupInfo
    let messages: [MLSMessage]
    let secrets: [UInt8]
    /// Of the epoch that the Welcome leads to.
    let epochAuthenticator: [UInt8]

    static let all = must { () throws(MLSError) in try MLSSeeds() }

    static let environment = GroupEnvironment(
        authentication: Anybody(),
        policy: Anybody(),
        now: { 1_700_000_000 }
    )

    private init() throws(MLSError) {
        func person(_ name: String) throws(MLSError) -> KeyPackageBundle {
            try KeyPackageBundle(
                .basic(identity: Array(name.utf8)),
                signer: SignatureKeyPair(.x25519AES128),
                lifetime: Lifetime(notBefore: 1_600_000_000, notAfter: 1_800_000_000)
            )
        }
        let bob = try person("bob")
        bundle = try person("carol")
        var alice = try Group(creating: GroupID([1]), with: person("alice"), environment: MLSSeeds.environment)
        var options = CommitOptions()
        options.framing = .publicMessage
        options.proposals = [.add(bob.keyPackage)]
        guard case .welcome(let forBob)? = try alice.commit(options).welcome else { throw .notWelcome }
        try alice.mergeStagedCommit()
        info = try alice.groupInfo()
        let before = alice
        let (proposal, _) = try alice.proposeUpdate(framing: .publicMessage)
        var committing = before
        options.proposals = [.add(bundle.keyPackage)]
        let commit = try committing.commit(options)
        guard case .welcome(let welcome)? = commit.welcome else { throw .notWelcome }
        self.welcome = welcome
        waiting = committing
        try committing.mergeStagedCommit()
        epochAuthenticator = committing.epochAuthenticator
        var talking = before
        let text = try talking.protect([1, 2, 3], padding: 5)
        let join = try ExternalJoin(info, with: bundle, environment: MLSSeeds.environment)
        group = try Group(joining: forBob, with: bob, environment: MLSSeeds.environment, isKnown: { _ in false })
        messages = [
            proposal, commit.commit, text, join.commit, .welcome(welcome), .groupInfo(info),
            .keyPackage(bundle.keyPackage),
        ]
        let key = SymmetricKey(data: [UInt8](repeating: 7, count: 32))
        let id = PreSharedKeyID(key: .external(id: [1]), nonce: [UInt8](repeating: 8, count: 32))
        let secrets = GroupSecrets(joinerSecret: key, pathSecret: key, presharedKeys: [id])
        self.secrets = unsafe secrets.encoded.withUnsafeBytes { unsafe Array($0) }
    }
}

/// Takes everybody for who they say they are.
private struct Anybody: AuthenticationService, GroupPolicy {
    func isValid(_ credential: Credential, signatureKey: SignaturePublicKey) -> Bool { true }
    func isValid(_ new: Credential, asSuccessorOf old: Credential) -> Bool { true }
    func client(of leaf: LeafNode) -> [UInt8] { leaf.signatureKey.bytes }
    func accepts(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool { true }
    func acceptsExternalJoin(of leaf: LeafNode, replacing old: LeafNode?, in group: PublicGroup) -> Bool { true }
    var maximumLifetime: UInt64 { .max }
}
