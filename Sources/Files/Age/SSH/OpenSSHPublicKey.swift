/// A public key of a type that opens age files, as it stands in OpenSSH's private key files.
enum OpenSSHPublicKey: Sendable, Equatable {
    case ed25519(SSHPublicKey)
    case rsa(SSHRSAPublicKey)

    /// Reads a key.
    ///
    /// - Throws: `unsupportedSSHKey` or `unknownKind` for one of another type; `rsaKeySize`, `malformedSSHKey`.
    init(_ bytes: Span<UInt8>) throws(AgeKeyDefect) {
        var reader = SSHReader(bytes)
        let type = try reader.string()
        if bytes.extracting(type).equals(SSHRSAPublicKey.type) {
            self = .rsa(try SSHRSAPublicKey(bytes))
        } else {
            self = .ed25519(try SSHPublicKey(bytes))
        }
    }

    /// What stanzas for it are called.
    var type: String {
        switch self {
        case .ed25519: SSHPublicKey.type
        case .rsa: SSHRSAPublicKey.type
        }
    }

    /// What stanzas name it by.
    var tag: String {
        switch self {
        case .ed25519(let key): AgeSSH.tag(key)
        case .rsa(let key): AgeSSH.tag(of: key.bytes)
        }
    }

    /// The identity of a private part.
    ///
    /// - Parameter blockSize: what it was filled up to a multiple of, in bytes.
    func identity(_ part: Span<UInt8>, blockSize: Int) throws(AgeKeyDefect) -> any AgeIdentity {
        switch self {
        case .ed25519(let key): try AgeSSHIdentity(OpenSSHPrivateKey(part, of: key, blockSize: blockSize))
        case .rsa(let key): AgeSSHRSAIdentity(try OpenSSHRSAPrivateKey(part, of: key, blockSize: blockSize).key)
        }
    }
}
