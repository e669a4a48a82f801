import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamWire

/// What a room is called, for who comes in by a Welcome: an extension of the Welcome's GroupInfo, which is encrypted;
/// `mildam_room_info`, 0xF4D2 for private use (H27). It has no place in a GroupInfo that a relay holds.
///
///     struct {
///         uint8 version = 1;
///         opaque salt[16];     // of the message that brought it
///         opaque info<V>;      // application/vnd.mildam.room-info
///     } WelcomedInfo;
public struct WelcomedInfo: Hashable, Sendable, WireEncodable, WireDecodable {
    /// The extension's number.
    public static let extensionType = ExtensionType(rawValue: 0xF4D2)

    /// The salt of the message that brought it.
    public let salt: MessageID
    /// The information, encoded.
    public let info: [UInt8]

    /// What a room is called.
    public init(salt: MessageID, info: [UInt8]) {
        self.salt = salt
        self.info = info
    }

    /// The one among a GroupInfo's extensions; `nil` where there is none, or one that this version does not know.
    public init?(in extensions: Extensions) {
        guard let data = extensions[WelcomedInfo.extensionType], let own = try? WelcomedInfo(wireBytes: data) else {
            return nil
        }
        self = own
    }

    /// As it stands among a GroupInfo's extensions.
    public var mls: Extension { Extension(type: WelcomedInfo.extensionType, data: wireBytes) }

    /// What the group's context has of it, 32 bytes: SHA-256 of salt and information.
    public var digest: [UInt8] { Array(SHA256.hash(data: salt.bytes + info)) }

    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        salt = try MessageID(from: &reader)
        info = try reader.vector()
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        salt.encode(into: &writer)
        writer.vector(info)
    }
}

extension WelcomedInfo: CustomStringConvertible, CustomReflectable {
    /// How long it is, and nothing of it.
    public var description: String { "WelcomedInfo (\(info.count) bytes)" }

    /// The same: nothing that prints what lies in it shows what the room is called.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension RoomMembers {
    /// Whether what somebody is told of the room is what its members have agreed on.
    ///
    /// - Throws: `infoIsOfDigest`.
    public func check(_ welcomed: WelcomedInfo) throws(RoomRefusal) {
        try require(.infoIsOfDigest, welcomed.digest == room.infoDigest)
    }
}
