import MildamIdentity
import MildamWire

/// A message as it is stored.
extension NumberedMessage {
    /// Reads a message.
    package init(storedForm bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        number = try reader.integer()
        generation = try reader.integer()
        account = try AccountID(from: &reader)
        device = try DeviceID(from: &reader)
        id = try MessageID(from: &reader)
        guard let kind = Kind(rawValue: try reader.integer(UInt8.self)) else { throw .invalidValue(field: "kind") }
        self.kind = kind
        stored = try reader.integer()
        body = try reader.vector()
        externalPub = try reader.some { (reader) throws(WireError) in try reader.vector() }
        try reader.finish()
    }

    /// The message: 78 bytes and the body, and 33 more where it is a commit.
    package var storedForm: [UInt8] {
        var writer = WireWriter(capacity: body.count + 128)
        writer.integer(number)
        writer.integer(generation)
        account.encode(into: &writer)
        device.encode(into: &writer)
        id.encode(into: &writer)
        writer.integer(kind.rawValue)
        writer.integer(stored)
        writer.vector(body)
        writer.some(externalPub) { $0.vector($1) }
        return writer.bytes
    }
}
