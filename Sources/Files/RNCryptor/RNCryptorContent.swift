import MildamCrypto

/// What opens the content of a file whose HMAC was found right.
struct RNCryptorContent {
    let header: RNCryptorHeader
    let keys: RNCryptorKeys
    let layout: RNCryptorLayout

    /// The way to open a file.
    ///
    /// - Parameters:
    ///   - size: the ciphertext's, in bytes.
    ///   - end: its last two blocks, or as much of them as there is.
    init(
        _ header: RNCryptorHeader,
        _ verified: (keys: RNCryptorKeys, code: RNCryptorAuthenticator.Code),
        _ format: RNCryptorFormat,
        size: Int,
        end: [UInt8]
    ) {
        self.header = header
        keys = verified.keys
        if let layout = RNCryptorLayout(header.version) {
            self.layout = layout
        } else if verified.code == .sha1 {
            layout = .counterSHA1
        } else if !format.isCounter, RNCryptorContent.isWholeBlocks(size),
            RNCryptorContent.isPadded(end, header.iv, verified.keys.encryption)
        {
            layout = .chainingSHA256
        } else {
            layout = .counterSHA256
        }
    }

    /// What the file was, its content being so many bytes.
    func opened(size: Int) -> RNCryptorOpened {
        RNCryptorOpened(layout: layout, isPasswordTruncated: keys.isPasswordTruncated, size: size)
    }

    /// Whether a ciphertext of this size can be one of CBC.
    static func isWholeBlocks(_ size: Int) -> Bool { size > 0 && size.isMultiple(of: RNCryptorFile.blockSize) }

    /// Decrypts the content, which is read and written in pieces.
    ///
    /// - Throws: `authenticationFailed` for a wrong padding.
    func decrypt(
        reading read: (inout FilePiece) throws(RNCryptorError) -> Void,
        writing write: (FilePiece) throws(RNCryptorError) -> Void
    ) throws(RNCryptorError) {
        if layout.isChaining {
            var cipher = try RNCryptorContent.chainingCipher(header, keys)
            try cipher.decrypt(reading: read, writing: write, failure: RNCryptorError.init(ofCipher:))
        } else {
            var cipher = try counterCipher()
            try cipher.decrypt(reading: read, writing: write, failure: RNCryptorError.init(ofCipher:))
        }
    }

    private func counterCipher() throws(RNCryptorError) -> Insecure.AES.CTR {
        do {
            return try Insecure.AES.CTR(key: keys.encryption, iv: Insecure.AES.IV(data: header.iv))
        } catch {
            throw .cryptography(error)
        }
    }

    /// The cipher of all but the first layouts.
    static func chainingCipher(
        _ header: RNCryptorHeader,
        _ keys: RNCryptorKeys
    ) throws(RNCryptorError) -> Insecure.AES.CBC.Decryptor {
        do {
            return try Insecure.AES.CBC.Decryptor(key: keys.encryption, iv: Insecure.AES.IV(data: header.iv))
        } catch {
            throw .cryptography(error)
        }
    }

    /// Whether the padding after the last block is right in CBC.
    private static func isPadded(_ end: [UInt8], _ iv: [UInt8], _ key: SymmetricKey) -> Bool {
        let before = (iv + end).dropLast(RNCryptorFile.blockSize).suffix(RNCryptorFile.blockSize)
        let content = try? Insecure.AES.CBC.decrypt(
            end.suffix(RNCryptorFile.blockSize),
            using: key,
            iv: Insecure.AES.IV(data: before)
        )
        return content != nil
    }
}

extension RNCryptorError {
    /// What a cipher's error means, once the HMAC was found right.
    init(ofCipher error: CryptoKitError) {
        self =
            switch error {
            case .invalidParameter: .authenticationFailed
            case .incorrectParameterSize: .truncated
            default: .cryptography(error)
            }
    }
}
