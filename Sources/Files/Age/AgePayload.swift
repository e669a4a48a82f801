import MildamCrypto

/// The sizes of an age file's content and the nonces of its chunks (C2SP age, "Payload").
///
/// The content is split in chunks of 64 KiB, each sealed with ChaCha20-Poly1305; its last chunk may be shorter, and is
/// empty only when there is no content at all.
enum AgePayload {
    /// Bytes of content in every chunk but the last.
    static let chunkSize = 65_536
    /// Bytes that sealing adds to a chunk.
    static let tagSize = 16
    /// Bytes of a full chunk in the file.
    static let sealedChunkSize = chunkSize + tagSize
    /// Bytes of the random nonce before the first chunk.
    static let nonceSize = 16

    /// The size of the content that so many bytes of chunks hold; `nil` for what no chunks add up to.
    static func contentSize(ofSealed count: Int) -> Int? {
        let chunks = AgePiece.chunkCount(of: count, by: sealedChunkSize)
        let last = count - (chunks - 1) * sealedChunkSize
        return last > tagSize || (last == tagSize && chunks == 1) ? count - chunks * tagSize : nil
    }

    /// The chunk's number in 11 bytes, big-endian, and 1 for the last chunk, otherwise 0.
    static func nonce(chunk: Int, isLast: Bool) throws(AgeError) -> ChaChaPoly.Nonce {
        var bytes = [UInt8](repeating: 0, count: 12)
        for position in 0..<8 { bytes[10 - position] = UInt8(truncatingIfNeeded: chunk >> (8 * position)) }
        bytes[11] = isLast ? 1 : 0
        do {
            return try ChaChaPoly.Nonce(data: bytes)
        } catch {
            throw .cryptography(error)
        }
    }
}
