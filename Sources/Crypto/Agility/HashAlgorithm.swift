/// A hash that a protocol learns at run time, with HMAC and HKDF over it (RFC 2104, RFC 5869).
public enum HashAlgorithm: CaseIterable, Sendable {
    /// SHA-256.
    case sha256
    /// SHA-384.
    case sha384
    /// SHA-512.
    case sha512

    /// The size of a digest in bytes: 32, 48 or 64.
    public var byteCount: Int { algorithm.size }

    /// The digest of the bytes, and of more bytes behind them.
    public func hash(_ bytes: Span<UInt8>, _ more: Span<UInt8> = Span()) -> [UInt8] {
        let context = ThreadContexts.current.digest(algorithm)
        return unsafe output { digest in
            context.begin()
            unsafe bytes.withUnsafeBytes { unsafe context.update($0) }
            unsafe more.withUnsafeBytes { unsafe context.update($0) }
            unsafe context.finish(digest)
        }
    }

    /// HMAC of the message.
    public func authenticationCode(for message: Span<UInt8>, using key: SymmetricKey) -> [UInt8] {
        let context = ThreadContexts.current.authenticator(algorithm)
        defer { context.forgetKey() }
        return unsafe output { code in
            unsafe key.withUnsafeBytes { unsafe context.begin($0) }
            unsafe message.withUnsafeBytes { unsafe context.update($0) }
            unsafe context.finish(code)
        }
    }

    /// Whether the code is the HMAC of the message, in a time that depends on sizes only.
    public func isValidAuthenticationCode(
        _ code: Span<UInt8>,
        for message: Span<UInt8>,
        using key: SymmetricKey
    ) -> Bool {
        let right = authenticationCode(for: message, using: key)
        return unsafe right.span.withUnsafeBytes { right in
            unsafe code.withUnsafeBytes { unsafe constantTimeEquals(right, $0) }
        }
    }

    /// HKDF-Extract, the pseudorandom key as long as a digest (RFC 5869, section 2.2).
    public func extract(salt: SymmetricKey, inputKeyMaterial: SymmetricKey) -> SymmetricKey {
        let context = ThreadContexts.current.authenticator(algorithm)
        defer { context.forgetKey() }
        return SymmetricKey(
            unsafe SecretBytes(count: byteCount) { key in
                unsafe salt.withUnsafeBytes { unsafe context.begin($0) }
                unsafe inputKeyMaterial.withUnsafeBytes { unsafe context.update($0) }
                unsafe context.finish(key)
            }
        )
    }

    /// HKDF-Expand (RFC 5869, section 2.3).
    ///
    /// - Parameter outputByteCount: up to 255 times the digest's size; a larger one is a programmer's error.
    public func expand(_ pseudoRandomKey: SymmetricKey, info: Span<UInt8>, outputByteCount: Int) -> SymmetricKey {
        unsafe pseudoRandomKey.withUnsafeBytes { key in
            unsafe info.withUnsafeBytes { info in
                switch self {
                case .sha256: unsafe HKDF<SHA256>.expand(key, info, outputByteCount)
                case .sha384: unsafe HKDF<SHA384>.expand(key, info, outputByteCount)
                case .sha512: unsafe HKDF<SHA512>.expand(key, info, outputByteCount)
                }
            }
        }
    }

    private var algorithm: DigestAlgorithm {
        switch self {
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }

    private func output(_ body: (UnsafeMutableRawBufferPointer) -> Void) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { bytes, count in
            unsafe body(UnsafeMutableRawBufferPointer(start: bytes.baseAddress, count: byteCount))
            count = byteCount
        }
    }
}
