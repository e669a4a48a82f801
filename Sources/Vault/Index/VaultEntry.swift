import MildamWire

/// What the index knows of a content that has, or had, a name.
public struct VaultEntry: Sendable, Equatable {
    /// What it is found by in the index.
    public internal(set) var id: VaultEntryID
    /// Which file has its content: that of its own id or, where the vault had the content already, another's.
    var file: VaultEntryID
    /// What it is called.
    public internal(set) var name: VaultName
    /// The content's size in bytes.
    public let size: Int
    /// The size of the age file in bytes; 0 of one that was missing when it got its name back.
    public internal(set) var storedSize: Int
    /// When the content was last changed before it was added, in seconds since 1970.
    public internal(set) var modified: Int64
    /// What is left over of that moment, below a second.
    var nanoseconds: UInt32 = 0
    /// When it was added, in seconds since 1970.
    public let added: Int64
    /// What the content is by its signature: a media type (RFC 6838).
    public let type: String
    /// The content's SHA-256, 32 bytes.
    public let digest: [UInt8]
    /// What somebody has tagged it with, ascending, each once.
    public internal(set) var tags: [String]
    /// Under which of the vault's identities its file's key is wrapped.
    var generation: UInt32
    /// Whose former version it is; `nil` for one that is present.
    var entry: VaultEntryID?
    /// When another content took its place, in milliseconds since 1970; `nil` for one that is present.
    public internal(set) var replaced: Int64?
}

extension VaultEntry {
    static let digestSize = 32
    static let maximumTags = 64
    static let maximumTagSize = 100
    /// Vaults of the first kind had no fraction of a second, and no former versions.
    private static let first: UInt8 = 1
    private static let version: UInt8 = 2

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

    /// Everything but what has columns of its own: the ids and the generation.
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
        writer.integer(nanoseconds)
        writer.integer(UInt8(replaced == nil ? 0 : 1))
        if let replaced { writer.integer(UInt64(bitPattern: replaced)) }
        return writer.bytes
    }

    /// Reads what `value` gives.
    ///
    /// - Parameters:
    ///   - file: whose content it is.
    ///   - entry: whose former version it is.
    /// - Throws: `WireError`.
    init(
        id: VaultEntryID,
        file: VaultEntryID,
        entry: VaultEntryID?,
        generation: UInt32,
        value: Span<UInt8>
    ) throws(WireError) {
        var reader = WireReader(value)
        let version = try reader.integer(UInt8.self)
        guard version == Self.first || version == Self.version else { throw .invalidText }
        let name = try reader.text(UInt16.self, in: 1...VaultName.maximumSize)
        self.id = id
        self.file = file
        self.entry = entry
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
        if version == Self.version {
            nanoseconds = try reader.integer(UInt32.self)
            let isFormer = try reader.integer(UInt8.self)
            guard isFormer <= 1, nanoseconds < 1_000_000_000 else { throw .invalidText }
            if isFormer == 1 { replaced = Int64(bitPattern: try reader.integer(UInt64.self)) }
        }
        guard (entry == nil) == (replaced == nil) else { throw .invalidText }
        try reader.finish()
    }

    /// The same content as a former version of the entry of this id.
    func former(as id: VaultEntryID, replaced moment: Int64) -> VaultEntry {
        var former = self
        former.id = id
        former.entry = self.id
        former.replaced = moment
        return former
    }

    /// This content as the present one of an entry that has another.
    func present(as entry: VaultEntry) -> VaultEntry {
        var present = self
        present.id = entry.id
        present.name = entry.name
        present.tags = entry.tags
        present.entry = nil
        present.replaced = nil
        return present
    }
}
