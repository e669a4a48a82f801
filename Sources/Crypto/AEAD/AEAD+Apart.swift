import Glibc

/// What sealers and openers do from one place in memory to another.
extension AEAD {
    static func seal(
        _ context: CipherContext,
        _ message: Span<UInt8>,
        _ nonce: NonceBytes,
        _ header: Span<UInt8>,
        into sealed: inout MutableSpan<UInt8>
    ) throws(CryptoKitError) {
        let failure = unsafe message.withUnsafeBytes { message in
            unsafe sealed.withUnsafeMutableBytes { sealed in unsafe seal(context, message, nonce, header, sealed) }
        }
        if let failure { throw failure }
    }

    static func open(
        _ context: CipherContext,
        _ sealed: Span<UInt8>,
        _ nonce: NonceBytes,
        _ header: Span<UInt8>,
        into message: inout MutableSpan<UInt8>
    ) throws(CryptoKitError) {
        let failure = unsafe sealed.withUnsafeBytes { sealed in
            unsafe message.withUnsafeMutableBytes { message in unsafe open(context, sealed, nonce, header, message) }
        }
        if let failure { throw failure }
    }

    private static func seal(
        _ context: CipherContext,
        _ message: UnsafeRawBufferPointer,
        _ nonce: NonceBytes,
        _ header: Span<UInt8>,
        _ sealed: UnsafeMutableRawBufferPointer
    ) -> CryptoKitError? {
        guard sealed.count == message.count + CipherContext.tagSize, let start = sealed.baseAddress else {
            return .incorrectParameterSize
        }
        let isDone = unsafe nonce.withUnsafeBytes { nonce in
            unsafe header.withUnsafeBytes { header in
                unsafe context.begin(nil, nonce, encrypting: true)
                    && context.seal(message, to: start, authenticating: header, tag: start + message.count)
            }
        }
        if isDone { return nil }
        unsafe explicit_bzero(start, sealed.count)
        return LibCrypto.lastError()
    }

    private static func open(
        _ context: CipherContext,
        _ sealed: UnsafeRawBufferPointer,
        _ nonce: NonceBytes,
        _ header: Span<UInt8>,
        _ message: UnsafeMutableRawBufferPointer
    ) -> CryptoKitError? {
        guard sealed.count == message.count + CipherContext.tagSize, let start = sealed.baseAddress else {
            return .incorrectParameterSize
        }
        let text = unsafe UnsafeRawBufferPointer(rebasing: sealed[..<message.count])
        let isDone = unsafe nonce.withUnsafeBytes { nonce in
            unsafe header.withUnsafeBytes { header in
                unsafe context.begin(nil, nonce, encrypting: false)
                    && context.open(
                        text,
                        to: message.baseAddress,
                        authenticating: header,
                        tag: start + message.count
                    )
            }
        }
        if isDone { return nil }
        _ = LibCrypto.lastError()
        return .authenticationFailure
    }
}
