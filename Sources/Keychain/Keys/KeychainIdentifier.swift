import MildamCrypto
import MildamWire

/// Which keychain: 16 random bytes, part of everything that is sealed in it.
public struct KeychainIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// How many bytes it has.
    public static let size = 16
    /// The bytes.
    public let bytes: [UInt8]

    /// A new random one.
    init() { bytes = SecureRandom.bytes(count: Self.size) }

    /// One that is known.
    ///
    /// - Returns: `nil` unless there are 16 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// Its base32.
    public var description: String { Base32.encode(bytes) }
}
