import FoundationEssentials
import Glibc

/// What sealers and openers share: messages under a context that keeps its key.
extension AEAD {
    static func keyedContext(
        _ algorithm: CipherAlgorithm,
        _ key: SymmetricKey,
        encrypting: Bool
    ) throws(CryptoKitError) -> CipherContext {
        guard key.byteCount == algorithm.keySize else { throw .incorrectKeySize }
        let context = CipherContext(algorithm)
        let nonce: InlineArray<12, UInt8> = InlineArray(repeating: 0)
        let begun = unsafe nonce.span.withUnsafeBytes { nonce in
            unsafe key.withUnsafeBytes { key in unsafe context.begin(key, nonce, encrypting: encrypting) }
        }
        guard begun else { throw LibCrypto.lastError() }
        return context
    }

    static func seal(
        _ context: CipherContext,
        _ message: inout MutableSpan<UInt8>,
        _ nonce: NonceBytes,
        _ header: Span<UInt8>,
        _ tag: inout MutableSpan<UInt8>
    ) throws(CryptoKitError) {
        let sealed = unsafe message.withUnsafeMutableBytes { message in
            unsafe tag.withUnsafeMutableBytes { tag in unsafe seal(context, message, nonce, header, tag) }
        }
        if let sealed { throw sealed }
    }

    static func seal(
        _ context: CipherContext,
        _ message: inout [UInt8],
        _ nonce: NonceBytes,
        _ header: Span<UInt8>
    ) throws(CryptoKitError) {
        let count = message.count
        for _ in 0..<CipherContext.tagSize { message.append(0) }
        let failure = unsafe message.withUnsafeMutableBytes { whole in
            unsafe seal(
                context,
                UnsafeMutableRawBufferPointer(rebasing: whole[..<count]),
                nonce,
                header,
                UnsafeMutableRawBufferPointer(rebasing: whole[count...])
            )
        }
        if let failure { throw failure }
    }

    static func open(
        _ context: CipherContext,
        _ ciphertext: inout MutableSpan<UInt8>,
        _ nonce: NonceBytes,
        _ header: Span<UInt8>,
        _ tag: Span<UInt8>
    ) throws(CryptoKitError) {
        let failure = unsafe ciphertext.withUnsafeMutableBytes { ciphertext in
            unsafe tag.withUnsafeBytes { tag in unsafe open(context, ciphertext, nonce, header, tag) }
        }
        if let failure { throw failure }
    }

    static func open(
        _ context: CipherContext,
        _ sealed: inout [UInt8],
        _ nonce: NonceBytes,
        _ header: Span<UInt8>
    ) throws(CryptoKitError) {
        let count = sealed.count - CipherContext.tagSize
        guard count >= 0 else { throw .incorrectParameterSize }
        let failure = unsafe sealed.withUnsafeMutableBytes { whole in
            unsafe open(
                context,
                UnsafeMutableRawBufferPointer(rebasing: whole[..<count]),
                nonce,
                header,
                UnsafeRawBufferPointer(rebasing: whole[count...])
            )
        }
        if let failure {
            sealed = []
            throw failure
        }
        sealed.removeLast(CipherContext.tagSize)
    }

    private static func seal(
        _ context: CipherContext,
        _ message: UnsafeMutableRawBufferPointer,
        _ nonce: NonceBytes,
        _ header: Span<UInt8>,
        _ tag: UnsafeMutableRawBufferPointer
    ) -> CryptoKitError? {
        guard tag.count == CipherContext.tagSize, let tag = tag.baseAddress else { return .incorrectParameterSize }
        let sealed = unsafe nonce.withUnsafeBytes { nonce in
            unsafe header.withUnsafeBytes { header in
                unsafe context.begin(nil, nonce, encrypting: true)
                    && context.seal(
                        UnsafeRawBufferPointer(message),
                        to: message.baseAddress,
                        authenticating: header,
                        tag: tag
                    )
            }
        }
        if sealed { return nil }
        if let start = message.baseAddress { unsafe explicit_bzero(start, message.count) }
        return LibCrypto.lastError()
    }

    private static func open(
        _ context: CipherContext,
        _ text: UnsafeMutableRawBufferPointer,
        _ nonce: NonceBytes,
        _ header: Span<UInt8>,
        _ tag: UnsafeRawBufferPointer
    ) -> CryptoKitError? {
        guard tag.count == CipherContext.tagSize, let tag = tag.baseAddress else { return .incorrectParameterSize }
        let opened = unsafe nonce.withUnsafeBytes { nonce in
            unsafe header.withUnsafeBytes { header in
                unsafe context.begin(nil, nonce, encrypting: false)
                    && context.open(
                        UnsafeRawBufferPointer(text),
                        to: text.baseAddress,
                        authenticating: header,
                        tag: tag
                    )
            }
        }
        if opened { return nil }
        _ = LibCrypto.lastError()
        return .authenticationFailure
    }
}
