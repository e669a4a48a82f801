import CLibCrypto

extension RSA {
    /// A private key: whoever has it can decrypt.
    public struct PrivateKey: Sendable {
        /// What to encrypt with, so that this key can decrypt it.
        public let publicKey: PublicKey
        private let key: RSAKey

        /// A private key from its public key and its private exponent. The primes are not asked for: libcrypto does without.
        ///
        /// - Parameter privateExponent: as an ASN.1 INTEGER or an SSH mpint has it.
        /// - Throws: `invalidParameter` for an exponent that does not belong to the public key; libcrypto's error.
        public init(_ publicKey: PublicKey, privateExponent: Span<UInt8>) throws(CryptoKitError) {
            let range = try RSA.digits(of: privateExponent)
            guard range.count <= publicKey.byteCount else { throw .invalidParameter }
            let digits = privateExponent.extracting(range)
            let key = try RSAKey(publicKey.key.numbers, privateExponent: digits)
            self.publicKey = publicKey
            self.key = key
            try check()
        }

        /// A private key as PKCS #1 has it (RFC 8017, appendix A.1.2), in DER.
        ///
        /// ```
        /// RSAPrivateKey ::= SEQUENCE {
        ///     version 0, modulus, publicExponent, privateExponent, prime1, prime2, exponent1, exponent2, coefficient
        /// }
        /// ```
        ///
        /// - Throws: as for the numbers; `invalidParameter` for anything else.
        public init(pkcs1 der: Span<UInt8>) throws(CryptoKitError) {
            var whole = DERReader(der)
            var numbers = try whole.elements()
            try whole.finish()
            try numbers.expect(DERReader.Tag.integer, [0])
            let modulus = try numbers.content(DERReader.Tag.integer)
            let publicExponent = try numbers.content(DERReader.Tag.integer)
            let privateExponent = try numbers.content(DERReader.Tag.integer)
            for _ in 0..<5 { _ = try RSA.digits(of: try numbers.content(DERReader.Tag.integer)) }
            try numbers.finish()
            let publicKey = try PublicKey(modulus: modulus, publicExponent: publicExponent)
            try self.init(publicKey, privateExponent: privateExponent)
        }

        /// A private key as PKCS #8 has it (RFC 5208, section 5): PKCS #1 with the algorithm's name before it, in DER.
        ///
        /// - Throws: as for PKCS #1, and for a key of another algorithm.
        public init(pkcs8 der: Span<UInt8>) throws(CryptoKitError) {
            var whole = DERReader(der)
            var info = try whole.elements()
            try whole.finish()
            try info.expect(DERReader.Tag.integer, [0])
            var identifier = try info.elements()
            try identifier.expect(DERReader.Tag.objectIdentifier, PrivateKey.algorithm)
            try identifier.expect(DERReader.Tag.null, [])
            try identifier.finish()
            let key = try info.content(DERReader.Tag.octetString)
            if info.comes(DERReader.Tag.explicit(0)) { _ = try info.content(DERReader.Tag.explicit(0)) }  // attributes
            try info.finish()
            try self.init(pkcs1: key)
        }

        /// rsaEncryption, 1.2.840.113549.1.1.1.
        private static let algorithm: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]

        /// Decrypts what was encrypted with the public key.
        ///
        /// - Parameters:
        ///   - box: `byteCount` bytes.
        ///   - label: what was authenticated with it.
        /// - Throws: `incorrectParameterSize`; `authenticationFailure` for what was not encrypted so.
        public func decrypt(_ box: [UInt8], label: [UInt8]) throws(CryptoKitError) -> SecretBytes {
            guard box.count == publicKey.byteCount else { throw .incorrectParameterSize }
            var size = 0
            let opened = try unsafe SecretBytes(count: box.count) { (target) throws(CryptoKitError) in
                let isDone = unsafe box.withUnsafeBytes { box in
                    unsafe key.run(label, EVP_PKEY_decrypt_init_ex) { context in
                        size = target.count
                        return unsafe EVP_PKEY_decrypt(context, target.octets, &size, box.octets, box.count) == 1
                    }
                }
                guard isDone, size <= target.count else {
                    _ = LibCrypto.lastError()
                    throw .authenticationFailure
                }
            }
            return SecretBytes(copying: opened.span.extracting(..<size))
        }

        /// Throws unless it decrypts what the public key encrypts.
        private func check() throws(CryptoKitError) {
            let trial = SecureRandom.bytes(count: 16)
            let opened = try decrypted(try publicKey.encrypt(trial.span, label: trial), label: trial)
            guard opened == trial else { throw .invalidParameter }
        }

        private func decrypted(_ box: [UInt8], label: [UInt8]) throws(CryptoKitError) -> [UInt8]? {
            do throws(CryptoKitError) {
                let opened = try decrypt(box, label: label)
                return unsafe opened.withUnsafeBytes { unsafe [UInt8]($0) }
            } catch .authenticationFailure {
                return nil
            }
        }
    }
}
