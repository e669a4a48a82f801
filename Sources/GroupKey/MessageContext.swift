import MildamIdentity
import MildamWire

/// Where a message stands, in clear: what the relay knows of it, and what its authenticated data bind.
///
/// ```
/// struct {
///     opaque room[16];
///     uint32 generation;
///     uint64 epoch;              // 0 in rooms of this kind
///     opaque sender_account[16];
///     opaque sender_device[16];
/// } MessageContext;
/// ```
public struct MessageContext: Sendable, Equatable, WireEncodable {
    /// The room.
    public let room: RoomID
    /// The generation of the key it is sealed under.
    public let generation: UInt32
    /// Always 0 in rooms of this kind; MLS rooms count here.
    public let epoch: UInt64
    /// The account that sent it.
    public let senderAccount: AccountID
    /// The device that sent it.
    public let senderDevice: DeviceID

    /// Makes a context.
    public init(room: RoomID, generation: UInt32, epoch: UInt64 = 0, senderAccount: AccountID, senderDevice: DeviceID) {
        self.room = room
        self.generation = generation
        self.epoch = epoch
        self.senderAccount = senderAccount
        self.senderDevice = senderDevice
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        room.encode(into: &writer)
        writer.integer(generation)
        writer.integer(epoch)
        senderAccount.encode(into: &writer)
        senderDevice.encode(into: &writer)
    }
}

/// A message as the relay keeps it: a context and opaque bytes.
public struct StoredMessage: Sendable {
    /// Where it stands.
    public let context: MessageContext
    /// A ``MessageBox``, encoded.
    public let body: [UInt8]

    /// Makes a stored message.
    public init(context: MessageContext, body: [UInt8]) {
        self.context = context
        self.body = body
    }
}
