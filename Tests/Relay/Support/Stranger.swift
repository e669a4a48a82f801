import Dispatch
import Glibc
import MildamSystem

@testable import MildamTransport

/// A connection of somebody who says what a test wants, and stays.
final class Stranger: Sendable {
    private let socket: Descriptor

    init(to address: SocketAddress) throws {
        let number = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard number >= 0 else { throw SystemError.last("make a socket") }
        socket = Descriptor(owning: number)
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var (storage, length) = address.native
        let code = unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe connect(number, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length)
        }
        guard code == 0 else { throw SystemError.last("connect") }
    }

    /// Says something.
    func say(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes {
            unsafe send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Says something, and returns what comes first; nothing after five seconds or at the end.
    func ask(_ text: String) async -> String {
        say(text)
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = unsafe buffer.withUnsafeMutableBytes {
                    unsafe recv(self.socket.number, $0.baseAddress, $0.count, 0)
                }
                continuation.resume(returning: String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self))
            }
        }
    }
}
