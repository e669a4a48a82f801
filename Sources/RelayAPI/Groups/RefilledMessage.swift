import MildamIdentity
import MildamWire

/// A message that is given back to a relay.
///
///     struct {
///         uint64 number;              // from 1
///         uint32 generation;
///         uint64 epoch;
///         GroupContentKind kind;
///         opaque account[16];         // who had sent it
///         opaque device[16];
///         opaque id[16];
///         uint64 stored;              // when the relay had stored it: milliseconds since 1970
///         opaque message<V>;          // an MLSMessage, 1 byte to 256 KiB
///         select (RefilledMessage.kind) {
///             case application:
///             case proposal: struct {};
///             case commit: opaque group_info<V>;   // of the epoch that it begins, 128 KiB at most; empty for none
///         };
///     } RefilledMessage;
public struct RefilledMessage: Hashable, Sendable {
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
    /// What it is; a commit's Welcome is not given back: who came in by it comes in from outside.
    public let content: GroupSendRequest.Content

    /// A message.
    public init(
        number: UInt64,
        generation: UInt32,
        epoch: UInt64,
        account: AccountID,
        device: DeviceID,
        id: MessageID,
        stored: UInt64,
        content: GroupSendRequest.Content
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

    /// The same as it was sent, as far as that is known.
    public var request: GroupSendRequest {
        GroupSendRequest(id: id, generation: generation, epoch: epoch, seen: 0, content: content)
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
        let message = try reader.vector(in: 1...Limits.message)
        switch kind {
        case 1: content = .application(message)
        case 2: content = .proposal(message)
        case 3: content = .commit(message, groupInfo: try reader.vector(in: 0...Limits.groupInfo), welcome: [])
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
            }
        writer.integer(kind)
        account.encode(into: &writer)
        device.encode(into: &writer)
        id.encode(into: &writer)
        writer.integer(stored)
        writer.vector(request.message)
        if case .commit(_, let groupInfo, _) = content { writer.vector(groupInfo) }
    }
}
