import FoundationEssentials
import MildamCrypto

/// A secret that values share, such as what an item protects, or a passphrase: wiped when the last copy goes.
public struct SecretValue: Sendable, CustomStringConvertible, CustomReflectable {
    private final class Storage: Sendable {
        let bytes: SecretBytes
        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    private let storage: Storage

    /// The most bytes of an item's secret: 4 MiB.
    public static let maximumSize = 4 << 20

    /// Takes the secret over without copying.
    public init(_ bytes: consuming SecretBytes) { storage = Storage(bytes) }

    /// Copies the bytes; the original is the caller's to wipe.
    public init(copying bytes: some ContiguousBytes) { self.init(SecretBytes(copying: bytes)) }

    /// Copies the bytes; the original is the caller's to wipe.
    public init(copying bytes: Span<UInt8>) { self.init(SecretBytes(copying: bytes)) }

    /// Copies the text's UTF-8; a `String` itself cannot be wiped.
    public init(text: String) {
        var copy = Array(text.utf8)
        defer { copy.wipe() }
        self.init(copying: copy)
    }

    /// The number of bytes.
    public var count: Int { storage.bytes.count }

    /// Runs `body` on the bytes; the pointer is valid in it only.
    public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe storage.bytes.withUnsafeBytes(body)
    }

    /// Runs `body` on the bytes; the span is valid in it only.
    public func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeBytes { (bytes) throws(Failure) in try unsafe body(Span(_unsafeBytes: bytes)) }
    }

    /// The bytes, in memory that nothing wipes.
    public var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }

    /// The text, in memory that nothing wipes; `nil` when it is not UTF-8.
    public var text: String? {
        unsafe withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    }

    /// Whether both are the same, in a time that depends on their sizes only.
    public func constantTimeEquals(_ other: SecretValue) -> Bool {
        storage.bytes.constantTimeEquals(other.storage.bytes)
    }

    /// How many bytes, and nothing of them.
    public var description: String { storage.bytes.description }

    /// Empty: a dump shows nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
