import FoundationEssentials

/// HKDF (RFC 5869) with the hash function `H`.
///
/// It is laid over HMAC, as the RFC is: libcrypto's own takes no more than 1,024 bytes of info and fetches its
/// algorithms anew on every call.
public struct HKDF<H: HashFunction>: Sendable {
    /// Derives a key: extract, then expand.
    ///
    /// - Parameter outputByteCount: up to 255 times the digest's size; a larger one is a programmer's error.
    @inlinable
    public static func deriveKey<Salt: DataProtocol, Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey,
        salt: Salt,
        info: Info,
        outputByteCount: Int
    ) -> SymmetricKey {
        unsafe salt.withContiguousBytes { salt in
            unsafe info.withContiguousBytes { info in unsafe derive(inputKeyMaterial, salt, info, outputByteCount) }
        }
    }

    /// Derives a key without a salt.
    @inlinable
    public static func deriveKey<Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey,
        info: Info,
        outputByteCount: Int
    ) -> SymmetricKey {
        deriveKey(inputKeyMaterial: inputKeyMaterial, salt: [UInt8](), info: info, outputByteCount: outputByteCount)
    }

    /// Derives a key without info.
    @inlinable
    public static func deriveKey<Salt: DataProtocol>(
        inputKeyMaterial: SymmetricKey,
        salt: Salt,
        outputByteCount: Int
    ) -> SymmetricKey {
        deriveKey(inputKeyMaterial: inputKeyMaterial, salt: salt, info: [UInt8](), outputByteCount: outputByteCount)
    }

    /// Derives a key without salt and info.
    @inlinable
    public static func deriveKey(inputKeyMaterial: SymmetricKey, outputByteCount: Int) -> SymmetricKey {
        deriveKey(inputKeyMaterial: inputKeyMaterial, info: [UInt8](), outputByteCount: outputByteCount)
    }

    /// The pseudorandom key of the input (RFC 5869, section 2.2): one digest long, in memory that nothing wipes.
    @inlinable
    public static func extract<Salt: DataProtocol>(
        inputKeyMaterial: SymmetricKey,
        salt: Salt?
    ) -> HashedAuthenticationCode<H> {
        guard let salt else { return unsafe extract(inputKeyMaterial, UnsafeRawBufferPointer(start: nil, count: 0)) }
        return unsafe salt.withContiguousBytes { unsafe extract(inputKeyMaterial, $0) }
    }

    /// Output of the wanted size from a pseudorandom key (RFC 5869, section 2.3).
    ///
    /// - Parameter outputByteCount: up to 255 times the digest's size; a larger one is a programmer's error.
    @inlinable
    public static func expand<PRK: ContiguousBytes, Info: DataProtocol>(
        pseudoRandomKey: PRK,
        info: Info?,
        outputByteCount: Int
    ) -> SymmetricKey {
        unsafe pseudoRandomKey.withUnsafeBytes { key in
            guard let info else {
                return unsafe expand(key, UnsafeRawBufferPointer(start: nil, count: 0), outputByteCount)
            }
            return unsafe info.withContiguousBytes { info in unsafe expand(key, info, outputByteCount) }
        }
    }

    /// Extracts and expands, the pseudorandom key between them in secret memory.
    @usableFromInline
    static func derive(
        _ input: SymmetricKey,
        _ salt: UnsafeRawBufferPointer,
        _ info: UnsafeRawBufferPointer,
        _ outputByteCount: Int
    ) -> SymmetricKey {
        let context = ThreadContexts.current.authenticator(H.algorithm)
        let pseudoRandomKey = unsafe SecretBytes(count: H.algorithm.size) { code in
            unsafe context.begin(salt)
            unsafe input.withUnsafeBytes { unsafe context.update($0) }
            unsafe context.finish(code)
        }
        return unsafe pseudoRandomKey.withUnsafeBytes { unsafe expand($0, info, outputByteCount) }
    }

    @usableFromInline
    static func extract(_ input: SymmetricKey, _ salt: UnsafeRawBufferPointer) -> HashedAuthenticationCode<H> {
        unsafe input.withUnsafeBytes { unsafe HMAC<H>.authenticationCode($0, salt) }
    }

    @usableFromInline
    static func expand(
        _ key: UnsafeRawBufferPointer,
        _ info: UnsafeRawBufferPointer,
        _ outputByteCount: Int
    ) -> SymmetricKey {
        let algorithm = H.algorithm
        precondition(
            (0...255 * algorithm.size).contains(outputByteCount),
            "HKDF gives at most 255 times the digest's size"
        )
        let context = ThreadContexts.current.authenticator(algorithm)
        unsafe context.begin(key)
        defer { context.forgetKey() }
        let blocks = (outputByteCount + algorithm.size - 1) / algorithm.size
        var whole = unsafe SecretBytes(count: blocks * algorithm.size) { output in
            for block in 0..<blocks {
                if block > 0 {
                    context.begin()
                    unsafe context.update(
                        UnsafeRawBufferPointer(rebasing: output[(block - 1) * algorithm.size..<block * algorithm.size])
                    )
                }
                unsafe context.update(info)
                var counter = UInt8(block + 1)
                unsafe withUnsafeBytes(of: &counter) { unsafe context.update($0) }
                let end = (block + 1) * algorithm.size
                unsafe context.finish(
                    UnsafeMutableRawBufferPointer(rebasing: output[block * algorithm.size..<end])
                )
            }
        }
        if whole.count != outputByteCount {
            whole = unsafe whole.withUnsafeBytes { whole in
                unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: whole[..<outputByteCount]))
            }
        }
        return SymmetricKey(whole)
    }
}
