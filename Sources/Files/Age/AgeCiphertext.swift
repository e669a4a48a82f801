import MildamCrypto

/// What names an age file's bytes without opening it: their number and their digest.
public struct AgeCiphertext: Sendable, Equatable {
    /// The size of the whole file in bytes.
    public let size: Int
    /// The SHA-256 of the whole file, when it was asked for.
    public let digest: SHA256Digest?

    /// Names a file.
    public init(size: Int, digest: SHA256Digest?) {
        self.size = size
        self.digest = digest
    }

    /// Names what a meter has seen.
    init(_ meter: ByteMeter) {
        self.init(size: meter.size, digest: meter.digest)
    }
}
