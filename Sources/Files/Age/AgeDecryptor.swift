import MildamCrypto

/// Reads the content of one age file, chunk by chunk, into a buffer of the caller's. It does no input or output of its
/// own, and releases no byte of a chunk before the chunk's tag was found right.
public struct AgeDecryptor: ~Copyable {
    /// Bytes of every chunk in the file but the last: 64 KiB and a tag of 16 bytes.
    public static let sealedChunkSize = AgePayload.sealedChunkSize

    private var opener: ChaChaPoly.Opener
    private var chunk = 0
    private var isEnded = false

    /// Opens a file.
    ///
    /// - Throws: `noIdentityMatches`; `malformedHeader` for a malformed X25519 stanza; `headerMACMismatch`.
    public init(header: AgeHeader, identities: [any AgeIdentity]) throws(AgeError) {
        opener = try header.fileKey(for: identities).payloadOpener(nonce: header.nonce)
    }

    /// Opens the next chunk.
    ///
    /// - Parameters:
    ///   - sealed: `sealedChunkSize` bytes of the file; fewer only where the file ends, more is a programmer's error.
    ///   - content: gives way to the chunk's content, and is empty when this throws. Its capacity is used again.
    /// - Throws: `damaged`, `truncated`, `trailingData`.
    public mutating func open(_ sealed: Span<UInt8>, into content: inout [UInt8]) throws(AgeError) {
        precondition(sealed.count <= AgePayload.sealedChunkSize, "a chunk is 64 KiB and a tag at most")
        content.removeAll(keepingCapacity: true)
        guard !isEnded else { throw .trailingData }
        guard sealed.count >= AgePayload.tagSize else { throw .truncated }
        // Only a file without content ends with an empty chunk: otherwise one content would have two forms.
        guard sealed.count > AgePayload.tagSize || chunk == 0 else { throw .damaged(chunk: chunk) }
        if sealed.count == AgePayload.sealedChunkSize, try opens(sealed, isLast: false, into: &content) {
            chunk += 1
        } else if try opens(sealed, isLast: true, into: &content) {
            chunk += 1
            isEnded = true
        } else {
            throw .damaged(chunk: chunk)
        }
    }

    /// Ends the reading where the file ends.
    ///
    /// - Throws: `truncated` when the last chunk has not been opened.
    public consuming func finish() throws(AgeError) {
        guard isEnded else { throw .truncated }
    }

    private mutating func opens(
        _ sealed: Span<UInt8>,
        isLast: Bool,
        into content: inout [UInt8]
    ) throws(AgeError) -> Bool {
        unsafe sealed.withUnsafeBufferPointer { unsafe content.append(contentsOf: $0) }
        let nonce = try AgePayload.nonce(chunk: chunk, isLast: isLast)
        do {
            try opener.open(inPlace: &content, nonce: nonce)
            return true
        } catch {
            content.removeAll(keepingCapacity: true)
            guard error == .authenticationFailure else { throw .cryptography(error) }
            return false
        }
    }
}
