import MildamCrypto

/// An SSH key under a passphrase. Its public key is not: a file for somebody else asks for no passphrase.
struct OpenSSHLockedKey: AgeLockedKey {
    private let publicKey: OpenSSHPublicKey
    private let lock: OpenSSHLock
    /// The private part, encrypted.
    private let part: [UInt8]

    /// - Throws: `malformedSSHKey` for a part that is not made of whole blocks.
    init(_ publicKey: OpenSSHPublicKey, _ lock: OpenSSHLock, part: Span<UInt8>) throws(AgeKeyDefect) {
        guard part.count > 0, part.count.isMultiple(of: OpenSSHCipher.blockSize) else { throw .malformedSSHKey }
        self.publicKey = publicKey
        self.lock = lock
        self.part = unsafe part.withUnsafeBufferPointer { unsafe Array($0) }
    }

    func mayOpen(_ header: AgeHeader) -> Bool {
        let tag = publicKey.tag
        return header.stanzas.contains { stanza in
            stanza.arguments.count > 1 && stanza.arguments[0] == publicKey.type && stanza.arguments[1] == tag
        }
    }

    func identities(passphrase: borrowing SecretBytes) throws(AgeKeyLock) -> [any AgeIdentity] {
        guard passphrase.count > 0 else { throw .wrongPassphrase }
        let opened = try open(passphrase)
        guard OpenSSHPrivateKey.hasEqualChecks(opened.span) else { throw .wrongPassphrase }
        do throws(AgeKeyDefect) {
            return [try publicKey.identity(opened.span, blockSize: OpenSSHCipher.blockSize)]
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
