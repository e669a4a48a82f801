import FoundationEssentials
import MildamCrypto

/// What a set of rows comes to: the exclusive or of each row's HMAC-SHA256 (Clarke et al., "Incremental Multiset Hash
/// Functions and Their Application to Memory Integrity Checking", 2003, MSet-XOR-Hash). A row is put in and taken out
/// alike. No two rows of the set are the same, and nobody sees the sum: it lies sealed in the head.
struct SetHash: Equatable, Sendable {
    /// How many bytes it has.
    static let size = 32
    private(set) var bytes: [UInt8]

    /// Of no rows.
    init() { bytes = [UInt8](repeating: 0, count: Self.size) }

    /// As it was kept: 32 bytes.
    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Puts a row in, or takes it out.
    mutating func toggle(_ code: HashedAuthenticationCode<SHA256>) {
        unsafe code.withUnsafeBytes { code in
            for index in 0..<Self.size { unsafe bytes[index] ^= code[index] }
        }
    }

    /// Whether both are of the same rows.
    static func == (left: SetHash, right: SetHash) -> Bool { constantTimeEquals(left.bytes, right.bytes) }
}
