import FoundationEssentials

/// HMAC (RFC 2104) with the hash function `H`.
public struct HMAC<H: HashFunction>: Sendable {
    /// A key of any size; the digest's size is best.
    public typealias Key = SymmetricKey
    /// The code, of the digest's size.
    public typealias MAC = HashedAuthenticationCode<H>

    private var context: MACContext

    /// A running authentication under `key`. Copies share the expanded key until one of them goes on.
    public init(key: SymmetricKey) {
        context = MACContext(H.algorithm)
        unsafe key.withUnsafeBytes { unsafe context.begin($0) }
    }

    /// Takes in the bytes.
    @inlinable
    public mutating func update<D: DataProtocol>(data: D) {
        for region in data.regions {
            unsafe region.withUnsafeBytes { unsafe update(bufferPointer: $0) }
        }
    }

    /// Takes in the bytes.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&context) { context = MACContext(copying: context) }
        unsafe context.update(bufferPointer)
    }

    /// The code of what was taken in so far; more can follow.
    public func finalize() -> MAC {
        unsafe MAC(byteCount: H.algorithm.size) { unsafe MACContext(copying: context).finish($0) }
    }

    /// The code of the data, at once.
    @inlinable
    public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey) -> MAC {
        unsafe data.withContiguousBytes { data in
            unsafe key.withUnsafeBytes { key in unsafe authenticationCode(data, key) }
        }
    }

    /// Whether the code is that of the data, compared in constant time.
    @inlinable
    public static func isValidAuthenticationCode<D: DataProtocol>(
        _ code: MAC,
        authenticating data: D,
        using key: SymmetricKey
    ) -> Bool {
        authenticationCode(for: data, using: key) == code
    }

    /// Whether the bytes are the code of the data, compared in constant time. A shorter code is no code.
    @inlinable
    public static func isValidAuthenticationCode<C: ContiguousBytes, D: DataProtocol>(
        _ code: C,
        authenticating data: D,
        using key: SymmetricKey
    ) -> Bool {
        authenticationCode(for: data, using: key) == code
    }

    @usableFromInline
    static func authenticationCode(_ data: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer) -> MAC {
        let algorithm = H.algorithm
        let context = ThreadContexts.current.authenticator(algorithm)
        unsafe context.begin(key)
        defer { context.forgetKey() }
        unsafe context.update(data)
        return unsafe MAC(byteCount: algorithm.size) { unsafe context.finish($0) }
    }
}

extension HMAC {
    /// Authenticates many messages under one key, which is expanded once.
    public struct Authenticator: ~Copyable, @unchecked Sendable {  // sole owner of its context
        private let context: MACContext

        /// An authenticator for `key`.
        public init(key: SymmetricKey) {
            context = MACContext(H.algorithm)
            unsafe key.withUnsafeBytes { unsafe context.begin($0) }
        }

        /// The code of the data.
        @inlinable
        public mutating func authenticationCode<D: DataProtocol>(for data: D) -> MAC {
            unsafe data.withContiguousBytes { unsafe authenticationCode(bufferPointer: $0) }
        }

        /// The code of the bytes.
        public mutating func authenticationCode(bufferPointer: UnsafeRawBufferPointer) -> MAC {
            context.begin()
            unsafe context.update(bufferPointer)
            return unsafe MAC(byteCount: H.algorithm.size) { unsafe context.finish($0) }
        }
    }
}
