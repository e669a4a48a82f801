import MildamIdentity
import MildamWire

/// What somebody says in a room: the container of draft-ietf-mimi-content-08, in deterministic CBOR.
///
///     mimiContent = [
///       salt: bstr .size 16,
///       replaces: null / MessageId,
///       topicId: bstr,
///       expires: null / Expiration,
///       inReplyTo: null / MessageId,
///       mimiExtensions: extensions,
///       nestedPart: NestedPart
///     ]
///
/// Bytes that were read are written again as they were, so that a ``ContentID`` stays what it is. The salt is the id under
/// which the message is sent: content and envelope name one another.
public struct MimiContent: Hashable, Sendable {
    /// The size of the longest, in bytes: with padding and framing it stays below what a relay takes.
    public static let maximumSize = 3 << 16
    /// How many parts there are at most.
    public static let maximumParts = 1024
    /// The size of the longest topic id, in bytes.
    public static let maximumTopicID = 4096
    /// How many fields a message has, and which of them, counted from 0, has the extensions.
    static let fieldCount = 7
    static let extensionsPlace = 5

    /// 16 random bytes: the id of the message that brings it.
    public let salt: MessageID
    /// The message that this one takes the place of: the first version of it.
    public let replaces: ContentID?
    /// What this message belongs to; empty for nothing.
    public let topicID: [UInt8]
    /// When it is to be gone.
    public let expires: Expiration?
    /// The message that this one answers: the version that was seen.
    public let inReplyTo: ContentID?
    /// More fields: those of ``ContentHead``, and others.
    public let extensions: CBORMap
    /// What was said; `nil` where a later version of the format said it.
    public let part: NestedPart?
    /// What it is, for who shows it.
    public let kind: ContentKind
    /// The one encoding.
    public let encoded: [UInt8]

    /// Says something.
    ///
    /// - Parameters:
    ///   - salt: the id under which it is sent.
    ///   - topicID: 4,096 bytes at most.
    /// - Throws: a ``ContentDefect`` for what nobody would take.
    public init(
        _ part: NestedPart,
        salt: MessageID,
        head: ContentHead,
        replaces: ContentID? = nil,
        topicID: [UInt8] = [],
        expires: Expiration? = nil,
        inReplyTo: ContentID? = nil
    ) throws(ContentDefect) {
        let fields: [CBORValue] = [
            .bytes(salt.bytes), MimiContent.value(of: replaces), .bytes(topicID), expires?.value ?? .null,
            MimiContent.value(of: inReplyTo), .map(CBORMap(head.entries)), part.value,
        ]
        try self.init(encoded: CBORValue.array(fields).encoded)
    }

    /// Reads what bytes say.
    ///
    /// - Throws: a ``ContentDefect``. A kind of content that this version does not know is none.
    public init(encoded bytes: [UInt8]) throws(ContentDefect) {
        guard bytes.count <= MimiContent.maximumSize else { throw .tooLong(bytes.count) }
        var fields = try FieldReader(try MimiContent.value(bytes), of: "mimiContent")
        guard let salt = try? MessageID(bytes: fields.bytes("salt")) else { throw .malformed(field: "salt") }
        self.salt = salt
        replaces = try fields.contentID("replaces")
        topicID = try fields.bytes("topicId")
        guard topicID.count <= MimiContent.maximumTopicID else { throw .malformed(field: "topicId") }
        let expires = try fields.next("expires")
        self.expires = try expires == .null ? nil : Expiration(expires)
        inReplyTo = try fields.contentID("inReplyTo")
        guard case .map(let extensions) = try fields.next("mimiExtensions"),
            ExtensionField.areAllowed(extensions)
        else { throw .malformed(field: "mimiExtensions") }
        self.extensions = extensions
        var reader = PartReader()
        let part = try reader.part(try fields.next("nestedPart"))
        self.part = part
        // An edit is not shown as if it were new, and fields behind the seventh are of a later version.
        if let part, replaces == nil, fields.isAtEnd { kind = try ContentKind(part) } else { kind = .newer }
        encoded = bytes
    }

    /// What it says beside what was said. Whatever kind it is of, this can be read.
    ///
    /// - Throws: `malformed` where a field is missing or is not what a room's message has.
    public func head() throws(ContentDefect) -> ContentHead { try ContentHead(extensions) }

    /// What other messages name it by.
    public func id(from account: AccountID, in room: RoomID, on relay: RelayID) -> ContentID {
        ContentID(
            of: encoded,
            salt: salt,
            from: ContentURI.account(account, on: relay),
            in: ContentURI.room(room, on: relay)
        )
    }

    /// The item that bytes are.
    static func value(_ bytes: [UInt8]) throws(ContentDefect) -> CBORValue {
        do {
            return try CBORValue(encoded: bytes)
        } catch {
            throw .notCBOR(error)
        }
    }

    private static func value(of id: ContentID?) -> CBORValue { id.map { CBORValue.bytes($0.bytes) } ?? .null }
}

extension MimiContent: CustomStringConvertible, CustomReflectable {
    /// How long it is, and nothing that was said.
    public var description: String { "MimiContent (\(encoded.count) bytes)" }

    /// The same: nothing that prints what lies in it shows what was said.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
