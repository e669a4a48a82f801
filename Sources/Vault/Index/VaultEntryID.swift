import MildamCrypto
import MildamWire

/// What the files of a vault are named by: 16 random bytes, shown as 26 characters of lower-case base32.
public struct VaultEntryID: Hashable, Sendable, CustomStringConvertible {
    static let size = 16

    /// The first and the last 8 bytes, big-endian: in place, since an array of its own would cost each entry an
    /// allocation.
    private let high: UInt64
    private let low: UInt64

    /// The 16 bytes.
    var bytes: [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, filled in
            for index in 0..<8 {
                unsafe buffer[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
                unsafe buffer[index + 8] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * index))
            }
            filled = Self.size
        }
    }

    /// A new one.
    static func random() -> VaultEntryID { VaultEntryID(unchecked: SecureRandom.bytes(count: size).span) }

    private init(unchecked bytes: Span<UInt8>) {
        var (high, low): (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            high = high << 8 | UInt64(bytes[index])
            low = low << 8 | UInt64(bytes[index + 8])
        }
        self.high = high
        self.low = low
    }

    /// That of exactly 16 bytes.
    init?(_ bytes: [UInt8]) {
        self.init(bytes.span)
    }

    /// That of exactly 16 bytes.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.init(unchecked: bytes)
    }

    /// That which a file's name shows.
    init?(_ text: String) {
        guard let bytes = try? Base32.decode(text) else { return nil }
        self.init(bytes.span)
    }

    /// 26 characters.
    public var description: String { Base32.encode(bytes) }

    /// The order of their bytes, which is that of the index.
    static func precedes(_ one: VaultEntryID, _ other: VaultEntryID) -> Bool {
        (one.high, one.low) < (other.high, other.low)
    }
}
