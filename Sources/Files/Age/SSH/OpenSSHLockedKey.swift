import MildamCrypto

/// An Ed25519 SSH key under a passphrase. Its public key is not: a file for somebody else asks for no passphrase.
struct OpenSSHLockedKey: AgeLockedKey {
    private let publicKey: SSHPublicKey
    private let lock: OpenSSHLock
    /// The private part, encrypted.
    private let part: [UInt8]

    /// - Throws: `malformedSSHKey` for a part that is not made of whole blocks.
    init(_ publicKey: SSHPublicKey, _ lock: OpenSSHLock, part: Span<UInt8>) throws(AgeKeyDefect) {
        guard part.count > 0, part.count.isMultiple(of: OpenSSHCipher.blockSize) else { throw .malformedSSHKey }
        self.publicKey = publicKey
        self.lock = lock
        self.part = unsafe part.withUnsafeBufferPointer { unsafe Array($0) }
    }

    func mayOpen(_ header: AgeHeader) -> Bool {
        let tag = AgeSSH.tag(publicKey)
        return header.stanzas.contains { stanza in
            stanza.arguments.count > 1 && stanza.arguments[0] == AgeSSH.type && stanza.arguments[1] == tag
        }
    }

    func identities(passphrase: borrowing SecretBytes) throws(AgeKeyLock) -> [any AgeIdentity] {
        guard passphrase.count > 0 else { throw .wrongPassphrase }
        let opened = try open(passphrase)
        guard OpenSSHPrivateKey.hasEqualChecks(opened.span) else { throw .wrongPassphrase }
        do throws(AgeKeyDefect) {
            let key = try OpenSSHPrivateKey(opened.span, of: publicKey, blockSize: OpenSSHCipher.blockSize)
            return [try AgeSSHIdentity(key)]
        } catch {
            throw .damaged
        }
    }

    private func open(_ passphrase: borrowing SecretBytes) throws(AgeKeyLock) -> SecretBytes {
        do throws(CryptoKitError) {
            return try lock.open(part.span, with: passphrase)
        } catch {
            throw .cryptography(error)
        }
    }
}
