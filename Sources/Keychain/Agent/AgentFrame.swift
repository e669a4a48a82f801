import Glibc
import MildamCrypto
import MildamSystem
import MildamWire

/// A message on the agent's socket: its length in 4 bytes, then itself. What was sent and received is wiped.
enum AgentFrame {
    /// The most bytes of a message: a listing of secrets may be that long.
    static let maximumSize = 64 << 20
    /// The most bytes of a message from whom has not been answered yet: the largest change, and what it is a change of.
    static let maximumRequest = SecretValue.maximumSize + 2 * ItemAttributes.maximumSize + 64 << 10

    /// Sends a message.
    ///
    /// - Throws: `SystemError`; `EMSGSIZE` for one of more than `maximum` bytes, of which nothing is sent.
    static func send(
        _ message: some AgentMessage,
        to connection: UnixConnection,
        maximum: Int = maximumSize
    ) throws(SystemError) {
        // Room enough for all of it: a writer that grows leaves the beginning of a secret behind in memory.
        var writer = WireWriter(capacity: 8192 + message.secretSize)
        writer.integer(UInt32(0))
        message.encode(into: &writer)
        var bytes = writer.takeBytes()
        defer { bytes.wipe() }
        let size = bytes.count - 4
        guard size <= maximum else { throw SystemError("send a message of \(size) bytes", code: EMSGSIZE) }
        for place in 0..<4 { bytes[place] = UInt8(truncatingIfNeeded: size >> (24 - 8 * place)) }
        try connection.send(bytes.span, within: .seconds(30))
    }

    /// Receives a message.
    ///
    /// - Parameter limit: how long it may take from its first byte on.
    /// - Returns: `nil` when the other side has ended the connection.
    /// - Throws: `SystemError`; `EPROTO` for a message of more than `maximum` bytes, or of a form that is not known.
    static func receive<Message: WireDecodable>(
        _ type: Message.Type,
        from connection: UnixConnection,
        maximum: Int,
        within limit: Duration?
    ) throws(SystemError) -> Message? {
        var length: [UInt8] = [0, 0, 0, 0]
        var span = length.mutableSpan
        guard try connection.receive(into: &span, within: limit) else { return nil }
        let size = length.reduce(0) { $0 << 8 | Int($1) }
        guard size <= maximum else { throw SystemError("understand a message of \(size) bytes", code: EPROTO) }
        var bytes = [UInt8](repeating: 0, count: size)
        defer { bytes.wipe() }
        var rest = bytes.mutableSpan
        guard try connection.receive(into: &rest, within: .seconds(30)) else {
            throw SystemError("read a whole message", code: ECONNRESET)
        }
        do throws(WireError) {
            var reader = WireReader(bytes.span)
            let message = try Message(from: &reader)
            try reader.finish()
            return message
        } catch {
            throw SystemError("understand a message", code: EPROTO)
        }
    }
}
