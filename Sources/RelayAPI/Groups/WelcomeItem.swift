import MildamWire

/// What a mailbox item of the kind `welcome` holds: a Welcome of which the relay has left one device's part, and the commit that it
/// came with.
///
///     struct {
///         uint8 version = 1;
///         uint32 generation;
///         uint64 epoch;            // the one that the device comes into
///         uint64 number;           // of the commit, in the room's log
///         opaque welcome<V>;       // an MLSMessage, 256 KiB at most
///     } WelcomeItem;
public struct WelcomeItem: Hashable, Sendable {
    /// Which of the room's groups it is for.
    public let generation: UInt32
    /// The epoch that the device comes into.
    public let epoch: UInt64
    /// The commit's number in the room's log.
    public let number: UInt64
    /// An MLSMessage with a Welcome for one device, encoded.
    public let welcome: [UInt8]

    /// Makes an item.
    public init(generation: UInt32, epoch: UInt64, number: UInt64, welcome: [UInt8]) {
        self.generation = generation
        self.epoch = epoch
        self.number = number
        self.welcome = welcome
    }
}

extension WelcomeItem: WireEncodable, WireDecodable {
    /// Reads the structure.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.version(1)
        generation = try reader.integer()
        epoch = try reader.number("epoch")
        number = try reader.number("number")
        welcome = try reader.vector(in: 1...Limits.welcome)
    }

    /// Appends the structure.
    public func encode(into writer: inout WireWriter) {
        writer.integer(UInt8(1))
        writer.integer(generation)
        writer.integer(epoch)
        writer.integer(number)
        writer.vector(welcome)
    }
}
