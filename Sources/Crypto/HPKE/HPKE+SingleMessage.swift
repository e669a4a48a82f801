extension HPKE {
    /// One message, sealed, and what its recipient needs beside it.
    public struct SealedBox: Hashable, Sendable {
        /// The encapsulated key, of the KEM's size (RFC 9420's `kem_output`).
        public let encapsulatedKey: [UInt8]
        /// The ciphertext and its tag: 16 bytes more than the message has.
        public let ciphertext: [UInt8]

        /// A box from its parts.
        public init(encapsulatedKey: [UInt8], ciphertext: [UInt8]) {
            self.encapsulatedKey = encapsulatedKey
            self.ciphertext = ciphertext
        }
    }

    /// Seals one message to the holder of a key (RFC 9180, section 6.1).
    ///
    /// - Parameters:
    ///   - info: what both sides know of their protocol.
    ///   - header: what is authenticated and not sent.
    ///   - sender: the sender's own key, which the recipient knows.
    ///   - presharedKey: what both know.
    /// - Throws: `inconsistentCiphersuiteAndKey`; `invalidPublicKey` for a recipient's key of low order;
    ///   `exportOnlyMode`.
    public static func seal(
        _ message: Span<UInt8>,
        to recipient: PublicKey,
        ciphersuite: Ciphersuite,
        info: Span<UInt8> = Span(),
        authenticating header: Span<UInt8> = Span(),
        authenticatedBy sender: PrivateKey? = nil,
        presharedKey: PresharedKey? = nil
    ) throws(Errors) -> SealedBox {
        try seal(
            message,
            to: recipient,
            HashedInfo(info, ciphersuite: ciphersuite),
            authenticating: header,
            authenticatedBy: sender,
            presharedKey: presharedKey,
            ephemeral: .generate(kem: ciphersuite.kem)
        )
    }

    /// Seals one message, of many with the same info, with a given ephemeral key, which must never seal a second one.
    ///
    /// - Throws: as `seal` does that draws it.
    package static func seal(
        _ message: Span<UInt8>,
        to recipient: PublicKey,
        _ info: HashedInfo,
        authenticating header: Span<UInt8> = Span(),
        authenticatedBy sender: PrivateKey? = nil,
        presharedKey: PresharedKey? = nil,
        ephemeral: PrivateKey
    ) throws(Errors) -> SealedBox {
        guard let algorithm = info.ciphersuite.aead.algorithm else { throw .exportOnlyMode }
        let schedule = try KeySchedule(to: recipient, info, ephemeral, sender, presharedKey)
        let keys = schedule.messageKeys(algorithm)
        let size = message.count + CipherContext.tagSize
        var isSealed = false
        let ciphertext = unsafe [UInt8](unsafeUninitializedCapacity: size) { sealed, count in
            let sealed = unsafe UnsafeMutableRawBufferPointer(start: sealed.baseAddress, count: size)
            isSealed = unsafe message.withUnsafeBytes { message in
                unsafe header.withUnsafeBytes { unsafe keys.seal(message, 0, authenticating: $0, to: sealed) }
            }
            count = isSealed ? size : 0
        }
        guard isSealed else { throw .cryptography(LibCrypto.lastError()) }
        return SealedBox(encapsulatedKey: ephemeral.publicKey.serialized, ciphertext: ciphertext)
    }

    /// Opens one message, which ends with its tag (RFC 9180, section 6.1).
    ///
    /// - Parameters:
    ///   - encapsulatedKey: what came beside it.
    ///   - info: what the sender gave as `info`.
    ///   - header: what was authenticated and not sent.
    ///   - sender: the sender's key, when it has one.
    ///   - presharedKey: what both know.
    /// - Throws: `authenticationFailure`; `invalidEncapsulatedKey`; `ciphertextTooShort` below 16 bytes;
    ///   `inconsistentCiphersuiteAndKey`; `invalidPublicKey` for a sender's key of low order; `exportOnlyMode`.
    public static func open(
        _ ciphertext: Span<UInt8>,
        encapsulatedKey: Span<UInt8>,
        with recipient: PrivateKey,
        ciphersuite: Ciphersuite,
        info: Span<UInt8> = Span(),
        authenticating header: Span<UInt8> = Span(),
        authenticatedBy sender: PublicKey? = nil,
        presharedKey: PresharedKey? = nil
    ) throws(Errors) -> SecretBytes {
        guard let algorithm = ciphersuite.aead.algorithm else { throw .exportOnlyMode }
        let size = ciphertext.count - CipherContext.tagSize
        guard size >= 0 else { throw .ciphertextTooShort }
        let schedule = try KeySchedule(from: encapsulatedKey, recipient, ciphersuite, info, sender, presharedKey)
        let keys = schedule.messageKeys(algorithm)
        return try unsafe SecretBytes(count: size) { (message) throws(Errors) in
            let isOpen = unsafe ciphertext.withUnsafeBytes { sealed in
                unsafe header.withUnsafeBytes { unsafe keys.open(sealed, 0, authenticating: $0, to: message) }
            }
            guard isOpen else { throw .authenticationFailure }
        }
    }
}
