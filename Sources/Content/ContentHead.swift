import MildamIdentity
import MildamWire

/// What a message of a room says beside what was said, in extension fields for private use: when, what its sender had
/// seen, the how-manieth it is, and which blobs it tells of.
///
/// | key | value |
/// |---|---|
/// | −1 | when it was written, in milliseconds since 1970 |
/// | −2 | the last number that the sender had seen, and the running hash up to it; missing where the sender has none |
/// | −3 | the sender's counter |
/// | −4 | the ids of blobs; missing where there are none |
public struct ContentHead: Hashable, Sendable {
    /// A number of a room, and the running hash of everything up to it.
    public struct Seen: Hashable, Sendable {
        /// The size of the running hash, in bytes.
        public static let hashSize = 32

        /// The number.
        public let number: UInt64
        /// The running hash, 32 bytes.
        public let hash: [UInt8]

        /// A point of a room's history; `nil` unless the hash has 32 bytes.
        public init?(number: UInt64, hash: [UInt8]) {
            guard hash.count == Seen.hashSize else { return nil }
            self.number = number
            self.hash = hash
        }
    }

    /// How many blobs a message tells of at most.
    public static let maximumBlobs = 64

    /// When it was written, by the sender's clock: milliseconds since 1970.
    public let written: UInt64
    /// How far the sender had seen the room.
    public let seen: Seen?
    /// How many messages this device has sent in this room, this one included.
    public let counter: UInt64
    /// The blobs that it tells of; each once, 64 at most.
    public let blobs: [BlobID]

    /// Makes a head.
    ///
    /// - Precondition: at most 64 blobs, each once; callers bound what they send.
    public init(written: UInt64, seen: Seen?, counter: UInt64, blobs: [BlobID] = []) {
        precondition(blobs.count <= ContentHead.maximumBlobs && Set(blobs).count == blobs.count, "blobs of a message")
        self.written = written
        self.seen = seen
        self.counter = counter
        self.blobs = blobs
    }

    /// Reads a head from the extension fields; other fields are passed over.
    init(_ extensions: CBORMap) throws(ContentDefect) {
        guard case .unsigned(let written)? = extensions[Key.written] else { throw .malformed(field: "written") }
        guard case .unsigned(let counter)? = extensions[Key.counter] else { throw .malformed(field: "counter") }
        self.written = written
        self.counter = counter
        seen = try extensions[Key.seen].map { (value) throws(ContentDefect) in try ContentHead.seen(value) }
        blobs = try extensions[Key.blobs].map { (value) throws(ContentDefect) in try ContentHead.blobs(value) } ?? []
    }

    /// Reads the head of a message, whatever else it says: of one whose content is malformed, the counter moves on too.
    ///
    /// - Throws: a ``ContentDefect`` where not even this can be read.
    public init(ofMessage bytes: [UInt8]) throws(ContentDefect) {
        guard bytes.count <= MimiContent.maximumSize else { throw .tooLong(bytes.count) }
        guard case .array(let fields) = try MimiContent.value(bytes), fields.count >= MimiContent.fieldCount,
            case .map(let extensions) = fields[MimiContent.extensionsPlace]
        else { throw .malformed(field: "mimiExtensions") }
        try self.init(extensions)
    }

    private static func seen(_ value: CBORValue) throws(ContentDefect) -> Seen {
        var fields = try FieldReader(value, of: "seen")
        let number: UInt64 = try fields.integer("seen")
        guard let seen = Seen(number: number, hash: try fields.bytes("seen")), fields.isAtEnd else {
            throw .malformed(field: "seen")
        }
        return seen
    }

    private static func blobs(_ value: CBORValue) throws(ContentDefect) -> [BlobID] {
        var fields = try FieldReader(value, of: "blobs")
        var blobs: [BlobID] = []
        while !fields.isAtEnd {
            guard let blob = try? BlobID(bytes: fields.bytes("blobs")), blobs.count < maximumBlobs else {
                throw .malformed(field: "blobs")
            }
            blobs.append(blob)
        }
        guard !blobs.isEmpty, Set(blobs).count == blobs.count else { throw .malformed(field: "blobs") }
        return blobs
    }

    /// As it stands in the extension fields.
    var entries: [CBORMap.Entry] {
        var entries = [
            CBORMap.Entry(.integer(Key.written), .unsigned(written)),
            CBORMap.Entry(.integer(Key.counter), .unsigned(counter)),
        ]
        if let seen {
            let value = CBORValue.array([.unsigned(seen.number), .bytes(seen.hash)])
            entries.append(CBORMap.Entry(.integer(Key.seen), value))
        }
        if !blobs.isEmpty {
            entries.append(CBORMap.Entry(.integer(Key.blobs), .array(blobs.map { .bytes($0.bytes) })))
        }
        return entries
    }

    private enum Key {
        static let written: Int64 = -1
        static let seen: Int64 = -2
        static let counter: Int64 = -3
        static let blobs: Int64 = -4
    }
}
