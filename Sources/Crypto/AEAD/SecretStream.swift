import CLibSodium

/// A stream of messages under one key, each with a tag that says what it is in the stream: libsodium's
/// `crypto_secretstream_xchacha20poly1305`, for what others wrote with it.
public enum SecretStream {
    /// The size of a key in bytes.
    public static let keyByteCount = 32
    /// The size of the header in bytes.
    public static let headerByteCount = 24
    /// How many bytes longer than its message a sealed one is: one for the tag, 16 to authenticate.
    public static let overhead = 17

    /// What a message is in its stream.
    public enum Tag: UInt8, Sendable {
        /// One of them.
        case message = 0
        /// The last of a group.
        case push = 1
        /// The last before the key changes.
        case rekey = 2
        /// The last: a stream that ends without it was cut.
        case final = 3
    }

    /// Opens the messages of a stream, one after the other.
    public struct Opener: ~Copyable, Sendable {
        private var state: SecretBytes

        /// An opener for a stream.
        ///
        /// - Parameters:
        ///   - key: 32 bytes.
        ///   - header: the 24 bytes that the stream begins with.
        /// - Throws: `incorrectKeySize`; `incorrectParameterSize` for a header of another size.
        public init(key: SymmetricKey, header: Span<UInt8>) throws(CryptoKitError) {
            LibSodium.initialize()
            guard key.byteCount == keyByteCount else { throw .incorrectKeySize }
            guard header.count == headerByteCount else { throw .incorrectParameterSize }
            defer { SecretMemory.wipeStack() }  // HChaCha20 leaves the key there
            state = try unsafe SecretBytes(count: MemoryLayout<State>.size) { (memory) throws(CryptoKitError) in
                guard let state = unsafe memory.baseAddress?.assumingMemoryBound(to: State.self) else {
                    throw .incorrectParameterSize
                }
                let status = unsafe header.withUnsafeBytes { header in
                    unsafe key.withUnsafeBytes { key in
                        unsafe crypto_secretstream_xchacha20poly1305_init_pull(
                            state,
                            LibSodium.octets(header),
                            LibSodium.octets(key)
                        )
                    }
                }
                guard status == 0 else { throw .underlyingCoreCryptoError(error: status) }
            }
        }

        /// Opens the stream's next message.
        ///
        /// - Parameter message: 17 bytes shorter than what is opened.
        /// - Returns: what the message is in its stream.
        /// - Throws: `incorrectParameterSize` for another size; `authenticationFailure` when this is not the next
        ///   message of this stream under this key, or its tag means nothing: no byte of it was released then.
        public mutating func open(
            _ sealed: Span<UInt8>,
            authenticating header: Span<UInt8> = Span(),
            into message: inout MutableSpan<UInt8>
        ) throws(CryptoKitError) -> Tag {
            guard sealed.count == message.count + overhead else { throw .incorrectParameterSize }
            defer { SecretMemory.wipeStack() }  // the blocks of ChaCha20 were there
            var tag: UInt8 = 0
            let status: Int32 = unsafe state.withUnsafeMutableBytes { memory in
                guard let state = unsafe memory.baseAddress?.assumingMemoryBound(to: State.self) else { return -1 }
                return unsafe sealed.withUnsafeBytes { sealed in
                    unsafe header.withUnsafeBytes { header in
                        unsafe message.withUnsafeMutableBytes { message in
                            unsafe crypto_secretstream_xchacha20poly1305_pull(
                                state,
                                LibSodium.octets(message),
                                nil,
                                &tag,
                                LibSodium.octets(sealed),
                                UInt64(sealed.count),
                                LibSodium.octets(header),
                                UInt64(header.count)
                            )
                        }
                    }
                }
            }
            guard status == 0, let tag = Tag(rawValue: tag) else { throw .authenticationFailure }
            return tag
        }
    }

    private typealias State = crypto_secretstream_xchacha20poly1305_state
}
