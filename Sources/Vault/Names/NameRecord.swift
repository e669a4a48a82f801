import MildamWire

/// What a line of the copy of the names says: that a name has this content now, or that it had it.
///
/// ```
/// {"name":"photos/one.png","file":"…","digest":"…","size":1,"modified":1,"nanoseconds":0,"added":1,"type":"…","tags":[]}
/// ```
///
/// `was` is there as well where the name was another before, and `replaced` in the line of a former version.
struct NameRecord: Equatable, Sendable {
    /// The longest line, in bytes: more than a name and the tags take with every character escaped.
    static let maximumSize = 1 << 16

    var name: VaultName
    /// What it was called until then.
    var was: VaultName?
    /// Which file has the content.
    let file: VaultEntryID
    /// The content's SHA-256, 32 bytes.
    let digest: [UInt8]
    let size: Int
    let modified: Int64
    let nanoseconds: UInt32
    let added: Int64
    let type: String
    let tags: [String]
    /// When another content took its place; `nil` for what is present.
    var replaced: Int64?

    /// What an entry, or a former version, is called.
    init(_ entry: VaultEntry, was: VaultName? = nil) {
        name = entry.name
        self.was = was
        file = entry.file
        digest = entry.digest
        size = entry.size
        modified = entry.modified
        nanoseconds = entry.nanoseconds
        added = entry.added
        type = entry.type
        tags = entry.tags
        replaced = entry.replaced
    }

    /// Reads a line.
    ///
    /// - Returns: `nil` for anything but what `text` gives.
    init?(_ line: Span<UInt8>) {
        guard let node = try? JSONReader.read(line), let name = Self.name(node["name"], line),
            let file = node["file"]?.string(in: line).flatMap({ VaultEntryID($0) }),
            let digest = node["digest"]?.string(in: line).flatMap({ try? Hex.decode($0) }),
            digest.count == VaultEntry.digestSize, let size = node["size"]?.integer(in: line), size >= 0,
            let modified = node["modified"]?.integer(in: line), let added = node["added"]?.integer(in: line),
            let nanoseconds = node["nanoseconds"]?.integer(in: line), (0..<1_000_000_000).contains(nanoseconds),
            let type = node["type"]?.string(in: line), Self.isType(type), let tags = node["tags"]?.elements
        else { return nil }
        let texts = tags.compactMap { $0.string(in: line) }
        guard texts.count == tags.count, let sound = try? VaultEntry.tags(texts), sound == texts else { return nil }
        self.name = name
        self.file = file
        self.digest = digest
        self.size = Int(size)
        self.modified = modified
        self.nanoseconds = UInt32(nanoseconds)
        self.added = added
        self.type = type
        self.tags = sound
        if let other = node["was"] {
            guard let was = Self.name(other, line) else { return nil }
            self.was = was
        }
        if let moment = node["replaced"] {
            guard let replaced = moment.integer(in: line) else { return nil }
            self.replaced = replaced
        }
    }

    private static func isType(_ text: String) -> Bool { text.utf8.count <= 255 && !text.utf8.contains { $0 < 0x20 } }

    private static func name(_ node: JSONNode?, _ line: Span<UInt8>) -> VaultName? {
        guard let text = node?.string(in: line) else { return nil }
        return try? VaultName(text)
    }

    /// The line, with its end.
    func append(to text: inout [UInt8]) {
        func put(_ part: String) { text.append(contentsOf: part.utf8) }
        put("{\"name\":")
        JSONText.append(name.description, to: &text)
        if let was {
            put(",\"was\":")
            JSONText.append(was.description, to: &text)
        }
        put(",\"file\":\"\(file)\",\"digest\":\"\(Hex.encode(digest))\",\"size\":\(size),\"modified\":\(modified)")
        put(",\"nanoseconds\":\(nanoseconds),\"added\":\(added),\"type\":")
        JSONText.append(type, to: &text)
        put(",\"tags\":[")
        for (number, tag) in tags.enumerated() {
            if number > 0 { put(",") }
            JSONText.append(tag, to: &text)
        }
        put("]")
        if let replaced { put(",\"replaced\":\(replaced)") }
        put("}\n")
    }
}

/// Strings in JSON (RFC 8259, section 7). Names, types and tags have no control characters.
private enum JSONText {
    static func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
            text.append(byte)
        }
        text.append(UInt8(ascii: "\""))
    }
}
