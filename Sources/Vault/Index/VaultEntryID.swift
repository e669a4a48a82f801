import MildamCrypto
import MildamWire

/// What the files of a vault are named by: 16 random bytes, shown as 26 characters of lower-case base32.
public struct VaultEntryID: Hashable, Sendable, CustomStringConvertible {
    static let size = 16

    /// The 16 bytes.
    let bytes: [UInt8]

    /// A new one.
    static func random() -> VaultEntryID { VaultEntryID(unchecked: SecureRandom.bytes(count: size)) }

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// That of exactly 16 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.init(unchecked: bytes)
    }

    /// That which a file's name shows.
    init?(_ text: String) {
        guard let bytes = try? Base32.decode(text) else { return nil }
        self.init(bytes)
    }

    /// 26 characters.
    public var description: String { Base32.encode(bytes) }
}
