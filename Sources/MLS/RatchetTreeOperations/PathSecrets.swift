import MildamCrypto

/// The secrets of a path, from one node up to the root and one step beyond (RFC 9420, section 7.4).
struct PathSecrets: Sendable {
    /// `path_secret[n]` of each node.
    let secrets: [SymmetricKey]
    /// The nodes' key pairs.
    let keys: [HPKE.PrivateKey]
    /// What the key schedule takes: the path secret that would follow the last.
    let commitSecret: SymmetricKey

    /// What follows from the secret of the lowest of `count` nodes.
    ///
    /// - Throws: `decryptionFailed`, which never happens by chance.
    init(_ suite: Suite, from first: SymmetricKey, count: Int) throws(MLSError) {
        var secrets: [SymmetricKey] = []
        var keys: [HPKE.PrivateKey] = []
        var secret = first
        for _ in 0..<count {
            secrets.append(secret)
            keys.append(try suite.keyPair(from: suite.derive(secret, "node")))
            secret = suite.derive(secret, "path")
        }
        self.secrets = secrets
        self.keys = keys
        commitSecret = secret
    }
}
