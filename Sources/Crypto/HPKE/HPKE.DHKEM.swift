extension HPKE {
    /// Encapsulation by Diffie-Hellman (RFC 9180, section 4.1).
    enum DHKEM {
        /// The secret that an ephemeral key shares with the recipient's (`Encap`), and that of a sender too when there is
        /// one (`AuthEncap`). What is sent is the ephemeral public key.
        ///
        /// - Throws: `invalidPublicKey` for a recipient's key of low order.
        static func encapsulate(
            to recipient: PublicKey,
            ephemeral: PrivateKey,
            authenticatedBy sender: PrivateKey?
        ) throws(Errors) -> SecretBytes {
            try derive(
                recipient.kem,
                agree(ephemeral, recipient, else: .invalidPublicKey),
                sender.map { (sender) throws(Errors) in try agree(sender, recipient, else: .invalidPublicKey) },
                ephemeral.publicKey.serialized + recipient.serialized + (sender?.publicKey.serialized ?? [])
            )
        }

        /// The secret of an encapsulated key (`Decap`), and of the sender's when there is one (`AuthDecap`).
        ///
        /// - Throws: `invalidEncapsulatedKey`; `invalidPublicKey` for a sender's key of low order.
        static func decapsulate(
            _ encapsulatedKey: Span<UInt8>,
            by recipient: PrivateKey,
            authenticatedBy sender: PublicKey?
        ) throws(Errors) -> SecretBytes {
            let ephemeral = try PublicKey(recipient.kem, encapsulatedKey, else: .invalidEncapsulatedKey)
            return try derive(
                recipient.kem,
                agree(recipient, ephemeral, else: .invalidEncapsulatedKey),
                sender.map { (sender) throws(Errors) in try agree(recipient, sender, else: .invalidPublicKey) },
                ephemeral.serialized + recipient.publicKey.serialized + (sender?.serialized ?? [])
            )
        }

        private static func agree(
            _ own: PrivateKey,
            _ other: PublicKey,
            else error: Errors
        ) throws(Errors) -> SharedSecret {
            do throws(CryptoKitError) {
                return try own.sharedSecret(with: other)
            } catch .invalidParameter {
                throw error
            } catch let failure {
                throw .cryptography(failure)
            }
        }

        /// `ExtractAndExpand`.
        private static func derive(
            _ kem: KEM,
            _ agreed: SharedSecret,
            _ alsoAgreed: SharedSecret?,
            _ context: [UInt8]
        ) -> SecretBytes {
            let kdf = kem.labeledKDF
            let run = kdf.run()
            let pseudoRandomKey = unsafe SecretBytes(count: kdf.algorithm.size) { key in
                unsafe agreed.withUnsafeBytes { agreed in
                    guard let alsoAgreed else {
                        return unsafe run.extract(salt: nil, "eae_prk", agreed, into: key)
                    }
                    unsafe alsoAgreed.withUnsafeBytes { alsoAgreed in
                        unsafe run.extract(salt: nil, "eae_prk", agreed, alsoAgreed, into: key)
                    }
                }
            }
            unsafe pseudoRandomKey.withUnsafeBytes { unsafe run.use($0) }
            return unsafe SecretBytes(count: kdf.algorithm.size) { secret in
                unsafe context.withUnsafeBytes { unsafe run.expand("shared_secret", $0, into: secret) }
            }
        }
    }
}
