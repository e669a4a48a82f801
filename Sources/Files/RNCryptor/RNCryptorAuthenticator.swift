import MildamCrypto

/// The HMACs that a file may end with, under one pair of keys, as its ciphertext passes.
struct RNCryptorAuthenticator: Sendable {
    enum Code { case sha1, sha256 }

    let keys: RNCryptorKeys
    private var sha256: HMAC<SHA256>
    /// Of the first layouts only.
    private var sha1: HMAC<Insecure.SHA1>?

    init(_ keys: RNCryptorKeys, _ header: RNCryptorHeader) {
        self.keys = keys
        sha256 = HMAC(key: keys.hmac)
        switch header.version {
        case .zero: sha1 = HMAC(key: keys.hmac)
        case .one: break
        case .two, .three: sha256.update(data: header.bytes)
        }
    }

    mutating func update(_ ciphertext: Span<UInt8>) {
        unsafe ciphertext.withUnsafeBytes { ciphertext in
            unsafe sha256.update(bufferPointer: ciphertext)
            unsafe sha1?.update(bufferPointer: ciphertext)
        }
    }

    /// The field that a new file ends with.
    var field: [UInt8] { Array(sha256.finalize()) }

    /// Which HMAC the field of 32 bytes holds; `nil` when none.
    func code(in field: [UInt8]) -> Code? {
        if sha256.finalize() == field { return .sha256 }
        // RNCryptor 1.0 left room for SHA-256.
        let zeros = [UInt8](repeating: 0, count: 12)
        guard let sha1, constantTimeEquals(Array(sha1.finalize()) + zeros, field) else { return nil }
        return .sha1
    }
}

/// Authenticates the ciphertext of a file on its way, under each pair of keys that may be its own.
final class RNCryptorAuthentication: FileStage, @unchecked Sendable {  // one thread at a time, as FileStage says
    private var authenticators: [RNCryptorAuthenticator]
    private let version: RNCryptorHeader.Version

    init(_ candidates: [RNCryptorKeys], _ header: RNCryptorHeader) {
        authenticators = candidates.map { RNCryptorAuthenticator($0, header) }
        version = header.version
    }

    func process(_ piece: inout FilePiece) {
        for index in authenticators.indices { authenticators[index].update(piece.bytes.span) }
    }

    /// The keys under which the file ends with the right field, and which HMAC it is.
    ///
    /// - Parameter size: the ciphertext's, or its last piece's.
    /// - Throws: `truncated` for a size that no file of this version has; `authenticationFailed`.
    func verified(
        _ field: [UInt8],
        size: Int
    ) throws(RNCryptorError) -> (keys: RNCryptorKeys, code: RNCryptorAuthenticator.Code) {
        guard version == .zero || RNCryptorContent.isWholeBlocks(size) else { throw .truncated }
        for authenticator in authenticators {
            if let code = authenticator.code(in: field) { return (authenticator.keys, code) }
        }
        throw .authenticationFailed
    }
}
