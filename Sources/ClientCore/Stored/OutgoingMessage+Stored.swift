import MildamIdentity
import MildamWire

/// A message that waits for its number, as it is stored.
extension OutgoingMessage {
    /// Reads a message.
    init(stored reader: inout WireReader) throws(WireError) {
        let id = try MessageID(from: &reader)
        guard let kind = NumberedMessage.Kind(rawValue: try reader.integer(UInt8.self)) else {
            throw .invalidValue(field: "kind")
        }
        let (generation, epoch) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        let body = try reader.vector()
        let groupInfo = try reader.some { (reader) throws(WireError) in try reader.vector() }
        let welcome = try reader.some { (reader) throws(WireError) in try reader.vector() }
        let blobs = try reader.list { (reader) throws(WireError) in try BlobID(from: &reader) }
        self.init(
            id: id,
            kind: kind,
            generation: generation,
            epoch: epoch,
            body: body,
            groupInfo: groupInfo,
            welcome: welcome,
            blobs: blobs
        )
    }

    /// Appends the message.
    func store(into writer: inout WireWriter) {
        id.encode(into: &writer)
        writer.integer(kind.rawValue)
        writer.integer(generation)
        writer.integer(epoch)
        writer.vector(body)
        writer.some(groupInfo) { $0.vector($1) }
        writer.some(welcome) { $0.vector($1) }
        writer.list(blobs) { $1.encode(into: &$0) }
    }
}

/// A Welcome that was not opened yet, as it is stored.
extension ArrivedWelcome {
    /// Reads a Welcome.
    package init(storedForm bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        let room = try RoomID(from: &reader)
        let (generation, number) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        let (welcome, tree) = (try reader.vector(), try reader.vector())
        let isOfKnownSender = try reader.flag()
        try reader.finish()
        self.init(
            room: room,
            generation: generation,
            number: number,
            welcome: welcome,
            tree: tree,
            isOfKnownSender: isOfKnownSender
        )
    }

    /// The Welcome, with its tree: 4 MiB and more.
    package var storedForm: [UInt8] {
        var writer = WireWriter(capacity: welcome.count + tree.count + 64)
        room.encode(into: &writer)
        writer.integer(generation)
        writer.integer(number)
        writer.vector(welcome)
        writer.vector(tree)
        writer.flag(isOfKnownSender)
        return writer.bytes
    }
}
