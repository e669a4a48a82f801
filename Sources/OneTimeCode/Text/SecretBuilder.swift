import MildamCrypto

/// Secret bytes that are put together one after the other. What it outgrows is wiped.
struct SecretBuilder: ~Copyable {
    private var memory: SecretBytes
    /// How many bytes there are so far.
    private(set) var count = 0

    /// A builder with room for `capacity` bytes.
    init(capacity: Int = 64) {
        memory = unsafe SecretBytes(count: max(capacity, 1)) { _ in }
    }

    /// The bytes so far.
    var span: Span<UInt8> {
        @_lifetime(borrow self)
        get { memory.span.extracting(..<count) }
    }

    mutating func append(_ byte: UInt8) {
        if count == memory.count { grow() }
        let place = count
        unsafe memory.withUnsafeMutableBytes { unsafe $0[place] = byte }
        count += 1
    }

    mutating func append(_ text: String) {
        for byte in text.utf8 { append(byte) }
    }

    mutating func append(_ bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }

    /// The bytes, in memory of their size.
    consuming func finish() -> SecretBytes { SecretBytes(copying: span) }

    private mutating func grow() {
        memory = unsafe SecretBytes(count: 2 * memory.count) { larger in
            unsafe memory.withUnsafeBytes { unsafe larger.copyMemory(from: $0) }
        }
    }
}
