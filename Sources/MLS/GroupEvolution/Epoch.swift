import MildamCrypto

/// The secrets of one epoch, as a member has them (RFC 9420, sections 8 and 9).
struct Epoch: Sendable {
    let secrets: EpochSecrets
    var secretTree: SecretTree

    init(secrets: EpochSecrets, secretTree: SecretTree) {
        self.secrets = secrets
        self.secretTree = secretTree
    }

    /// The epoch that follows from `epoch_secret`.
    init(_ suite: Suite, epochSecret: SymmetricKey, _ shape: TreeShape) {
        secrets = EpochSecrets(suite, epochSecret: epochSecret)
        secretTree = SecretTree(shape, encryptionSecret: suite.derive(epochSecret, "encryption"))
    }
}

/// What is kept of an epoch that is over: enough to read its late messages.
struct PastEpoch: Sendable {
    let number: UInt64
    let contextBytes: [UInt8]
    let senderData: SymmetricKey
    var secretTree: SecretTree
    /// The leaves of that time.
    let leaves: [TreeLeaf?]
}
