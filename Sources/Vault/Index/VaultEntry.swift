import MildamWire

/// What the index knows of a file.
public struct VaultEntry: Sendable, Equatable {
    /// What its file is named by.
    public let id: VaultEntryID
    /// What it is called.
    public internal(set) var name: VaultName
    /// The content's size in bytes.
    public let size: Int
    /// The size of the age file in bytes.
    public internal(set) var storedSize: Int
    /// When the content was last changed before it was added, in seconds since 1970.
    public let modified: Int64
    /// When it was added, in seconds since 1970.
    public let added: Int64
    /// What the content is by its signature: a media type (RFC 6838).
    public let type: String
    /// The content's SHA-256, 32 bytes.
    public let digest: [UInt8]
    /// What somebody has tagged it with, ascending, each once.
    public internal(set) var tags: [String]
    /// Under which of the vault's identities its key is wrapped.
    var generation: UInt32
}

extension VaultEntry {
    static let digestSize = 32
    static let maximumTags = 64
    static let maximumTagSize = 100
    private static let version: UInt8 = 1

    /// Tags as an entry has them: ascending, each once.
    ///
    /// - Throws: `invalidTag` for one without a character, with control characters, of more than 100 bytes, and for more
    ///   than 64.
    static func tags(_ tags: [String]) throws(VaultError) -> [String] {
        let sorted = Set(tags).sorted()
        for (number, tag) in sorted.enumerated() {
            let isPlain = !tag.utf8.contains { $0 < 0x20 || $0 == 0x7F }
            guard number < maximumTags, isPlain, (1...maximumTagSize).contains(tag.utf8.count) else {
                throw .invalidTag(tag)
            }
        }
        return sorted
    }

    /// Everything but the id and the generation, which have columns of their own.
    var value: [UInt8] {
        var writer = WireWriter(capacity: 128)
        writer.integer(Self.version)
        writer.text(UInt16.self, name.description)
        writer.integer(UInt64(size))
        writer.integer(UInt64(storedSize))
        writer.integer(UInt64(bitPattern: modified))
        writer.integer(UInt64(bitPattern: added))
        writer.text(UInt8.self, type)
        writer.fixed(digest)
        writer.integer(UInt8(tags.count))
        for tag in tags { writer.text(UInt8.self, tag) }
        return writer.bytes
    }

    /// Reads what `value` gives.
    ///
    /// - Throws: `WireError`.
    init(id: VaultEntryID, generation: UInt32, value: Span<UInt8>) throws(WireError) {
        var reader = WireReader(value)
        guard try reader.integer(UInt8.self) == Self.version else { throw .invalidText }
        let name = try reader.text(UInt16.self, in: 1...VaultName.maximumSize)
        self.id = id
        self.generation = generation
        do throws(VaultError) { self.name = try VaultName(name) } catch { throw .invalidText }
        size = Int(clamping: try reader.integer(UInt64.self))
        storedSize = Int(clamping: try reader.integer(UInt64.self))
        modified = Int64(bitPattern: try reader.integer(UInt64.self))
        added = Int64(bitPattern: try reader.integer(UInt64.self))
        type = try reader.text(UInt8.self, in: 0...255)
        digest = try reader.fixed(Self.digestSize)
        var tags: [String] = []
        for _ in 0..<(try reader.integer(UInt8.self)) {
            tags.append(try reader.text(UInt8.self, in: 1...Self.maximumTagSize))
        }
        self.tags = tags
        try reader.finish()
    }
}
