import MildamCrypto
import MildamWire

/// What follows from an epoch's secret, but for the secret tree (RFC 9420, section 8, table 4).
struct EpochSecrets: Sendable {
    let senderData: SymmetricKey
    let exporter: SymmetricKey
    let external: SymmetricKey
    let confirmationKey: SymmetricKey
    let membershipKey: SymmetricKey
    let resumptionPSK: SymmetricKey
    let epochAuthenticator: SymmetricKey
    /// For the next epoch.
    let initSecret: SymmetricKey

    /// The secrets that follow from `epoch_secret`.
    init(_ suite: Suite, epochSecret: SymmetricKey) {
        senderData = suite.derive(epochSecret, "sender data")
        exporter = suite.derive(epochSecret, "exporter")
        external = suite.derive(epochSecret, "external")
        confirmationKey = suite.derive(epochSecret, "confirm")
        membershipKey = suite.derive(epochSecret, "membership")
        resumptionPSK = suite.derive(epochSecret, "resumption")
        epochAuthenticator = suite.derive(epochSecret, "authentication")
        initSecret = suite.derive(epochSecret, "init")
    }
}

/// The way from one epoch's secret to the next one's (RFC 9420, section 8).
struct Joiner: Sendable {
    /// What new members are told.
    let secret: SymmetricKey

    /// A joiner secret that a Welcome brought.
    init(secret: SymmetricKey) { self.secret = secret }

    /// The joiner secret of a new epoch.
    init(_ suite: Suite, initSecret: SymmetricKey, commitSecret: SymmetricKey, context: [UInt8]) {
        secret = suite.expand(suite.extract(salt: initSecret, commitSecret), "joiner", context: context)
    }

    /// What the epoch's secret and a Welcome's key follow from.
    func member(_ suite: Suite, presharedSecret: SymmetricKey) -> MemberSecret {
        MemberSecret(secret: suite.extract(salt: secret, presharedSecret))
    }
}

/// What joiner secret and pre-shared keys make together.
struct MemberSecret: Sendable {
    let secret: SymmetricKey

    func welcomeSecret(_ suite: Suite) -> SymmetricKey { suite.derive(secret, "welcome") }

    func epochSecret(_ suite: Suite, context: [UInt8]) -> SymmetricKey {
        suite.expand(secret, "epoch", context: context)
    }

    /// The key and the nonce of a Welcome's GroupInfo (RFC 9420, section 12.4.3.1).
    func welcomeKey(_ suite: Suite) -> MessageKey {
        let secret = welcomeSecret(suite)
        return MessageKey(
            key: suite.expand(secret, "key", size: suite.aead.keyByteCount),
            nonce: suite.expand(secret, "nonce", size: suite.aead.nonceByteCount)
        )
    }
}
