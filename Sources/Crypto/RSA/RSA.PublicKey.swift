import CLibCrypto

extension RSA {
    /// A public key: whoever has it can encrypt.
    public struct PublicKey: Sendable, Hashable {
        /// The modulus as an ASN.1 INTEGER and an SSH mpint have it.
        public let modulus: [UInt8]
        /// The exponent, written in the same way.
        public let publicExponent: [UInt8]
        let key: RSAKey

        /// A public key from its numbers.
        ///
        /// - Parameters:
        ///   - modulus: as an ASN.1 INTEGER or an SSH mpint has it.
        ///   - publicExponent: written in the same way.
        /// - Throws: `incorrectKeySize` for a modulus of another size than `modulusSizes`; `invalidParameter` for an even
        ///   number, an exponent below 3 or above 2³¹ − 1, and for what is written in another way.
        public init(modulus: Span<UInt8>, publicExponent: Span<UInt8>) throws(CryptoKitError) {
            let numbers = try RSANumbers(modulus: modulus, publicExponent: publicExponent)
            self.modulus = modulus.indices.map { modulus[$0] }
            self.publicExponent = publicExponent.indices.map { publicExponent[$0] }
            key = try RSAKey(numbers)
        }

        /// The size of the modulus, and of everything that is encrypted, in bytes.
        public var byteCount: Int { key.numbers.modulus.count }

        /// Encrypts a message.
        ///
        /// - Parameters:
        ///   - message: 66 bytes less than `byteCount` at most.
        ///   - label: what is authenticated with it.
        /// - Returns: `byteCount` bytes.
        /// - Throws: `incorrectParameterSize`; libcrypto's error.
        public func encrypt(_ message: Span<UInt8>, label: [UInt8]) throws(CryptoKitError) -> [UInt8] {
            guard message.count <= byteCount - RSA.overhead else { throw .incorrectParameterSize }
            var encrypted = [UInt8](repeating: 0, count: byteCount)
            let isDone = unsafe message.withUnsafeBytes { message in
                unsafe encrypted.withUnsafeMutableBytes { target in
                    unsafe key.run(label, EVP_PKEY_encrypt_init_ex) { context in
                        var size = target.count
                        let (source, count) = unsafe (message.octets, message.count)
                        return unsafe EVP_PKEY_encrypt(context, target.octets, &size, source, count) == 1
                            && size == target.count
                    }
                }
            }
            guard isDone else { throw LibCrypto.lastError() }
            return encrypted
        }

        /// Whether both are the same numbers.
        public static func == (one: PublicKey, other: PublicKey) -> Bool {
            one.modulus == other.modulus && one.publicExponent == other.publicExponent
        }

        /// Feeds the modulus to the hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(modulus) }
    }
}
