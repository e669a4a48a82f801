import MildamIdentity
import MildamWire

/// A wish on its way, as it is stored: with what was made for it, byte by byte.
extension Intent {
    /// Reads a wish on its way.
    package init(storedForm bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes.span)
        let id = try MessageID(from: &reader)
        let wished = try reader.integer(UInt64.self)
        self.init(try Wish(stored: &reader), id: id, wished: wished)
        switch try reader.integer(UInt8.self) {
        case 0: break
        case 1:
            let message = try OutgoingMessage(stored: &reader)
            let number = try reader.some { (reader) throws(WireError) in try reader.integer(UInt64.self) }
            progress = .staged(message, number: number)
        case 2: progress = .unsaid(code: try reader.text(UInt16.self, in: 0...0xFFFF))
        case 3: progress = .held(try OutgoingMessage(stored: &reader))
        default: throw .invalidValue(field: "progress")
        }
        attempts = try reader.list { (reader) throws(WireError) in try reader.fixed(32) }
        claimed = try reader.some { (reader) throws(WireError) in try ClaimReply(stored: &reader) }
        content = try reader.some { (reader) throws(WireError) in try reader.vector() }
        toldWaiting = try reader.some { (reader) throws(WireError) in try reader.text(UInt16.self, in: 0...0xFFFF) }
        hasEcho = try reader.flag()
        try reader.finish()
    }

    /// The wish, and how far it is.
    package var storedForm: [UInt8] {
        var writer = WireWriter(capacity: 512)
        id.encode(into: &writer)
        writer.integer(wished)
        wish.store(into: &writer)
        switch progress {
        case .wanted: writer.integer(UInt8(0))
        case .staged(let message, let number):
            writer.integer(UInt8(1))
            message.store(into: &writer)
            writer.some(number) { $0.integer($1) }
        case .unsaid(let code):
            writer.integer(UInt8(2))
            writer.text(UInt16.self, code)
        case .held(let message):
            writer.integer(UInt8(3))
            message.store(into: &writer)
        }
        writer.list(attempts) { $0.fixed($1) }
        writer.some(claimed) { $1.store(into: &$0) }
        writer.some(content) { $0.vector($1) }
        writer.some(toldWaiting) { $0.text(UInt16.self, $1) }
        writer.flag(hasEcho)
        return writer.bytes
    }
}
