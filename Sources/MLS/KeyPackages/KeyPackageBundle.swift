import FoundationEssentials
import MildamCrypto
import MildamWire

/// A key package with the private keys that belong to it: what its owner keeps until it was used, and then deletes.
public struct KeyPackageBundle: Sendable {
    /// What is published.
    public let keyPackage: KeyPackage
    let initKey: HPKE.PrivateKey
    let leafKey: HPKE.PrivateKey
    let signer: AnySigningKey

    /// A new key package of a client.
    ///
    /// - Parameters:
    ///   - credential: who the client is.
    ///   - signer: what it signs with.
    ///   - capabilities: what it can do.
    ///   - lifetime: when it can be used.
    ///   - leafExtensions: more about the client, for the group; their kinds are to be among the capabilities.
    ///   - extensions: more about the client, for whoever adds it.
    ///   - grease: where it has values that mean nothing; only those of leaves and key packages count.
    ///   - randomness: where its keys come from.
    /// - Throws: `unknownCipherSuite`; `signingFailed`.
    public init(
        _ credential: Credential,
        signer: SignatureKeyPair,
        capabilities: Capabilities = Capabilities(),
        lifetime: Lifetime,
        leafExtensions: Extensions = Extensions(),
        extensions: Extensions = Extensions(),
        grease: GREASE.Places = .capabilities,
        randomness: Randomness = .system
    ) throws(MLSError) {
        let suite = try Suite.of(signer.cipherSuite)
        initKey = suite.generateKeyPair(randomness)
        leafKey = suite.generateKeyPair(randomness)
        self.signer = signer.key
        var content = LeafNodeContent(
            encryptionKey: HPKEPublicKey(leafKey.publicKey.serialized),
            signatureKey: signer.publicKey,
            credential: credential,
            capabilities: capabilities,
            source: .keyPackage(lifetime),
            extensions: leafExtensions
        )
        content.grease(grease, randomness)
        let isGreased = grease.contains(.keyPackageExtensions)
        keyPackage = try suite.sign(
            KeyPackageContent(
                version: .mls10,
                cipherSuite: suite.cipherSuite,
                initKey: HPKEPublicKey(initKey.publicKey.serialized),
                leafNode: try suite.sign(content, at: nil, by: signer.key),
                extensions: isGreased ? extensions.greased(randomness) : extensions
            ),
            by: signer.key
        )
    }

    /// A key package that was made elsewhere, with its private keys: raw bytes, whose leading zeros may be missing.
    ///
    /// - Throws: `unknownCipherSuite`; `invalidPrivateKey` when a key is none, or not the key package's.
    public init(
        _ keyPackage: KeyPackage,
        signer: some ContiguousBytes,
        initKey: some ContiguousBytes,
        encryptionKey: some ContiguousBytes
    ) throws(MLSError) {
        let suite = try Suite.of(keyPackage.cipherSuite)
        let pair = try SignatureKeyPair(keyPackage.cipherSuite, rawRepresentation: signer)
        self.keyPackage = keyPackage
        self.signer = pair.key
        self.initKey = try suite.privateKey(initKey)
        leafKey = try suite.privateKey(encryptionKey)
        guard pair.publicKey == keyPackage.leafNode.signatureKey,
            self.initKey.publicKey.serialized == keyPackage.initKey.bytes,
            leafKey.publicKey.serialized == keyPackage.leafNode.encryptionKey.bytes
        else { throw .invalidPrivateKey }
    }
}

extension KeyPackageBundle {
    /// The private keys, in memory that nothing wipes: for trials with other implementations, which ask for them.
    package var exposedPrivateKeys: (initKey: [UInt8], encryptionKey: [UInt8], signatureKey: [UInt8]) {
        unsafe (
            initKey.withUnsafeBytes { unsafe Array($0) }, leafKey.withUnsafeBytes { unsafe Array($0) },
            signer.withUnsafeBytes { unsafe Array($0) }
        )
    }
}

extension Suite {
    /// A private key of the suite's KEM, whose leading zeros may be missing.
    func privateKey(_ bytes: some ContiguousBytes) throws(MLSError) -> HPKE.PrivateKey {
        let padded = SymmetricKey(padding: bytes, to: hpke.kem.privateKeyByteCount)
        do {
            return try HPKE.PrivateKey(kem: hpke.kem, rawRepresentation: padded)
        } catch {
            throw .invalidPrivateKey
        }
    }
}

extension KeyPackageBundle {
    /// The private keys, for their owner's store, which seals them: of 32 to 66 bytes each, with a length before it.
    package var privateKeys: SymmetricKey {
        SymmetricKey(capacity: 256) { writer in
            writer.secret(initKey.recordContent)
            writer.secret(leafKey.recordContent)
            writer.secret(signer.recordContent)
        }
    }

    /// A key package that was stored, with its ``privateKeys``.
    ///
    /// - Throws: `malformed`; `unknownCipherSuite`; `invalidPrivateKey` when a key is none, or not the key package's.
    package init(_ keyPackage: KeyPackage, privateKeys: SymmetricKey) throws(MLSError) {
        let keys = try privateKeys.read { (reader) throws(WireError) in
            [try reader.secret(), try reader.secret(), try reader.secret()]
        }
        try self.init(keyPackage, signer: keys[2], initKey: keys[0], encryptionKey: keys[1])
    }
}
