import MildamCrypto

/// A cipher that makes content of ciphertext, piece by piece.
protocol ContentCipher: ~Copyable {
    /// Decrypts a piece where it lies.
    ///
    /// - Throws: when the last piece has not the end that the cipher demands.
    mutating func decrypt(_ piece: inout FilePiece) throws(CryptoKitError)
}

extension ContentCipher where Self: ~Copyable {
    /// Decrypts all pieces.
    ///
    /// - Parameters:
    ///   - read: fills the piece, and says whether it is the last; it is not called again then.
    ///   - write: gets each piece when it is content.
    ///   - failure: what the cipher's error means.
    mutating func decrypt<Failure: Error>(
        reading read: (inout FilePiece) throws(Failure) -> Void,
        writing write: (FilePiece) throws(Failure) -> Void,
        failure: (CryptoKitError) -> Failure
    ) throws(Failure) {
        var piece = FilePiece()
        repeat {
            try read(&piece)
            do {
                try decrypt(&piece)
            } catch {
                throw failure(error)
            }
            try write(piece)
        } while !piece.isLast
    }
}

extension Insecure.AES.CBC.Decryptor: ContentCipher {
    mutating func decrypt(_ piece: inout FilePiece) throws(CryptoKitError) {
        if piece.isLast {
            try finish(inPlace: &piece.bytes)
        } else {
            var blocks = piece.bytes.mutableSpan
            update(inPlace: &blocks)
        }
    }
}

extension Insecure.AES.CTR: ContentCipher {
    mutating func decrypt(_ piece: inout FilePiece) {
        var bytes = piece.bytes.mutableSpan
        update(inPlace: &bytes)
    }
}
