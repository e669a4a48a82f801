import MildamCrypto
import MildamIdentity
import MildamWire

/// What a room is called, what it is about, and its picture: `application/vnd.mildam.room-info`. The relay never holds it;
/// the group's context has its digest.
///
/// A map of CBOR: 1 the name; 2 the topic, where there is one; 3 the picture, where there is one, as a list of media type
/// and bytes; 4 the salt of the message that brought it first, 16 bytes, where this one says it again. What a later version
/// adds is kept.
public struct RoomInfo: Hashable, Sendable {
    /// A room's picture.
    public struct Picture: Hashable, Sendable {
        /// The size of the largest, in bytes.
        public static let maximumSize = 1 << 16

        /// Its media type.
        public let contentType: String
        /// The picture.
        public let bytes: [UInt8]

        /// A picture of 65,536 bytes or fewer.
        ///
        /// - Throws: `malformed` for a larger one.
        public init(contentType: String, bytes: [UInt8]) throws(ContentDefect) {
            guard bytes.count <= Picture.maximumSize else { throw .malformed(field: "picture") }
            self.contentType = contentType
            self.bytes = bytes
        }
    }

    /// The media type.
    public static let contentType = "application/vnd.mildam.room-info"
    /// The size of the longest name, in bytes.
    public static let maximumName = 255
    /// The size of the longest topic, in bytes.
    public static let maximumTopic = 1024

    /// The name, 1 to 255 bytes.
    public let name: String
    /// The topic, 1 to 1,024 bytes.
    public let topic: String?
    /// The picture.
    public let picture: Picture?
    /// The salt of the message that brought it first, where this one says it again: what the digest is made with.
    public let repeats: MessageID?
    /// What a later version says besides.
    private let others: [CBORMap.Entry]

    /// What a room is called.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes.
    ///   - topic: 1 to 1,024 bytes.
    /// - Throws: `malformed` for other sizes.
    public init(name: String, topic: String? = nil, picture: Picture? = nil) throws(ContentDefect) {
        try self.init(name: name, topic: topic, picture: picture, repeats: nil, others: [])
    }

    private init(
        name: String,
        topic: String?,
        picture: Picture?,
        repeats: MessageID?,
        others: [CBORMap.Entry]
    ) throws(ContentDefect) {
        guard (1...RoomInfo.maximumName).contains(name.utf8.count) else { throw .malformed(field: "name") }
        guard topic.map({ (1...RoomInfo.maximumTopic).contains($0.utf8.count) }) ?? true else {
            throw .malformed(field: "topic")
        }
        self.name = name
        self.topic = topic
        self.picture = picture
        self.repeats = repeats
        self.others = others
    }

    /// Reads what bytes say of a room.
    ///
    /// - Throws: a ``ContentDefect``.
    public init(encoded bytes: [UInt8]) throws(ContentDefect) {
        guard case .map(let map) = try MimiContent.value(bytes) else { throw .malformed(field: "room-info") }
        guard case .text(let name)? = map[Key.name] else { throw .malformed(field: "name") }
        try self.init(
            name: name,
            topic: map[Key.topic].map { (value) throws(ContentDefect) in try RoomInfo.topic(value) },
            picture: map[Key.picture].map { (value) throws(ContentDefect) in try RoomInfo.picture(value) },
            repeats: map[Key.repeats].map { (value) throws(ContentDefect) in try RoomInfo.salt(value) },
            others: map.entries.filter { entry in !Key.all.contains { entry.key == .integer($0) } }
        )
    }

    private static func topic(_ value: CBORValue) throws(ContentDefect) -> String {
        guard case .text(let topic) = value else { throw .malformed(field: "topic") }
        return topic
    }

    private static func salt(_ value: CBORValue) throws(ContentDefect) -> MessageID {
        guard case .bytes(let bytes) = value, let salt = try? MessageID(bytes: bytes) else {
            throw .malformed(field: "repeats")
        }
        return salt
    }

    private static func picture(_ value: CBORValue) throws(ContentDefect) -> Picture {
        var fields = try FieldReader(value, of: "picture")
        let contentType = try fields.text("picture")
        let picture = try Picture(contentType: contentType, bytes: fields.bytes("picture"))
        guard fields.isAtEnd else { throw .malformed(field: "picture") }
        return picture
    }

    /// The one encoding.
    public var encoded: [UInt8] {
        var entries = others + [CBORMap.Entry(.integer(Key.name), .text(name))]
        if let topic { entries.append(CBORMap.Entry(.integer(Key.topic), .text(topic))) }
        if let picture {
            let value = CBORValue.array([.text(picture.contentType), .bytes(picture.bytes)])
            entries.append(CBORMap.Entry(.integer(Key.picture), value))
        }
        if let repeats { entries.append(CBORMap.Entry(.integer(Key.repeats), .bytes(repeats.bytes))) }
        return CBORValue.map(CBORMap(entries)).encoded
    }

    /// What the group's context has of it, 32 bytes: SHA-256 of the salt of the message that brings it, and its encoding; where
    /// it is said again, of those that it had first.
    public func digest(salt: MessageID) -> [UInt8] {
        Array(SHA256.hash(data: (repeats ?? salt).bytes + repeating(nil).encoded))
    }

    /// The same, as what a message of this salt brought first; `nil`: as it is brought first.
    public func repeating(_ salt: MessageID?) -> RoomInfo { RoomInfo(self, repeats: salt) }

    private init(_ other: RoomInfo, repeats: MessageID?) {
        name = other.name
        topic = other.topic
        picture = other.picture
        self.repeats = repeats
        others = other.others
    }

    /// As it is sent.
    public var part: NestedPart { NestedPart(.single(type: RoomInfo.contentType, bytes: encoded)) }

    private enum Key {
        static let name: Int64 = 1
        static let topic: Int64 = 2
        static let picture: Int64 = 3
        static let repeats: Int64 = 4
        static let all = [name, topic, picture, repeats]
    }
}

extension RoomInfo: CustomStringConvertible, CustomReflectable {
    /// That it is one, and nothing of it.
    public var description: String { "RoomInfo" }

    /// The same: nothing that prints what lies in it shows the name.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
