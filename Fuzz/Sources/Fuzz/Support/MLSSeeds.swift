import MildamCrypto

@testable import MildamMLS

/// A group of two, and one who is to come in.
struct MLSSeeds: Sendable {
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
        grease: .all,
        now: { 1_700_000_000 }
    )

    private init() throws(MLSError) {
        func person(_ name: String) throws(MLSError) -> KeyPackageBundle {
            try KeyPackageBundle(
                .basic(identity: Array(name.utf8)),
                signer: SignatureKeyPair(.x25519AES128),
                lifetime: Lifetime(notBefore: 1_600_000_000, notAfter: 1_800_000_000),
                grease: .all
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
    func acceptsStanding(_ proposal: Proposal, from sender: Sender, in group: PublicGroup) -> Bool { true }
    func accepts(_ review: CommitReview) -> Bool { true }
    var maximumLifetime: UInt64 { .max }
}
