import MildamCrypto

/// What a new member does with a Welcome (RFC 9420, section 12.4.3.1).
extension Welcome {
    /// The secrets for a key package.
    ///
    /// - Throws: `notWelcome`; `decryptionFailed`; `malformed`.
    func groupSecrets(
        for keyPackage: KeyPackage,
        _ initKey: HPKE.PrivateKey,
        _ suite: Suite
    ) throws(MLSError) -> GroupSecrets {
        let reference = suite.reference(to: keyPackage)
        guard let entry = secrets.first(where: { $0.newMember == reference }) else { throw .notWelcome }
        let encoded = try suite.decrypt(
            entry.encryptedGroupSecrets,
            with: initKey,
            .welcome,
            context: encryptedGroupInfo
        )
        return try GroupSecrets(encoded: encoded)
    }

    /// The group's state; its signature is not looked at.
    ///
    /// - Throws: `decryptionFailed`; `malformed`.
    func groupInfo(_ member: MemberSecret, _ suite: Suite) throws(MLSError) -> GroupInfo {
        let key = member.welcomeKey(suite)
        let plain: [UInt8]
        do {
            plain = try suite.aead.open(
                encryptedGroupInfo.span,
                using: key.key,
                nonce: key.nonce(guardedBy: 0).span,
                authenticating: Span()
            )
        } catch {
            throw .decryptionFailed
        }
        do { return try GroupInfo(wireBytes: plain) } catch { throw .malformed(error) }
    }
}
