import FoundationEssentials
import MildamIdentity
import MildamWire

/// What a message says, once opened: JSON.
public struct RoomContent: Codable, Sendable, Equatable {
    /// When it was written, by the sender's clock: milliseconds since 1970.
    public var written: Int64
    /// How far the sender had seen the room when it wrote this.
    public var seen: Seen
    /// What it is.
    public var event: Event

    /// A history point in JSON.
    public struct Seen: Codable, Sendable, Equatable {
        /// The last number seen.
        public var number: UInt64
        /// The running hash, base64 of 32 bytes.
        public var hash: Data

        /// From a history point.
        public init(_ point: HistoryPoint) {
            number = point.number
            hash = Data(point.hash)
        }
    }

    /// What happened.
    public enum Event: Codable, Sendable, Equatable {
        /// The room was made, under this name.
        case created(name: String)
        /// Somebody said something.
        case text(body: String)
        /// Somebody sent a file.
        case attachment(file: Attachment)
        /// A member brought an account in. `Member` is base64 of its encoding; the number is that of its newest device
        /// list, 1 where none is named.
        case invited(member: Member, list: UInt64? = nil)
        /// A member put an account out; a new generation begins with this message.
        case removed(account: AccountID)
        /// The sender left.
        case left
        /// A new generation begins, because somebody had left.
        case renewed
    }

    /// Makes content.
    public init(written: Int64, seen: HistoryPoint, event: Event) {
        self.written = written
        self.seen = Seen(seen)
        self.event = event
    }

    /// The JSON.
    public func encoded() throws(GroupKeyError) -> [UInt8] {
        do {
            return Array(try JSONEncoder().encode(self))
        } catch {
            throw .unknownContent
        }
    }

    /// Reads the JSON.
    public init(decoding bytes: [UInt8]) throws(GroupKeyError) {
        do {
            self = try JSONDecoder().decode(RoomContent.self, from: Data(bytes))
        } catch {
            throw .unknownContent
        }
    }
}

extension Member: Codable {
    /// Reads base64 of the encoding.
    public init(from decoder: any Decoder) throws {
        try self.init(wireBytes: Array(decoder.singleValueContainer().decode(Data.self)))
    }

    /// Writes base64 of the encoding.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(wireBytes))
    }
}
