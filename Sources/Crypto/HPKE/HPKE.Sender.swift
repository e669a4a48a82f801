import FoundationEssentials

extension HPKE {
    /// Seals a sequence of messages to the holder of a key, who gets `encapsulatedKey` beside them.
    ///
    /// Unlike CryptoKit's it cannot be copied: two copies would seal under the same nonces.
    public struct Sender: ~Copyable, Sendable {
        /// What the recipient needs beside the messages: a fresh public key of the KEM's size.
        public let encapsulatedKey: Data
        var context: Context

        /// A sender whom nothing authenticates (`SetupBaseS`).
        ///
        /// - Parameter info: what both sides know of their protocol.
        /// - Throws: `inconsistentCiphersuiteAndKey`; `invalidPublicKey` for a key of low order.
        public init(
            recipientKey: some HPKEDiffieHellmanPublicKey,
            ciphersuite: Ciphersuite,
            info: Data
        ) throws(Errors) {
            try self.init(recipientKey.hpkeKey, ciphersuite, info)
        }

        /// A sender who knows a pre-shared key of 32 bytes or more (`SetupPSKS`).
        ///
        /// - Throws: `inconsistentPSKInputs`, `expectedPSK` and `tooShortPSK` as ``HPKE/PresharedKey`` does;
        ///   `inconsistentCiphersuiteAndKey`; `invalidPublicKey` for a key of low order.
        public init(
            recipientKey: some HPKEDiffieHellmanPublicKey,
            ciphersuite: Ciphersuite,
            info: Data,
            presharedKey psk: SymmetricKey,
            presharedKeyIdentifier pskID: Data
        ) throws(Errors) {
            let presharedKey = try PresharedKey(psk, identifier: pskID)
            try self.init(recipientKey.hpkeKey, ciphersuite, info, presharedKey: presharedKey)
        }

        /// A sender who has a key of its own, which the recipient knows (`SetupAuthS`).
        ///
        /// Whoever has the recipient's private key can pass for any sender to it (RFC 9180, section 9.1.1).
        ///
        /// - Throws: `inconsistentCiphersuiteAndKey`; `invalidPublicKey` for a key of low order.
        public init<Key: HPKEDiffieHellmanPrivateKey>(
            recipientKey: Key.PublicKey,
            ciphersuite: Ciphersuite,
            info: Data,
            authenticatedBy authenticationKey: Key
        ) throws(Errors) {
            try self.init(recipientKey.hpkeKey, ciphersuite, info, authenticatedBy: authenticationKey.hpkeKey)
        }

        /// A sender who has a key of its own and knows a pre-shared key (`SetupAuthPSKS`).
        ///
        /// - Throws: `inconsistentPSKInputs`, `expectedPSK` and `tooShortPSK` as ``HPKE/PresharedKey`` does;
        ///   `inconsistentCiphersuiteAndKey`; `invalidPublicKey` for a key of low order.
        public init<Key: HPKEDiffieHellmanPrivateKey>(
            recipientKey: Key.PublicKey,
            ciphersuite: Ciphersuite,
            info: Data,
            authenticatedBy authenticationKey: Key,
            presharedKey psk: SymmetricKey,
            presharedKeyIdentifier pskID: Data
        ) throws(Errors) {
            try self.init(
                recipientKey.hpkeKey,
                ciphersuite,
                info,
                authenticatedBy: authenticationKey.hpkeKey,
                presharedKey: PresharedKey(psk, identifier: pskID)
            )
        }

        /// A sender with a given ephemeral key, which must never begin a second encapsulation; `nil` draws one.
        init(
            _ recipient: PublicKey,
            _ ciphersuite: Ciphersuite,
            _ info: Data,
            authenticatedBy sender: PrivateKey? = nil,
            presharedKey: PresharedKey? = nil,
            ephemeral: PrivateKey? = nil
        ) throws(Errors) {
            let ephemeral = ephemeral ?? .generate(kem: ciphersuite.kem)
            let schedule = try KeySchedule(
                to: recipient,
                HashedInfo(info.span, ciphersuite: ciphersuite),
                ephemeral,
                sender,
                presharedKey
            )
            context = Context(schedule)
            encapsulatedKey = Data(ephemeral.publicKey.serialized)
        }

        /// Seals the next message, and authenticates `header`, which is not sent with it.
        ///
        /// - Returns: 16 bytes more than the message has.
        /// - Throws: `exportOnlyMode`; `outOfRangeSequenceNumber` after 2⁶⁴ − 1 messages.
        public mutating func seal<Message: DataProtocol, Header: DataProtocol>(
            _ message: Message,
            authenticating header: Header
        ) throws(Errors) -> Data {
            try unsafe message.withContiguousBytes { message in
                unsafe header.withContiguousBytes { header in
                    Result { () throws(Errors) in try unsafe context.seal(message, authenticating: header) }
                }
            }.get()
        }

        /// Seals the next message.
        ///
        /// - Returns: 16 bytes more than the message has.
        /// - Throws: `exportOnlyMode`; `outOfRangeSequenceNumber` after 2⁶⁴ − 1 messages.
        public mutating func seal(_ message: some DataProtocol) throws(Errors) -> Data {
            try seal(message, authenticating: [UInt8]())
        }

        /// A secret for something else, which the recipient can export too.
        ///
        /// - Parameters:
        ///   - context: what it is for.
        ///   - outputByteCount: up to 255 times the hash's size; a larger one is a programmer's error.
        public borrowing func exportSecret(context: some DataProtocol, outputByteCount: Int) -> SymmetricKey {
            unsafe context.withContiguousBytes { unsafe self.context.exportSecret($0, outputByteCount) }
        }
    }
}
