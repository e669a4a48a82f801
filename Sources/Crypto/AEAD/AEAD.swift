import FoundationEssentials
import Glibc

/// What the AEADs share: a message sealed or opened under a key of its own, through the thread's context.
enum AEAD {
    static func seal(
        _ message: UnsafeRawBufferPointer,
        _ algorithm: CipherAlgorithm,
        _ key: SymmetricKey,
        nonce: NonceBytes,
        authenticating header: UnsafeRawBufferPointer
    ) throws(CryptoKitError) -> SealedBytes {
        guard key.byteCount == algorithm.keySize else { throw .incorrectKeySize }
        let context = ThreadContexts.current.cipher(algorithm)
        defer { context.forgetKey() }
        let nonceSize = nonce.count
        let whole = try unsafe Data.filled(nonceSize + message.count + CipherContext.tagSize) { whole in
            guard let start = whole.baseAddress else { return .incorrectParameterSize }
            let text = unsafe start + nonceSize
            let sealed = unsafe nonce.withUnsafeBytes { nonce in
                unsafe whole.copyMemory(from: nonce)
                return unsafe key.withUnsafeBytes { key in
                    unsafe context.begin(key, nonce, encrypting: true)
                        && context.seal(message, to: text, authenticating: header, tag: text + message.count)
                }
            }
            return sealed ? nil : LibCrypto.lastError()
        }
        return SealedBytes(whole: whole, nonceSize: nonceSize)
    }

    /// The plaintext, once the tag was found right.
    static func open(
        _ sealed: SealedBytes,
        _ algorithm: CipherAlgorithm,
        _ key: SymmetricKey,
        authenticating header: UnsafeRawBufferPointer
    ) throws(CryptoKitError) -> Data {
        guard key.byteCount == algorithm.keySize else { throw .incorrectKeySize }
        let context = ThreadContexts.current.cipher(algorithm)
        defer { context.forgetKey() }
        let size = sealed.whole.count - sealed.nonceSize - CipherContext.tagSize
        return try unsafe Data.filled(size) { text in
            unsafe sealed.whole.withUnsafeBytes { whole -> CryptoKitError? in
                guard let start = whole.baseAddress else { return .incorrectParameterSize }
                let nonce = unsafe UnsafeRawBufferPointer(rebasing: whole[..<sealed.nonceSize])
                let ciphertext = unsafe UnsafeRawBufferPointer(rebasing: whole[sealed.nonceSize...].prefix(size))
                let begun = unsafe key.withUnsafeBytes { unsafe context.begin($0, nonce, encrypting: false) }
                guard begun else { return LibCrypto.lastError() }
                let opened = unsafe context.open(
                    ciphertext,
                    to: text.baseAddress,
                    authenticating: header,
                    tag: start + sealed.nonceSize + size
                )
                if opened { return nil }
                _ = LibCrypto.lastError()
                return .authenticationFailure
            }
        }
    }
}
