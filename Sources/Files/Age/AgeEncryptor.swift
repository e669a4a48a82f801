import MildamCrypto

/// Writes one age file, chunk by chunk, in a buffer of the caller's. It does no input or output of its own.
///
/// What goes to the file is `header.bytes`, and then every chunk that `seal` has sealed.
///
/// ```swift
/// var encryptor = try AgeEncryptor(recipients: [recipient])
/// output.append(contentsOf: encryptor.header.bytes)
/// try encryptor.seal(&chunk, isLast: true)
/// output.append(contentsOf: chunk)
/// ```
public struct AgeEncryptor: ~Copyable {
    /// Bytes of content in every chunk but the last: 64 KiB.
    public static let chunkSize = AgePayload.chunkSize
    /// Bytes that sealing adds to a chunk.
    public static let tagSize = AgePayload.tagSize

    /// What stands before the first chunk.
    public let header: AgeHeader
    private var sealer: ChaChaPoly.Sealer
    private var chunk = 0
    private var isEnded = false

    /// Begins a file under a new random key.
    ///
    /// - Throws: `noRecipients`, `tooManyRecipients`; `invalidRecipient` for a public key of low order.
    public init(recipients: [any AgeRecipient]) throws(AgeError) {
        let fileKey = AgeFileKey()
        let header = try AgeHeader(wrapping: fileKey, for: recipients)
        sealer = try fileKey.payloadSealer(nonce: header.nonce)
        self.header = header
    }

    /// Seals the next chunk where it lies, and appends its tag of 16 bytes.
    ///
    /// - Parameters:
    ///   - bytes: 64 KiB; the last chunk holds less or as much, and nothing only when it is the first as well. Anything
    ///     else, or a chunk after the last, is a programmer's error. Capacity for the tag saves a copy.
    ///   - isLast: whether the content ends with this chunk.
    public mutating func seal(_ bytes: inout [UInt8], isLast: Bool) throws(AgeError) {
        precondition(!isEnded, "a chunk after the last one")
        precondition(
            bytes.count == AgePayload.chunkSize
                || isLast && bytes.count < AgePayload.chunkSize && (chunk == 0 || !bytes.isEmpty),
            "every chunk but the last holds 64 KiB"
        )
        let nonce = try AgePayload.nonce(chunk: chunk, isLast: isLast)
        do {
            try sealer.seal(inPlace: &bytes, nonce: nonce)
        } catch {
            throw .cryptography(error)
        }
        chunk += 1
        isEnded = isLast
    }
}
