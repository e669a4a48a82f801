import MildamCrypto
import MildamWire

/// The private keys of a leaf that was proposed, which count once somebody has committed it.
struct ProposedKeys: Sendable {
    let leafKey: HPKE.PrivateKey
    /// `nil` where the key that one signs with stays.
    let signer: AnySigningKey?

    init(leafKey: HPKE.PrivateKey, signer: AnySigningKey?) {
        self.leafKey = leafKey
        self.signer = signer
    }

    /// Those of a record.
    ///
    /// - Throws: `malformed`; `invalidPrivateKey`.
    init(_ content: SymmetricKey, _ suite: Suite) throws(MLSError) {
        let (leafKey, signer) = try content.read { (reader) throws(WireError) in
            (try reader.secret(), try reader.secret())
        }
        self.leafKey = try suite.privateKey(leafKey)
        guard signer.bitCount > 0 else {
            self.signer = nil
            return
        }
        self.signer = try SignatureKeyPair(suite.cipherSuite, rawRepresentation: signer).key
    }

    /// Both as they are stored.
    var recordContent: SymmetricKey {
        SymmetricKey(capacity: 2 * 68) { writer in
            writer.secret(leafKey.recordContent)
            writer.secret(signer?.recordContent ?? .nothing)
        }
    }
}
