import Glibc
import MildamSystem

@testable import MildamTransport

/// A server that says what a test wants: one script of answers per connection, one answer per request that arrives.
final class RawServer: Sendable {
    /// What to do with one request.
    enum Step: Sendable {
        case answer(String)
        /// End the connection instead.
        case end
        /// Never answer.
        case silence
    }

    let address: SocketAddress
    private let listener: SharedDescriptor
    /// The requests that came, and on which connection.
    let requests = Lock<[(connection: Int, text: String)]>([])

    init(_ scripts: [[Step]]) throws {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        listener = SharedDescriptor(Descriptor(owning: number))
        var (storage, length) = SocketAddress.loopback(port: 0).native
        let code = unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe bind(number, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length)
        }
        guard code == 0, listen(number, 16) == 0 else { throw SystemError.last("listen") }
        address = try Sockets.localAddress(of: number)
        Thread.detach(named: "raw-server") { [listener, requests] in
            for (index, script) in scripts.enumerated() {
                let accepted = accept(listener.number, nil, nil)
                guard accepted >= 0 else { return }
                let connection = SharedDescriptor(Descriptor(owning: accepted))
                Thread.detach(named: "raw-connection") { Self.serve(connection, index, script, requests) }
            }
        }
    }

    deinit {
        shutdown(listener.number, Int32(SHUT_RDWR))
    }

    private static func serve(
        _ connection: SharedDescriptor,
        _ index: Int,
        _ script: [Step],
        _ requests: Lock<[(connection: Int, text: String)]>
    ) {
        for step in script {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe recv(connection.number, $0.baseAddress, $0.count, 0)
            }
            guard count > 0 else { return }
            requests.withLock { $0.append((index, String(decoding: bytes[..<count], as: UTF8.self))) }
            switch step {
            case .answer(let text):
                let answer = Array(text.utf8)
                _ = unsafe answer.withUnsafeBytes {
                    unsafe send(connection.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            case .end:
                return
            case .silence:
                _ = unsafe bytes.withUnsafeMutableBytes { unsafe recv(connection.number, $0.baseAddress, $0.count, 0) }
                return
            }
        }
    }
}
