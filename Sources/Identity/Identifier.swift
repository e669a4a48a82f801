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

    /// A new identifier of the given source; of the same bytes, the same.
    package static func random(from randomness: Randomness) -> Identifier {
        let bytes = randomness.bytes(count: 16)
        func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        return Identifier(high: number(bytes.prefix(8)), low: number(bytes.suffix(8)))
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
        var digits = text.utf8.makeIterator()
        try self.init(count: text.utf8.count) { digits.next() ?? 0 }
    }

    /// The identifier that these ASCII characters show: 26, lower case.
    public init(ascii: Span<UInt8>) throws(WireError) {
        var position = 0
        try self.init(count: ascii.count) {
            defer { position += 1 }
            return ascii[position]
        }
    }

    /// 26 characters of five bits are 130 bits; the last two must be zero.
    private init(count: Int, next: () -> UInt8) throws(WireError) {
        guard count == Self.characterCount else { throw .invalidText }
        var value: UInt128 = 0
        for _ in 1..<count { value = value << 5 | UInt128(try Self.digit(next())) }
        let last = try Self.digit(next())
        guard last & 3 == 0 else { throw .invalidText }
        value = value << 3 | UInt128(last >> 2)
        self.init(high: UInt64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
    }

    private static var characterCount: Int { 26 }

    private static func digit(_ character: UInt8) throws(WireError) -> UInt8 {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a")
        case UInt8(ascii: "2")...UInt8(ascii: "7"): character - UInt8(ascii: "2") + 26
        default: throw .invalidText
        }
    }

    /// Its 16 bytes.
    public var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { unsafe [UInt8]($0) }
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
    public var description: String {
        // 130 bits, of which the last two are zero, five for each character.
        let value = UInt128(high) << 64 | UInt128(low)
        return unsafe String(unsafeUninitializedCapacity: Self.characterCount) { characters in
            for index in 0..<Self.characterCount {
                let digit =
                    index < 25
                    ? UInt8(truncatingIfNeeded: value >> (123 - 5 * index)) & 31
                    : UInt8(truncatingIfNeeded: value << 2) & 31
                unsafe characters[index] = digit < 26 ? digit + UInt8(ascii: "a") : digit - 26 + UInt8(ascii: "2")
            }
            return Self.characterCount
        }
    }
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
    /// What an account says of another one, chosen by the account's client.
    public enum Standing: IdentifierKind {}
    /// A link that leads past the strangers' part of an account's mailboxes.
    public enum Link: IdentifierKind {}
    /// A claim of key packages, chosen by the client that claims.
    public enum Claim: IdentifierKind {}
    /// A state of a relay's store: another one after it was put back to an earlier one.
    public enum Incarnation: IdentifierKind {}
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
/// Names a standing.
public typealias StandingID = Identifier<IdentifierKinds.Standing>
/// Names a link.
public typealias LinkID = Identifier<IdentifierKinds.Link>
/// Names a claim of key packages.
public typealias ClaimID = Identifier<IdentifierKinds.Claim>
/// Names an incarnation of a relay's store.
public typealias IncarnationID = Identifier<IdentifierKinds.Incarnation>
