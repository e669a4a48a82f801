import MildamCrypto

/// Secrets between a group and one who joins it from outside (RFC 9420, section 8.3).
extension Suite {
    private static let exportLabel = Array("MLS 1.0 external init secret".utf8)

    /// The public key that those outside can encapsulate a secret to.
    func externalPub(_ external: SymmetricKey) throws(MLSError) -> HPKEPublicKey {
        HPKEPublicKey(try keyPair(from: external).publicKey.serialized)
    }

    /// The init secret that a new member has sent.
    ///
    /// - Throws: `decryptionFailed`.
    func receiveInitSecret(_ kemOutput: [UInt8], external: SymmetricKey) throws(MLSError) -> SymmetricKey {
        let key = try keyPair(from: external)
        do throws(HPKE.Errors) {
            let secret = try HPKE.receiveExport(
                kemOutput.span,
                with: key,
                ciphersuite: hpke,
                context: Suite.exportLabel.span,
                outputByteCount: secretSize
            )
            return SymmetricKey(secret)
        } catch {
            throw .decryptionFailed
        }
    }

    /// An init secret for a group, and how it is sent.
    ///
    /// - Throws: `invalidPublicKey`.
    func sendInitSecret(
        to externalPub: HPKEPublicKey,
        _ randomness: Randomness
    ) throws(MLSError) -> (kemOutput: [UInt8], secret: SymmetricKey) {
        do throws(HPKE.Errors) {
            let key = try HPKE.PublicKey(kem: hpke.kem, serialized: externalPub.bytes.span)
            let export = try HPKE.sendExport(
                to: key,
                ciphersuite: hpke,
                context: Suite.exportLabel.span,
                outputByteCount: secretSize,
                ephemeral: generateKeyPair(randomness)
            )
            let kemOutput = export.encapsulatedKey
            return (kemOutput, SymmetricKey(export.takeSecret()))
        } catch {
            throw .invalidPublicKey
        }
    }
}
