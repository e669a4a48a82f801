import MildamIdentity
import MildamWire

/// A message that is given back to a relay.
///
///     enum { application(1), proposal(2), commit(3), generation(4), (255) } RefilledKind;
///     struct {
///         uint64 number;              // from 1
///         uint32 generation;
///         uint64 epoch;
///         RefilledKind kind;
///         opaque account[16];         // who had sent it
///         opaque device[16];
///         opaque id[16];
///         uint64 stored;              // when the relay had stored it: milliseconds since 1970
///         opaque message<V>;          // an MLSMessage, 1 byte to 256 KiB; of a generation, 128 KiB
///         select (RefilledMessage.kind) {
///             case application:
///             case proposal:
///             case generation: struct {};
///             case commit: opaque group_info<V>;   // of the epoch that it begins, 128 KiB at most; empty for none
///         };
///     } RefilledMessage;
public struct RefilledMessage: Hashable, Sendable {
    /// What is given back.
    public enum Content: Hashable, Sendable {
        /// Something said: an MLSMessage with a PrivateMessage.
        case application([UInt8])
        /// A proposal that stands alone: an MLSMessage with a PublicMessage.
        case proposal([UInt8])
        /// A commit, and the GroupInfo of the epoch that it begins; empty for none. Its Welcome is not given back: who came in by
        /// it comes in from outside.
        case commit([UInt8], groupInfo: [UInt8])
        /// The GroupInfo of the room's next group, with its tree.
        case generation([UInt8])
    }

    /// The number that it had.
    public let number: UInt64
    /// Which of the room's groups it is for.
    public let generation: UInt32
    /// The group's epoch that it was sealed in.
    public let epoch: UInt64
    /// The account that had sent it.
    public let account: AccountID
    /// The device that had sent it.
    public let device: DeviceID
    /// The id that the device had chosen.
    public let id: MessageID
    /// When the relay had stored it, in milliseconds since 1970.
    public let stored: UInt64
    /// What it is.
    public let content: Content

    /// A message.
    public init(
        number: UInt64,
        generation: UInt32,
        epoch: UInt64,
        account: AccountID,
        device: DeviceID,
        id: MessageID,
        stored: UInt64,
        content: Content
    ) {
        self.number = number
        self.generation = generation
        self.epoch = epoch
        self.account = account
        self.device = device
        self.id = id
        self.stored = stored
        self.content = content
    }

    /// The message as the log had it: an MLSMessage, encoded.
    public var message: [UInt8] {
        switch content {
        case .application(let message), .proposal(let message), .generation(let message): message
        case .commit(let message, _): message
        }
    }
}

extension RefilledMessage: WireEncodable, WireDecodable {
    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        number = try reader.number("number")
        guard number > 0 else { throw .invalidValue(field: "number") }
        generation = try reader.integer()
        epoch = try reader.number("epoch")
        let kind = try reader.integer(UInt8.self)
        account = try AccountID(from: &reader)
        device = try DeviceID(from: &reader)
        id = try MessageID(from: &reader)
        stored = try reader.integer()
        guard stored <= UInt64(Limits.milliseconds.upperBound) else { throw .invalidValue(field: "stored") }
        let message = try reader.vector(in: 1...(kind == 4 ? Limits.groupInfo : Limits.message))
        switch kind {
        case 1: content = .application(message)
        case 2: content = .proposal(message)
        case 3: content = .commit(message, groupInfo: try reader.vector(in: 0...Limits.groupInfo))
        case 4: content = .generation(message)
        default: throw .invalidValue(field: "kind")
        }
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(number)
        writer.integer(generation)
        writer.integer(epoch)
        let kind: UInt8 =
            switch content {
            case .application: 1
            case .proposal: 2
            case .commit: 3
            case .generation: 4
            }
        writer.integer(kind)
        account.encode(into: &writer)
        device.encode(into: &writer)
        id.encode(into: &writer)
        writer.integer(stored)
        writer.vector(message)
        if case .commit(_, let groupInfo) = content { writer.vector(groupInfo) }
    }
}
