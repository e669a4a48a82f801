import Glibc
import MildamSystem

/// A bare round trip between two processes: over a UNIX socket, as many bytes as one item's reading through the agent sends
/// and receives, and nobody who does anything else.
struct RoundTrip {
    private let peer: Child
    private let connection: UnixConnection
    private static let (question, answer) = (57, 250)

    /// Starts the other process, which listens at a path in a private folder.
    init(at path: String) throws {
        peer = try Child(["/proc/self/exe", "answer", path])
        guard try peer.line() == "ready" else { throw BenchError("what answers a round trip does not start") }
        connection = try UnixConnection.connect(to: path)
    }

    /// There and back.
    func turn() throws {
        try connection.send([UInt8](repeating: 0, count: Self.question).span)
        try Self.receive(Self.answer, from: connection)
    }

    func stop() { peer.stop() }

    /// The other process: answers who connects until they leave.
    static func answer(at path: String) throws {
        let listener = try UnixListener(at: path)
        _ = unsafe write(STDOUT_FILENO, "ready\n", 6)
        guard let connection = try listener.accept() else { return }
        while try receive(question, from: connection) {
            try connection.send([UInt8](repeating: 0, count: answer).span)
        }
    }

    @discardableResult
    private static func receive(_ count: Int, from connection: UnixConnection) throws -> Bool {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        return try connection.receive(into: &span)
    }
}
