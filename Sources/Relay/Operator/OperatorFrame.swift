import FoundationEssentials
import Glibc
import MildamSystem

/// What travels between the operator's command and the relay: JSON behind its length.
///
/// ```
/// struct { opaque json<0..2^20>; } OperatorFrame;     // the length in four bytes
/// ```
enum OperatorFrame {
    /// The longest JSON, in bytes: a page of accounts is a tenth of it.
    static let limit = 1 << 20
    /// How long the other side may take.
    static let patience = Duration.seconds(5)

    /// Sends a value.
    static func send(_ value: some Encodable, on connection: UnixConnection) throws(SystemError) {
        guard let json = try? JSONEncoder().encode(value), json.count <= limit else { throw malformed }
        let count = UInt32(json.count)
        let header = (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32($0))) }
        try connection.send((header + [UInt8](json)).span, within: patience)
    }

    /// Receives a value; its length is looked at before memory is taken for it.
    ///
    /// - Throws: `EBADMSG` for what is none.
    static func receive<Value: Decodable>(
        _ type: Value.Type,
        on connection: UnixConnection,
        within patience: Duration = patience
    ) throws(SystemError) -> Value {
        let header = try receive(4, on: connection, patience)
        let count = header.reduce(0) { $0 << 8 | Int($1) }
        guard count <= limit else { throw malformed }
        let json = try receive(count, on: connection, patience)
        guard let value = try? JSONDecoder().decode(type, from: Data(json)) else { throw malformed }
        return value
    }

    private static func receive(
        _ count: Int,
        on connection: UnixConnection,
        _ patience: Duration
    ) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard count > 0 else { return bytes }
        var span = bytes.mutableSpan
        guard try connection.receive(into: &span, within: patience) else { throw malformed }
        return bytes
    }

    private static let malformed = SystemError("read what the other side of the relay's socket says", code: EBADMSG)
}
