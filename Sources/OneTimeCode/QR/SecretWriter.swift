import MildamCrypto

/// Builds a secret from its start, in memory that is never moved and that is wiped with its owner.
struct SecretWriter: ~Copyable {
    private var bytes: SecretBytes
    private var count = 0

    /// Room for `capacity` bytes; more trap.
    init(capacity: Int) {
        bytes = unsafe SecretBytes(count: capacity) { _ in }
    }

    /// Appends bytes of no great number: a character, a number, a mark.
    mutating func append(_ few: some Sequence<UInt8>) {
        for byte in few { append(byte) }
    }

    /// Appends a byte.
    mutating func append(_ byte: UInt8) {
        precondition(count < bytes.count, "the room for a secret is known before it is written")
        let place = count
        unsafe bytes.withUnsafeMutableBytes { unsafe $0[place] = byte }
        count += 1
    }

    /// Appends a secret.
    mutating func append(_ secret: Span<UInt8>) {
        for place in secret.indices { append(secret[place]) }
    }

    /// What was written so far.
    var written: Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span.extracting(first: count) }
    }

    /// What was written, in memory of its size.
    consuming func finish() -> SecretBytes {
        SecretBytes(copying: written)
    }
}
