/// Secret bytes that are put together one after the other. What it outgrows is wiped.
package struct SecretBuilder: ~Copyable {
    private var memory: SecretBytes
    /// How many bytes there are so far.
    package private(set) var count = 0

    /// A builder with room for `capacity` bytes.
    package init(capacity: Int = 64) {
        memory = unsafe SecretBytes(count: max(capacity, 1)) { _ in }
    }

    /// The bytes so far.
    package var span: Span<UInt8> {
        @_lifetime(borrow self)
        get { memory.span.extracting(..<count) }
    }

    /// Appends a byte.
    package mutating func append(_ byte: UInt8) {
        if count == memory.count { grow(to: count + 1) }
        let place = count
        unsafe memory.withUnsafeMutableBytes { unsafe $0[place] = byte }
        count += 1
    }

    /// Appends the text's UTF-8.
    package mutating func append(_ text: String) {
        for byte in text.utf8 { append(byte) }
    }

    /// Appends bytes.
    package mutating func append(_ bytes: Span<UInt8>) {
        if count + bytes.count > memory.count { grow(to: count + bytes.count) }
        let place = count
        unsafe memory.withUnsafeMutableBytes { memory in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: memory[place...]).copyMemory(from: bytes)
            }
        }
        count += bytes.count
    }

    /// Begins anew in the same memory; what stood there is overwritten, or wiped in the end.
    package mutating func removeAll() { count = 0 }

    /// The bytes, in memory of their size.
    package consuming func finish() -> SecretBytes { SecretBytes(copying: span) }

    private mutating func grow(to needed: Int) {
        memory = unsafe SecretBytes(count: max(needed, 2 * memory.count)) { larger in
            unsafe memory.withUnsafeBytes { unsafe larger.copyMemory(from: $0) }
        }
    }
}
