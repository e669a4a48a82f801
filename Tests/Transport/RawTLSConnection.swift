import CLibSSL
import Dispatch
import Glibc
import MildamSystem

@testable import MildamTransport

/// A TLS client that puts records into segments as a test wants. Used by one task at a time.
final class RawTLSConnection: @unchecked Sendable {  // a test awaits each call before the next
    private let socket: Descriptor
    private let session: TLSSession

    /// Connects and shakes hands.
    init(to address: SocketAddress, _ trust: TLSClientConfiguration.Trust) async throws {
        let context = try TLSContext(client: TLSClientConfiguration(trust: trust), host: "127.0.0.1")
        let number = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard number >= 0 else { throw SystemError.last("make a socket") }
        socket = Descriptor(owning: number)
        session = try context.makeSession(over: number, isServer: false)
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var (storage, length) = address.native
        let code = unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe connect(number, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length)
        }
        guard code == 0 else { throw SystemError.last("connect") }
        guard case .done = await blocking({ self.session.handshake() }) else { throw TransportError.closed }
    }

    /// Sends each as a record of its own, in as few segments as they fit into.
    ///
    /// - Parameter finishing: whether the goodbye and the end of the connection go with them.
    func sendAtOnce(_ records: [[UInt8]], finishing: Bool = false) throws {
        cork(1)
        for record in records {
            guard case .done(record.count) = session.write(record.span) else { throw TransportError.closed }
        }
        if finishing {
            session.finish()
            shutdown(socket.number, Int32(SHUT_WR))
        }
        cork(0)
    }

    /// Everything up to and with `text`, or what there was before the end or five seconds of silence.
    func read(until text: String) async -> String {
        var all: [UInt8] = []
        while !String(decoding: all, as: UTF8.self).contains(text), let more = await blocking({ self.readNow() }) {
            all += more
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// Whether the next that comes is TLS's goodbye, and not a cut.
    func endsWithGoodbye() async -> Bool {
        await blocking {
            var buffer = [UInt8](repeating: 0, count: 100)
            return if case .end = self.session.read(into: &buffer) { true } else { false }
        }
    }

    private func readNow() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 20_000)
        guard case .done(let count) = session.read(into: &buffer) else { return nil }
        return Array(buffer[..<count])
    }

    private func cork(_ isOn: Int32) {
        var isOn = isOn
        unsafe setsockopt(socket.number, Int32(IPPROTO_TCP), TCP_CORK, &isOn, 4)
    }

    private func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }
}
