import FoundationEssentials

/// Bytes that must not leak: one owner, on pages locked in memory where the system allows, wiped when the owner goes.
///
/// It is no collection, cannot be encoded, and describes only its size. It is compared with `constantTimeEquals`.
@safe
public struct SecretBytes: ~Copyable, @unchecked Sendable {  // sole owner of `start`; writes are `mutating`
    private let start: UnsafeMutableRawPointer
    /// The number of bytes.
    public let count: Int

    /// Makes `count` bytes that `body` writes. They start as zeros.
    ///
    /// - Throws: what `body` throws; what it had written is wiped then.
    public init<Failure: Error>(
        count: Int,
        initializingWith body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(count >= 0, "a secret cannot have a negative size")
        let memory = unsafe SecretMemory.allocate(count)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        do {
            try unsafe body(UnsafeMutableRawBufferPointer(start: memory, count: count))
        } catch {
            unsafe SecretMemory.release(memory, count)
            throw error
        }
        unsafe self.start = memory
        self.count = count
    }

    /// Copies the bytes; the original is the caller's to wipe.
    public init(copying bytes: some ContiguousBytes) {
        let count = unsafe bytes.withUnsafeBytes { $0.count }
        unsafe self.init(count: count) { target in
            unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        }
    }

    /// Copies the bytes; the original is the caller's to wipe.
    public init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBytes { unsafe SecretBytes(copying: $0) }
    }

    init(copying bytes: UnsafeRawBufferPointer) {
        unsafe self.init(count: bytes.count) { unsafe $0.copyMemory(from: bytes) }
    }

    deinit {
        unsafe SecretMemory.release(start, count)
    }

    /// `count` random bytes.
    public static func random(count: Int) -> SecretBytes {
        unsafe SecretBytes(count: count) { unsafe SecureRandom.fill($0) }
    }

    /// The bytes, for as long as they are borrowed.
    public var span: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span<UInt8>(_unsafeStart: start.assumingMemoryBound(to: UInt8.self), count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Runs `body` on the bytes; the pointer is valid in it only.
    public borrowing func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Runs `body` on the bytes, which it may change; the pointer is valid in it only.
    public mutating func withUnsafeMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeMutableRawBufferPointer(start: start, count: count))
    }

    /// Whether both hold the same bytes, in a time that depends on their sizes only.
    public borrowing func constantTimeEquals(_ other: borrowing SecretBytes) -> Bool {
        unsafe MildamCrypto.constantTimeEquals(
            UnsafeRawBufferPointer(start: start, count: count),
            UnsafeRawBufferPointer(start: other.start, count: other.count)
        )
    }

    /// How many bytes, and nothing of them: "32 secret bytes".
    public var description: String { "\(count) secret bytes" }
}

/// Secret bytes that values share; wiped when the last one goes.
final class SecretStorage: Sendable {
    let bytes: SecretBytes

    init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe bytes.withUnsafeBytes(body)
    }
}
