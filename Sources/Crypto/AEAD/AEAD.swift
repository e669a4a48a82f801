import FoundationEssentials
import Glibc

/// What the AEADs share: a message sealed or opened under a key of its own, through the thread's context.
enum AEAD {
    /// nonce ‖ ciphertext ‖ tag, in one buffer.
    static func seal(
        _ message: UnsafeRawBufferPointer,
        _ algorithm: CipherAlgorithm,
        _ key: SymmetricKey,
        nonce: UnsafeRawBufferPointer,
        authenticating header: UnsafeRawBufferPointer
    ) throws(CryptoKitError) -> Data {
        guard key.byteCount == algorithm.keySize else { throw .incorrectKeySize }
        let context = ThreadContexts.current.cipher(algorithm)
        defer { context.forgetKey() }
        let size = nonce.count + message.count + CipherContext.tagSize
        return try unsafe Data.filled(size) { combined in
            guard let start = combined.baseAddress else { return .incorrectParameterSize }
            unsafe combined.copyMemory(from: nonce)
            let text = unsafe start + nonce.count
            let sealed = unsafe key.withUnsafeBytes { key in
                unsafe context.begin(key, nonce, encrypting: true)
                    && context.seal(message, to: text, authenticating: header, tag: text + message.count)
            }
            return sealed ? nil : LibCrypto.lastError()
        }
    }

    /// The plaintext, once the tag was found right.
    static func open(
        _ ciphertext: UnsafeRawBufferPointer,
        tag: UnsafeRawBufferPointer,
        _ algorithm: CipherAlgorithm,
        _ key: SymmetricKey,
        nonce: UnsafeRawBufferPointer,
        authenticating header: UnsafeRawBufferPointer
    ) throws(CryptoKitError) -> Data {
        guard key.byteCount == algorithm.keySize else { throw .incorrectKeySize }
        guard tag.count == CipherContext.tagSize, let tag = tag.baseAddress else { throw .incorrectParameterSize }
        let context = ThreadContexts.current.cipher(algorithm)
        defer { context.forgetKey() }
        return try unsafe Data.filled(ciphertext.count) { text in
            let begun = unsafe key.withUnsafeBytes { unsafe context.begin($0, nonce, encrypting: false) }
            guard begun else { return LibCrypto.lastError() }
            let opened = unsafe context.open(
                ciphertext,
                to: text.baseAddress,
                authenticating: header,
                tag: tag
            )
            if opened { return nil }
            _ = LibCrypto.lastError()
            return .authenticationFailure
        }
    }
}
