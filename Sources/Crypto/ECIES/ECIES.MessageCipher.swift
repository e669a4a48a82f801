import FoundationEssentials

extension ECIES {
    /// AES-GCM with the key and the IV of one message.
    struct MessageCipher: ~Copyable {
        private static let ivSize = 16

        private let algorithm: CipherAlgorithm
        /// key ‖ IV.
        private let keyAndIV: SecretBytes

        /// Derives key and IV.
        ///
        /// - Parameter point: the ephemeral public key, 0x04 ‖ X ‖ Y.
        init(
            _ domain: CurveDomain,
            _ sharedSecret: SharedSecret,
            _ point: Data,
            _ parameters: Parameters
        ) {
            // 128 bits of strength on P-256 ask for no more.
            algorithm = domain.size > 32 ? .aes256GCM : .aes128GCM
            let keySize = algorithm.keySize
            keyAndIV = unsafe SecretBytes(count: keySize + MessageCipher.ivSize) { keyAndIV in
                let derived = parameters.iv == .derived ? keyAndIV.count : keySize  // what is not derived stays zero
                let output = unsafe UnsafeMutableRawBufferPointer(rebasing: keyAndIV[..<derived])
                unsafe sharedSecret.withUnsafeBytes { secret in
                    unsafe point.withUnsafeBytes { point in
                        unsafe X963.derive(secret, point, parameters.hash.algorithm, into: output)
                    }
                }
            }
        }

        /// Encrypts a message and writes its tag behind it; `sealed` is longer by the tag.
        borrowing func seal(_ message: UnsafeRawBufferPointer, to sealed: UnsafeMutableRawBufferPointer) -> Bool {
            guard let start = sealed.baseAddress, sealed.count == message.count + CipherContext.tagSize else {
                return false
            }
            return withContext(encrypting: true) { context in
                unsafe context.seal(
                    message,
                    to: start,
                    authenticating: MessageCipher.nothing,
                    tag: start + message.count
                )
            }
        }

        /// Decrypts what ends with its tag; `message` is shorter by the tag, and wiped when the tag is wrong.
        borrowing func open(_ sealed: UnsafeRawBufferPointer, to message: UnsafeMutableRawBufferPointer) -> Bool {
            guard let start = sealed.baseAddress, sealed.count == message.count + CipherContext.tagSize else {
                return false
            }
            let opened = withContext(encrypting: false) { context in
                unsafe context.open(
                    UnsafeRawBufferPointer(rebasing: sealed[..<message.count]),
                    to: message.baseAddress,
                    authenticating: MessageCipher.nothing,
                    tag: start + message.count
                )
            }
            if !opened { _ = LibCrypto.lastError() }
            return opened
        }

        private static var nothing: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: nil, count: 0) }

        private borrowing func withContext(encrypting: Bool, _ body: (CipherContext) -> Bool) -> Bool {
            let context = ThreadContexts.current.cipher(algorithm)
            defer { context.forgetKey() }
            let keySize = algorithm.keySize
            let begun = unsafe keyAndIV.withUnsafeBytes { keyAndIV in
                unsafe context.begin(
                    UnsafeRawBufferPointer(rebasing: keyAndIV[..<keySize]),
                    UnsafeRawBufferPointer(rebasing: keyAndIV[keySize...]),
                    encrypting: encrypting
                )
            }
            return begun && body(context)
        }
    }
}
