extension HPKE {
    /// The key schedule of an encapsulation (RFC 9180, section 5.1): its secret, and what is derived from it when it is
    /// asked for.
    struct KeySchedule: ~Copyable {
        let ciphersuite: Ciphersuite
        /// mode ‖ psk_id_hash ‖ info_hash.
        let context: [UInt8]
        let secret: SecretBytes

        /// The sender's.
        ///
        /// - Throws: `inconsistentCiphersuiteAndKey`; `invalidPublicKey` for a recipient's key of low order.
        init(
            to recipient: PublicKey,
            _ info: HashedInfo,
            _ ephemeral: PrivateKey,
            _ sender: PrivateKey?,
            _ presharedKey: PresharedKey?
        ) throws(Errors) {
            let kem = info.ciphersuite.kem
            guard recipient.kem == kem, ephemeral.kem == kem, sender.map({ $0.kem == kem }) ?? true else {
                throw .inconsistentCiphersuiteAndKey
            }
            let shared = try DHKEM.encapsulate(to: recipient, ephemeral: ephemeral, authenticatedBy: sender)
            self.init(shared, info, sender != nil, presharedKey)
        }

        /// The recipient's.
        ///
        /// - Throws: `inconsistentCiphersuiteAndKey`; `invalidEncapsulatedKey`; `invalidPublicKey` for a sender's key
        ///   of low order.
        init(
            from encapsulatedKey: Span<UInt8>,
            _ recipient: PrivateKey,
            _ ciphersuite: Ciphersuite,
            _ info: Span<UInt8>,
            _ sender: PublicKey?,
            _ presharedKey: PresharedKey?
        ) throws(Errors) {
            guard recipient.kem == ciphersuite.kem, sender.map({ $0.kem == ciphersuite.kem }) ?? true else {
                throw .inconsistentCiphersuiteAndKey
            }
            let shared = try DHKEM.decapsulate(encapsulatedKey, by: recipient, authenticatedBy: sender)
            self.init(shared, HashedInfo(info, ciphersuite: ciphersuite), sender != nil, presharedKey)
        }

        /// That of a secret which both sides share.
        init(
            _ sharedSecret: consuming SecretBytes,
            _ info: HashedInfo,
            _ isAuthenticated: Bool,
            _ presharedKey: PresharedKey?
        ) {
            let ciphersuite = info.ciphersuite
            let kdf = ciphersuite.labeledKDF
            let size = kdf.algorithm.size
            self.ciphersuite = ciphersuite
            let mode = Mode(hasPresharedKey: presharedKey != nil, isAuthenticated: isAuthenticated)
            let run = kdf.run()
            context = unsafe [UInt8](unsafeUninitializedCapacity: 1 + 2 * size) { context, count in
                let context = UnsafeMutableRawBufferPointer(context)
                unsafe context[0] = mode.rawValue
                let identifierHash = unsafe UnsafeMutableRawBufferPointer(rebasing: context[1..<1 + size])
                if let identifier = presharedKey?.identifier {
                    unsafe identifier.withUnsafeBytes { identifier in
                        unsafe run.extract(salt: nil, "psk_id_hash", identifier, into: identifierHash)
                    }
                } else {
                    unsafe identifierHash.copyBytes(from: ciphersuite.emptyIdentifierHash)
                }
                let infoHash = unsafe UnsafeMutableRawBufferPointer(rebasing: context[(1 + size)...].prefix(size))
                unsafe infoHash.copyBytes(from: info.hash)
                count = 1 + 2 * size
            }
            secret = unsafe SecretBytes(count: size) { secret in
                unsafe sharedSecret.withUnsafeBytes { shared in
                    guard let key = presharedKey?.key else {
                        let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
                        return unsafe run.extract(salt: shared, "secret", none, into: secret)
                    }
                    unsafe key.withUnsafeBytes { key in
                        unsafe run.extract(salt: shared, "secret", key, into: secret)
                    }
                }
            }
        }

        /// The key and the base nonce of the messages, which the ciphersuite's AEAD seals.
        func messageKeys(_ algorithm: CipherAlgorithm) -> MessageKeys {
            let run = ciphersuite.labeledKDF.run()
            unsafe secret.withUnsafeBytes { unsafe run.use($0) }
            let keyAndNonce = unsafe SecretBytes(count: algorithm.keySize + MessageKeys.nonceSize) { keyAndNonce in
                let key = unsafe UnsafeMutableRawBufferPointer(rebasing: keyAndNonce[..<algorithm.keySize])
                let nonce = unsafe UnsafeMutableRawBufferPointer(rebasing: keyAndNonce[algorithm.keySize...])
                unsafe context.withUnsafeBytes { context in
                    unsafe run.expand("key", context, into: key)
                    unsafe run.expand("base_nonce", context, into: nonce)
                }
            }
            return MessageKeys(algorithm: algorithm, keyAndNonce: keyAndNonce)
        }

        /// The secret that others are exported from, as long as the hash.
        func exporterSecret() -> SecretBytes {
            let run = ciphersuite.labeledKDF.run()
            unsafe secret.withUnsafeBytes { unsafe run.use($0) }
            return unsafe SecretBytes(count: ciphersuite.kdf.byteCount) { exporter in
                unsafe context.withUnsafeBytes { unsafe run.expand("exp", $0, into: exporter) }
            }
        }
    }
}

extension HPKE.Ciphersuite {
    /// A secret of the wanted size from an exporter secret (`Export`; RFC 9180, section 5.3).
    func export(
        _ exporterSecret: UnsafeRawBufferPointer,
        _ context: UnsafeRawBufferPointer,
        _ outputByteCount: Int
    ) -> SecretBytes {
        precondition(outputByteCount >= 0, "a secret cannot have a negative size")
        let run = labeledKDF.run()
        unsafe run.use(exporterSecret)
        return unsafe SecretBytes(count: outputByteCount) { unsafe run.expand("sec", context, into: $0) }
    }
}
