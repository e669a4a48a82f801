import MildamCrypto
import MildamWire

/// 16 random bytes that name one thing of one kind; shown as 26 characters of lower-case base32.
public struct Identifier<Kind: IdentifierKind>: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// A new identifier from the system's random generator.
    public static func random() -> Identifier {
        var generator = SecureRandom()
        return Identifier(high: generator.next(), low: generator.next())
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The identifier of exactly 16 bytes.
    public init(bytes: [UInt8]) throws(WireError) {
        try self.init(wireBytes: bytes)
    }

    /// The identifier that this text shows: 26 characters, lower case.
    public init(_ text: some StringProtocol) throws(WireError) {
        guard text.utf8.count == 26 else { throw .invalidText }
        try self.init(wireBytes: Base32.decode(text))
    }

    /// Its 16 bytes.
    public var bytes: [UInt8] {
        var writer = WireWriter(capacity: 16)
        encode(into: &writer)
        return writer.bytes
    }
}

extension Identifier: WireEncodable, WireDecodable {
    /// `opaque identifier[16]`.
    public func encode(into writer: inout WireWriter) {
        writer.integer(high)
        writer.integer(low)
    }

    /// Reads 16 bytes.
    public init(from reader: inout WireReader) throws(WireError) {
        let high = try reader.integer(UInt64.self)
        let low = try reader.integer(UInt64.self)
        self.init(high: high, low: low)
    }
}

extension Identifier: CustomStringConvertible {
    /// The 26 characters.
    public var description: String { Base32.encode(bytes) }
}

extension Identifier: Comparable {
    /// The order of the bytes.
    public static func < (left: Identifier, right: Identifier) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension Identifier: Codable {
    /// Reads the 26 characters.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an identifier")
        }
    }

    /// Writes the 26 characters.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// What an identifier names.
public protocol IdentifierKind: Sendable {}

/// The kinds of thing that have an identifier.
public enum IdentifierKinds {
    /// A relay: one server's identity, made once.
    public enum Relay: IdentifierKind {}
    /// An account: a person's set of devices.
    public enum Account: IdentifierKind {}
    /// A device of an account.
    public enum Device: IdentifierKind {}
    /// A room.
    public enum Room: IdentifierKind {}
    /// A message, chosen by the device that sends it.
    public enum Message: IdentifierKind {}
    /// A blob: the ciphertext of an attachment.
    public enum Blob: IdentifierKind {}
    /// A login session of one device.
    public enum Session: IdentifierKind {}
}

/// Names a relay.
public typealias RelayID = Identifier<IdentifierKinds.Relay>
/// Names an account.
public typealias AccountID = Identifier<IdentifierKinds.Account>
/// Names a device.
public typealias DeviceID = Identifier<IdentifierKinds.Device>
/// Names a room.
public typealias RoomID = Identifier<IdentifierKinds.Room>
/// Names a message.
public typealias MessageID = Identifier<IdentifierKinds.Message>
/// Names a blob.
public typealias BlobID = Identifier<IdentifierKinds.Blob>
/// Names a session.
public typealias SessionID = Identifier<IdentifierKinds.Session>
