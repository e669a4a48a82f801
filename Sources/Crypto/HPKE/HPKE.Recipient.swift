import FoundationEssentials

extension HPKE {
    /// Opens a sequence of messages, in the order in which they were sealed.
    ///
    /// Unlike CryptoKit's it cannot be copied, as its sender cannot.
    public struct Recipient: ~Copyable, Sendable {
        var context: Context

        /// The recipient of a sender whom nothing authenticates (`SetupBaseR`).
        ///
        /// - Parameters:
        ///   - info: what the sender gave as `info`.
        ///   - encapsulatedKey: what came beside the messages.
        /// - Throws: `inconsistentCiphersuiteAndKey`; `invalidEncapsulatedKey`.
        public init(
            privateKey: some HPKEDiffieHellmanPrivateKey,
            ciphersuite: Ciphersuite,
            info: Data,
            encapsulatedKey: Data
        ) throws(Errors) {
            try self.init(privateKey.hpkeKey, ciphersuite, info, encapsulatedKey)
        }

        /// The recipient of a sender who knows a pre-shared key of 32 bytes or more (`SetupPSKR`).
        ///
        /// - Throws: `inconsistentPSKInputs`, `expectedPSK` and `tooShortPSK` as ``HPKE/PresharedKey`` does;
        ///   `inconsistentCiphersuiteAndKey`; `invalidEncapsulatedKey`.
        public init(
            privateKey: some HPKEDiffieHellmanPrivateKey,
            ciphersuite: Ciphersuite,
            info: Data,
            encapsulatedKey: Data,
            presharedKey psk: SymmetricKey,
            presharedKeyIdentifier pskID: Data
        ) throws(Errors) {
            let presharedKey = try PresharedKey(psk, identifier: pskID)
            try self.init(privateKey.hpkeKey, ciphersuite, info, encapsulatedKey, presharedKey: presharedKey)
        }

        /// The recipient of a sender who has a key of its own (`SetupAuthR`).
        ///
        /// - Throws: `inconsistentCiphersuiteAndKey`; `invalidEncapsulatedKey`; `invalidPublicKey` for a sender's key of
        ///   low order.
        public init<Key: HPKEDiffieHellmanPrivateKey>(
            privateKey: Key,
            ciphersuite: Ciphersuite,
            info: Data,
            encapsulatedKey: Data,
            authenticatedBy authenticationKey: Key.PublicKey
        ) throws(Errors) {
            let sender = authenticationKey.hpkeKey
            try self.init(privateKey.hpkeKey, ciphersuite, info, encapsulatedKey, authenticatedBy: sender)
        }

        /// The recipient of a sender who has a key of its own and knows a pre-shared key (`SetupAuthPSKR`).
        ///
        /// - Throws: `inconsistentPSKInputs`, `expectedPSK` and `tooShortPSK` as ``HPKE/PresharedKey`` does;
        ///   `inconsistentCiphersuiteAndKey`; `invalidEncapsulatedKey`; `invalidPublicKey` for a sender's key of low
        ///   order.
        public init<Key: HPKEDiffieHellmanPrivateKey>(
            privateKey: Key,
            ciphersuite: Ciphersuite,
            info: Data,
            encapsulatedKey: Data,
            authenticatedBy authenticationKey: Key.PublicKey,
            presharedKey psk: SymmetricKey,
            presharedKeyIdentifier pskID: Data
        ) throws(Errors) {
            try self.init(
                privateKey.hpkeKey,
                ciphersuite,
                info,
                encapsulatedKey,
                authenticatedBy: authenticationKey.hpkeKey,
                presharedKey: PresharedKey(psk, identifier: pskID)
            )
        }

        private init(
            _ recipient: PrivateKey,
            _ ciphersuite: Ciphersuite,
            _ info: Data,
            _ encapsulatedKey: Data,
            authenticatedBy sender: PublicKey? = nil,
            presharedKey: PresharedKey? = nil
        ) throws(Errors) {
            let schedule = try KeySchedule(
                from: encapsulatedKey.span,
                recipient,
                ciphersuite,
                info.span,
                sender,
                presharedKey
            )
            context = Context(schedule)
        }

        /// Opens the next message, which was sealed with `header`. After one that was refused the same message is
        /// expected again.
        ///
        /// - Throws: `authenticationFailure`; `ciphertextTooShort` below 16 bytes; `exportOnlyMode`;
        ///   `outOfRangeSequenceNumber` after 2⁶⁴ − 1 messages.
        public mutating func open<Ciphertext: DataProtocol, Header: DataProtocol>(
            _ ciphertext: Ciphertext,
            authenticating header: Header
        ) throws(Errors) -> Data {
            try unsafe ciphertext.withContiguousBytes { ciphertext in
                unsafe header.withContiguousBytes { header in
                    Result { () throws(Errors) in try unsafe context.open(ciphertext, authenticating: header) }
                }
            }.get()
        }

        /// Opens the next message. After one that was refused the same message is expected again.
        ///
        /// - Throws: `authenticationFailure`; `ciphertextTooShort` below 16 bytes; `exportOnlyMode`;
        ///   `outOfRangeSequenceNumber` after 2⁶⁴ − 1 messages.
        public mutating func open(_ ciphertext: some DataProtocol) throws(Errors) -> Data {
            try open(ciphertext, authenticating: [UInt8]())
        }

        /// A secret for something else, which the sender can export too.
        ///
        /// - Parameters:
        ///   - context: what it is for.
        ///   - outputByteCount: up to 255 times the hash's size; a larger one is a programmer's error.
        public borrowing func exportSecret(context: some DataProtocol, outputByteCount: Int) -> SymmetricKey {
            unsafe context.withContiguousBytes { unsafe self.context.exportSecret($0, outputByteCount) }
        }
    }
}
