import FoundationEssentials
import MildamIdentity

/// A file that was sent: where its ciphertext lies, and how to open it. Travels only inside a message.
public struct Attachment: Codable, Sendable, Equatable {
    /// The blob at the relay.
    public var blob: BlobID
    /// The X25519 identity that the age file is for, as `AGE-SECRET-KEY-1…`.
    public var identity: String
    /// The ciphertext's size in bytes.
    public var size: Int
    /// SHA-256 of the ciphertext, 32 bytes.
    public var digest: Data
    /// The file's name, without a folder.
    public var name: String
    /// The file's type, as in `image/png`.
    public var type: String

    /// Makes an attachment.
    public init(blob: BlobID, identity: String, size: Int, digest: Data, name: String, type: String) {
        self.blob = blob
        self.identity = identity
        self.size = size
        self.digest = digest
        self.name = name
        self.type = type
    }
}
